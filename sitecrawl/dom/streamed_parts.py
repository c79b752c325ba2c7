"""Moves the parts of a page that React streams behind it to the places in which browsers show them.

A server that renders with React 18 or newer (Next.js, Remix and others) sends a page at once, with a `template` in the
place of each part that is not ready (`B:0`, or `P:0` inside another part). The parts follow as hidden elements (`S:0`),
each with a call of a script that moves it: `$RC("B:0","S:0")` also removes what the page shows in the meantime, up to
the comment `/$`; `$RS("S:1","P:1")` moves a part into another. Without these moves whole articles would be hidden, and
out of order. The steps are those of the script (react-dom, `ReactDOMFizzInstructionSetShared.js`). A place that no call
names gets the part with the same number: in nearly all calls the numbers are equal.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from lxml.etree import _Comment, _Element

_PLACE: Final = re.compile(r"(.{0,100})([BP])(:[0-9a-f]{1,8})")
"""Matches the id of a template that marks a place; an application may put its own prefix before it."""
_CALL: Final = re.compile(r"""\$R([CRS])\(\s*["']([^"'\s]{1,200})["']\s*,\s*["']([^"'\s]{1,200})["']""")
_OPENED: Final = frozenset(("$", "$?", "$!", "$~"))
"""Comments that begin a part inside the one that is removed."""
_CLOSED: Final = "/$"
PARTS: Final = 2_000
"""Maximum parts that are moved on a page; wcxb-dev has 52 at most. Own choice."""
STEPS: Final = 200_000
"""Maximum nodes that are looked at on a page, so that hostile pages take little time. Own choice."""


def read_streamed_parts(root: _Element, templates: Iterable[_Element]) -> None:
    """Move the streamed parts of a page; `templates` are its `template` elements. Pages without such parts stay."""
    places = {number: one for one in templates if (number := one.get("id")) and _PLACE.fullmatch(number)}
    if not places:
        return
    moves = _moves(root, places)
    parts = {number: one for one in root.iter("*") if (number := one.get("id")) in moves}
    steps = iter(range(STEPS))
    for number, (target, replaces) in islice(moves.items(), PARTS):
        part, place = parts.get(number), places.get(target)
        if part is None or place is None or not _is_apart(place, part, steps):
            continue
        _move(part, place)
        waiting = _waiting(place, steps) if replaces else None
        if waiting is None:
            _remove(place, keep_tail=True)
        else:
            for one in (place, *waiting):
                _remove(one)


def _moves(root: _Element, places: Iterable[str]) -> dict[str, tuple[str, bool]]:
    """Return for the id of each part that of its place, and whether the part replaces what waits there, in order."""
    found: dict[str, tuple[str, bool]] = {}
    for script in root.iter("script"):
        for call, first, second in _CALL.findall(script.text or ""):
            part, place = (first, second) if call == "S" else (second, first)
            found.setdefault(part, (place, call != "S"))
    named = {place for place, _ in found.values()}
    for place in places:
        if place not in named and (match := _PLACE.fullmatch(place)):
            prefix, kind, number = match.groups()
            found.setdefault(f"{prefix}S{number}", (place, kind == "B"))
    return found


def _is_apart(place: _Element, part: _Element, steps: Iterator[int]) -> bool:
    """Return whether both are in the tree, and the place is not in the part, which cannot be moved into itself."""
    if place.getparent() is None or part.getparent() is None:
        return False
    return all(one is not part and next(steps, None) is not None for one in place.iterancestors())


def _move(part: _Element, place: _Element) -> None:
    """Move the content of a part before a place, and remove the empty element."""
    _add_text(place, part.text)
    for child in list(part):
        place.addprevious(child)
    _remove(part, keep_tail=True)


def _waiting(place: _Element, steps: Iterator[int]) -> list[_Element] | None:
    """Return what the page shows until the part comes: the siblings after the place, up to the comment that ends it.

    None if there is no such comment, which some minifiers remove.
    """
    found: list[_Element] = []
    depth = 0
    for one in place.itersiblings():
        if next(steps, None) is None:
            return None
        if isinstance(one, _Comment):
            if one.text == _CLOSED and not depth:
                return found
            depth += (one.text in _OPENED) - (one.text == _CLOSED)
        found.append(one)
    return None


def _remove(element: _Element, *, keep_tail: bool = False) -> None:
    """Remove an element, and the text behind it unless `keep_tail`."""
    if keep_tail:
        _add_text(element, element.tail)
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _add_text(element: _Element, text: str | None) -> None:
    """Add a text right before an element."""
    before, parent = element.getprevious(), element.getparent()
    if text and before is not None:
        before.tail = (before.tail or "") + text
    elif text and parent is not None:
        parent.text = (parent.text or "") + text
