"""Reads the breadcrumbs in the text of a page: the names of the pages above it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urldefrag, urljoin

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.metadata.declared import trail_text
from sitecrawl.metadata.row_texts import row_text
from sitecrawl.metadata.title_pieces import folded

MAX_ROWS: Final = 150
"""Maximum rows of an element with breadcrumbs. Own choice."""
MAX_STEPS: Final = 12
"""Maximum breadcrumbs that are read. Own choice."""
VISITED_ABOVE: Final = 4
"""Number of ancestors of a link among which a list of visited pages is searched. Own choice."""
_AROUND: Final = " >»›/|→·•-:"
"""Separators around the name of a step."""
_VISITED: Final = "trace"
"""The class name of the list of the pages that a reader visited before."""
_LISTS: Final = frozenset(("ul", "ol", "menu"))


class Trail(NamedTuple):
    """The breadcrumbs of a page."""

    section: str | None
    """The names of the pages above it, outermost first, joined by ` > `; None if there are none."""
    complete: bool
    """Whether the page itself was found at the end, so that the last name is that of another page."""


class _Step(NamedTuple):
    """One breadcrumb."""

    name: str
    link: str | None
    """The target as it is written; None without one."""


def shown_trail(page: Page, classed: Sequence[int], headings: Sequence[int]) -> Trail:
    """Return the first breadcrumbs of a page.

    `classed` are the rows of elements that are named so, `headings` those of the headlines.
    """
    flat = page.flat
    for row in classed:
        around = _list_around(flat, row)
        if flat.end[around] - around > MAX_ROWS or _is_of_visits(flat, around):
            continue
        steps = list(islice(_steps(flat, around), MAX_STEPS))
        own = _own_step(page, steps, headings)
        kept = steps if own < 0 else steps[:own]
        section = trail_text([*((step.name, step.link or "") for step in kept), ("", "")], page.url)
        if section or own >= 0:
            return Trail(section, complete=own >= 0)
    return Trail(None, complete=False)


def _list_around(flat: FlatDom, row: int) -> int:
    """Return the list of an item that is named as a breadcrumb; else the row itself."""
    parent = flat.parent[row]
    return parent if flat.tag[row] == "li" and flat.tag[parent] in _LISTS else row


def _is_of_visits(flat: FlatDom, row: int) -> bool:
    """Return whether an element is a list of the pages visited before, or is in one, or contains one."""
    near = (*range(row, flat.end[row]), *islice(flat.ancestors(row), VISITED_ABOVE))
    return any(_VISITED in flat.names[one] and _VISITED in flat.names[one].split() for one in near)


def _steps(flat: FlatDom, row: int) -> Iterator[_Step]:
    """Yield the breadcrumbs in an element: the items of its list, of which some may have no link; else its links."""
    items = _items(flat, row)
    if not items:
        yield from _links(flat, row)
        return
    linked = False
    for item in items:
        links = list(_links(flat, item))
        text = row_text(flat, item)
        if links:
            linked = True
            yield from links[:1] if _has_list(flat, item) else links
        elif linked and any(map(str.isalnum, text)) and not text.endswith(":"):
            yield _Step(text.strip(_AROUND), None)


def _items(flat: FlatDom, row: int) -> list[int]:
    """Return the items of the list in an element, without those in other items and those behind the breadcrumbs."""
    items: list[int] = []
    one = row + 1
    while one < flat.end[row]:
        if flat.tag[one] == "li":
            items.append(one)
            one = flat.end[one]
        else:
            one += 1
    named = [at for at, item in enumerate(items) if "crumb" in flat.names[item].lower()]
    return items[: named[-1] + 1] if named else items


def _has_list(flat: FlatDom, row: int) -> bool:
    return not _LISTS.isdisjoint(flat.tag[row : flat.end[row]])


def _links(flat: FlatDom, row: int) -> Iterator[_Step]:
    """Yield the links in an element, those without a target only with a name: the home page may be an icon."""
    first = bisect_left(flat.anchors, (row,))
    for node, href, _ in flat.anchors[first : first + MAX_STEPS]:
        if node >= flat.end[row]:
            return
        name = row_text(flat, node).strip(_AROUND)
        if href or any(map(str.isalnum, name)):
            yield _Step(name, href or None)


def _own_step(page: Page, steps: Sequence[_Step], headings: Sequence[int]) -> int:
    """Return the index of the step that is the page itself; -1 if there is none.

    It leads to the page; or it has no link, and is the last one or has the name of the page.
    """
    flat, last = page.flat, len(steps) - 1
    for at, step in enumerate(steps):
        if step.link is None:
            if at == last or _is_named(page, step.name, (row_text(flat, row) for row in headings)):
                return at
        elif _leads_to(page, step.link):
            return at
    return -1


def _is_named(page: Page, name: str, headlines: Iterator[str]) -> bool:
    own = folded(name)
    return folded(page.title or "").startswith(own) or any(folded(one) == own for one in headlines)


def _leads_to(page: Page, link: str) -> bool:
    """Return whether a link leads to the page itself; a link to a place on the page does not."""
    target = link.strip()
    if target.startswith("#"):
        return False
    try:
        return urldefrag(urljoin(page.base_url, target)).url == urldefrag(page.url).url
    except ValueError:
        return False
