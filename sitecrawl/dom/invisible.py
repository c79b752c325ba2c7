"""Finds text that a page never shows: hidden by a `style` or `hidden` attribute, and not opened by a click.

Answers, tabs and accordions that a reader can unfold are content. Boxes that a script opens over the page (cookies,
search results, messages of forms) are not. `visibility: hidden` and `aria-hidden` are ignored: on recorded sites all
kept text under the first was main content, which a script shows after layout.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from itertools import islice
from typing import Final, cast
from weakref import WeakKeyDictionary

from lxml import etree
from lxml.etree import _Comment, _Element

from sitecrawl.dom.blocks import subtract
from sitecrawl.dom.controls import controls
from sitecrawl.dom.flat import FlatDom, elements_of
from sitecrawl.dom.marked_texts import marked_texts
from sitecrawl.dom.page import Page

MOST: Final = 0.5
"""Share of a page's characters from which a hidden part counts as the page itself, shown by a script. Own choice."""
TEXT: Final = 200
"""Minimum characters of main content that is shown although that share of it is hidden in one part. Of some 9,000 pages
two have that, and it is main content on both; three have it in several parts, and it is main content on none. Own
choice."""
NEAR: Final = 2
"""Number of ancestors whose names are examined as well. Own choice."""
CONTROLS: Final = 5_000
"""Maximum elements examined that may open others."""
CANDIDATES: Final = 10_000
"""Maximum elements examined that may be hidden."""
ABOVE: Final = 64
"""Number of ancestors searched for a `details` or a form."""
_CONTROLS: Final = etree.XPath("/descendant::*[@aria-controls or @data-target or @data-bs-target or @data-toggle]")
_CONTROLLING: Final = ("aria-controls", "data-target", "data-bs-target", "href")
_NOT_DISPLAYED: Final = re.compile(r"(?:^|;)\s*display\s*:\s*none\s*(?:[!;]|$)", re.IGNORECASE)
_BOX: Final = re.compile(
    r"cookie|consent|gdpr|modal|pop-?up|overlay|lightbox|dialog|toast|snackbar|alert|notification|banner|newsletter"
    r"|search|off-?canvas|error|warning|loading|spinner|screen-?reader|sr-only",
    re.IGNORECASE,
)
_FOLDED: Final = re.compile(
    r"accordion|collaps|\btab(?:s|le?ist|panels?|panes?|contents?|items?)?(?=[\d_-]|\b)|faq|answer|toggle|spoiler|unfold"
    r"|fold(?:ed|able|ing)|expand|reveal|(?:read|show|learn|view)-?_?more|more-?_?text|panel",
    re.IGNORECASE,
)
_BOX_ROLES: Final = frozenset(("dialog", "alertdialog", "alert", "status", "search", "menu", "tooltip"))
_PANEL_ROLES: Final = frozenset(("tabpanel", "region"))
_OPENERS: Final = frozenset(("h2", "h3", "h4", "h5", "h6", "dt", "summary", "button"))
_IMAGES: Final = frozenset(("img", "image"))
_TABLE: Final = frozenset(("caption", "col", "colgroup", "tbody", "td", "th", "thead", "tr"))
"""Parts of tables, which scripts fold, sort and page through."""


_FOUND: Final[WeakKeyDictionary[FlatDom, list[int]]] = WeakKeyDictionary()


def shown(page: Page, nodes: tuple[int, ...]) -> tuple[int, ...]:
    """Return subtrees with the texts and images of `nodes`, without those that no reader sees and without controls."""
    flat = page.flat
    hidden = _never_shown(page, nodes) + controls(flat) + marked_texts(flat)
    if not hidden:
        return nodes
    return tuple(
        node
        for node in subtract(flat, nodes, hidden)
        if flat.chars[node] or not _IMAGES.isdisjoint(flat.tag[node : flat.end[node]])
    )


def _never_shown(page: Page, nodes: tuple[int, ...]) -> list[int]:
    """Return the invisible subtrees; if one of them has most of the text of `nodes`, only those with names of boxes.

    Several hidden parts are no page that a script shows: they are previews of other articles, or notes for authors.
    """
    flat, hidden = page.flat, invisible(page)
    whole = sum(flat.chars[node] for node in nodes) if hidden else 0
    least = MOST * whole
    if whole < TEXT or not any(
        flat.chars[row] >= least and sum(flat.chars[node] for node in subtract(flat, nodes, [row])) <= whole - least
        for row in hidden
    ):
        return hidden
    return [row for row in hidden if _BOX.search(flat.names[row])]


def invisible(page: Page) -> list[int]:
    """Return the rows of disjoint subtrees whose text the page never shows, in document order.

    They are cached with the columns of the page.
    """
    flat = page.flat
    found = _FOUND.get(flat)
    if found is None:
        found = _FOUND[flat] = _invisible(page)
    return found


def _invisible(page: Page) -> list[int]:
    flat = page.flat
    if not flat.unshown:
        return []
    opened = cache(partial(_opened, page.root))
    candidates = flat.unshown[:CANDIDATES]
    found: list[int] = []
    for row, element in zip(candidates, elements_of(flat, page.root, candidates), strict=True):
        chars = flat.chars[row]
        if not chars or chars >= MOST * flat.chars[0] or (found and row < flat.end[found[-1]]):
            continue
        if _hides(element) and not _folded(flat, row, element, opened):
            found.append(row)
    return found


def _hides(element: _Element) -> bool:
    """Return whether an element's own attributes hide it; `until-found` does not: a search in the page opens it."""
    if element.tag in _TABLE:
        return False
    hidden = element.get("hidden")
    if hidden is not None and hidden.strip().lower() != "until-found":
        return True
    return _NOT_DISPLAYED.search(element.get("style", "")) is not None


def _folded(flat: FlatDom, row: int, element: _Element, opened: Callable[[], frozenset[str]]) -> bool:
    """Return whether a reader can unfold a hidden element in place; `opened` returns the ids in controls."""
    role = (element.get("role") or "").strip().lower()
    if role in _BOX_ROLES or element.get("aria-modal") == "true" or _BOX.search(flat.names[row]):
        return False
    number = element.get("id")
    if role in _PANEL_ROLES or (number and number in opened()):
        return True
    near = [row, *islice(flat.ancestors(row), ABOVE)]
    if any(_FOLDED.search(flat.names[one]) for one in near[: NEAR + 1] if flat.tag[one] not in ("html", "body")):
        return True
    tags = {flat.tag[one] for one in near}
    return "details" in tags or ("form" not in tags and _is_opener(element.getprevious()))


def _is_opener(element: _Element | None) -> bool:
    """Return whether the element before a hidden one, or the only element in it, is a heading or a button."""
    while isinstance(element, _Comment):
        element = element.getprevious()
    for _ in range(NEAR):
        if element is None:
            return False
        if element.tag in _OPENERS or element.get("role") == "button" or element.get("onclick"):
            return True
        element = element[0] if len(element) == 1 else None
    return False


def _opened(root: _Element) -> frozenset[str]:
    """Return the ids of the elements that the page's controls open."""
    found = set[str]()
    for element in cast("list[_Element]", _CONTROLS(root))[:CONTROLS]:
        for name in _CONTROLLING:
            found.update(one.lstrip("#") for one in (element.get(name) or "").split())
    return frozenset(found - {""})
