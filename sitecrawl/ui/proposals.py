"""Proposes selectors for an element that the user selected, ranked by other pages of its layout [OWN]."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.overrides.selectors import BEGINS_XPATH, Selector, compile_selector

PROPOSED: Final = 5
"""Maximum number of proposals."""
TRIED: Final = 60
"""Maximum number of selectors that are tried."""
ABOVE: Final = 3
"""Maximum number of ancestors with whose names a selector may begin."""
SINGLE: Final = frozenset(("main", "article", "h1", "nav", "aside", "footer", "header"))
"""Tags that identify an element without a class or id."""
_NAMED: Final = re.compile("[.#]")
_NAME: Final = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
_NUMBER: Final = re.compile(r"[0-9]{2,}")


class Proposal(NamedTuple):
    """A selector with its results on a sample of pages."""

    selector: str
    met: int
    """Number of pages of the sample on which it selects something."""
    pages: int
    single: int
    """Number of these pages on which it selects exactly one element."""


class Step(NamedTuple):
    """An element on the path from the root to the selected element."""

    row: int
    name: str
    words: int


def steps(page: Page, row: int) -> list[Step]:
    """Return the element of a row and its ancestors, innermost first, without `html`. Raises IndexError."""
    flat = page.flat
    if flat.tag[row] == TEXT:
        row = flat.parent[row]
    found = []
    for one in (row, *flat.ancestors(row)):
        if flat.tag[one] != "html":
            names = flat.names[one].split(" ")[0]
            found.append(Step(one, f"{flat.tag[one]}.{names}" if names else flat.tag[one], flat.words[one]))
    return found


def element_of(page: Page, row: int) -> _Element:
    """Return the element of a row. Raises IndexError if the row does not exist or is a text."""
    if not 0 <= row < len(page.flat) or page.flat.tag[row] == TEXT:
        raise IndexError(row)
    rows = (i for i, tag in enumerate(page.flat.tag) if tag != TEXT)
    return next(element for number, element in zip(rows, elements(page.root), strict=True) if number == row)


def rows_of(page: Page, chosen: Collection[_Element]) -> frozenset[int]:
    """Return the rows of elements of a page."""
    rows, wanted = (i for i, tag in enumerate(page.flat.tag) if tag != TEXT), set(chosen)
    return frozenset(row for row, element in zip(rows, elements(page.root), strict=True) if element in wanted)


def joined_selector(first: str, second: str) -> str:
    """Return a selector that joins two CSS selectors; only the second if the first is empty or XPath."""
    if not first or BEGINS_XPATH.match(first):
        return second
    known = first.split(", ")
    return first if second in known else f"{first}, {second}"


def propose(page: Page, row: int, others: Sequence[Page], *, several: bool) -> list[Proposal]:
    """Return selectors of the element of a row, best first.

    The best one selects something on most of the other pages, only one element on each unless `several`, and is short.
    With `several`, selectors with a class or id of the element itself come first, since a tag alone selects too much.
    Each selector selects the element on its own page, and none of its ancestors.
    """
    element = element_of(page, row)
    pages = [page, *others]
    found: list[tuple[tuple[float, ...], Proposal]] = []
    for number, text in enumerate(_candidates(element)):
        if number == TRIED:
            break
        selector = _compiled(text)
        if selector is None or not _fits(selector, page, element, several=several):
            continue
        counts = [len(selector.elements(one.root)) for one in pages]
        met, single = sum(count > 0 for count in counts), sum(count == 1 for count in counts)
        good = met if several else single
        made = Proposal(text, met, len(pages), single)
        bare = several and not _NAMED.search(text.rpartition(" ")[2])
        steps_needed = text.replace(" > ", " ").count(" ") + text.count(":nth")
        found.append(((bare, -good, _NUMBER.search(text) is not None, steps_needed, number), made))
    found.sort(key=lambda one: one[0])
    return [made for _, made in found[:PROPOSED]]


def _fits(selector: Selector, page: Page, element: _Element, *, several: bool) -> bool:
    """Return whether a selector selects an element, none of its ancestors, and unless `several` no other element."""
    chosen = selector.elements(page.root)
    around = set(element.iterancestors())
    return element in chosen and not around.intersection(chosen) and (several or len(chosen) == 1)


def _compiled(text: str) -> Selector | None:
    try:
        return compile_selector(text)
    except ValueError:
        return None


def _candidates(element: _Element) -> Iterator[str]:
    """Yield selectors of an element: by its own names, by those of its ancestors, and last by its position."""
    own = _names(element)
    named = [name for name in own if "." in name or "#" in name or name in SINGLE]
    yield from named
    above = list(element.iterancestors())[:ABOVE]
    for parent in above:
        for other in _names(parent):
            if "." in other or "#" in other or other in SINGLE:
                for name in own[:3] if own[-1] in own[:3] else [*own[:3], own[-1]]:
                    yield f"{other} > {name}" if parent is above[0] else f"{other} {name}"
    yield _place(element)


def _names(element: _Element) -> list[str]:
    """Return selectors of an element by its own id, classes and tag."""
    tag = str(element.tag)
    found = []
    number = element.get("id") or ""
    if _NAME.fullmatch(number):
        found.append(f"{tag}#{number}")
    tokens = [token for token in dict.fromkeys((element.get("class") or "").split()) if _NAME.fullmatch(token)][:6]
    found += [f"{tag}.{token}" for token in tokens]
    if len(tokens) > 1:
        found.append(".".join((tag, *tokens)))
    return [*found, tag]


def _place(element: _Element) -> str:
    """Return a selector by position: from the nearest ancestor with an id, or from the body."""
    parts: list[str] = []
    one: _Element | None = element
    while one is not None and one.tag not in ("html", "body"):
        number = one.get("id") or ""
        if _NAME.fullmatch(number) and parts:
            return " > ".join((f"{one.tag}#{number}", *reversed(parts)))
        before = sum(1 for other in one.itersiblings(str(one.tag), preceding=True))
        parts.append(f"{one.tag}:nth-of-type({before + 1})")
        one = one.getparent()
    return " > ".join(("body", *reversed(parts)))
