"""Declarative shadow roots: templates that browsers show in place.

Browsers show the content of the element around such a template in the slots of the template. A web component
writes `<my-title><template shadowrootmode=open><h2><slot></slot></h2></template>Snow</my-title>`, and readers see a
heading. Without its slots it would be an empty heading with a text beside it, and a card a link without text.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lxml.etree import _Element

_ATTRIBUTES: Final = ("shadowrootmode", "shadowroot")
"""The attribute of the HTML standard, and its former name."""
_MODES: Final = ("open", "closed")
STEPS: Final = 300_000
"""Maximum nodes that are moved into slots on a page, so that hostile pages take little time. Own choice."""


def read_shadow_roots(templates: Iterable[_Element]) -> None:
    """Turn the `template` elements of shadow roots into `div`, and fill their slots; browsers show no other templates.

    `templates` are in document order. Inner roots are filled first: what is in their slots may have slots of the roots
    around them.
    """
    roots: dict[_Element | None, _Element] = {}
    for one in templates:
        if any((one.get(name) or "").lower() in _MODES for name in _ATTRIBUTES):
            roots.setdefault(one.getparent(), one)  # an element has one shadow root: its first
    steps = iter(range(STEPS))
    for host, root in reversed(roots.items()):
        slots = list(root.iter("slot"))
        if host is not None and slots:
            _fill(host, root, slots, steps)
        for slot in slots:
            slot.tag = "span"
        root.tag = "div"


def _fill(host: _Element, root: _Element, slots: list[_Element], steps: Iterator[int]) -> None:
    """Move the content of an element into the slots of its shadow root; what has no slot stays beside it.

    A slot without content shows its own. Texts go to the slot without a name.
    """
    named: dict[str, _Element] = {}
    for slot in slots:
        named.setdefault(slot.get("name") or "", slot)
    default = named.get("")
    children = [one for one in host if one is not root and isinstance(one.tag, str)]
    places = {one: one.get("slot") or "" for one in children}
    moved = {one: named[place] for one, place in places.items() if place in named}
    texts = [host.text, *(one.tail for one in host)]
    has_text = default is not None and any(text and text.strip() for text in texts)
    if not (moved or has_text) or not _may_move(moved, steps):
        return
    for slot in {*moved.values(), *([default] if default is not None and has_text else ())}:
        slot[:], slot.text = [], None
    if default is not None:
        host.text = None
        _add_text(default, texts[0])
    for child, text in zip(list(host), texts[1:], strict=True):
        if child in moved or default is not None:
            child.tail = None
        if child in moved:
            moved[child].append(child)
        if default is not None:
            _add_text(default, text)


def _add_text(slot: _Element, text: str | None) -> None:
    """Add a text at the end of a slot."""
    if text and len(slot):
        slot[-1].tail = (slot[-1].tail or "") + text
    elif text:
        slot.text = (slot.text or "") + text


def _may_move(moved: Iterable[_Element], steps: Iterator[int]) -> bool:
    """Return whether the limit `STEPS` allows the move of these elements with all their nodes."""
    return all(next(steps, None) is not None for one in moved for _ in one.iter())
