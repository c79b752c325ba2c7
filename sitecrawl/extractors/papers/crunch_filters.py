"""The filters of Crunch, which choose the nodes of a page to remove.

Source: S4, "DOM-based content extraction of HTML documents" (Gupta, Kaiser, Neistadt, Grimm, 2003), sections 3 and 4.2.
First the ignore set and advertisements are removed; then, innermost first, cells that are mostly links, and tables that
the other filters left without substance. An element is removed with its subtree. The paper visits the outermost cell
first, which would remove a whole page that is laid out in one cell together with its menus.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final
from urllib.parse import urljoin, urlsplit

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.dom.text import printable
from sitecrawl.extractors.papers.crunch_settings import CrunchSettings

WORD_LENGTH: Final = 5
"""Characters of an average word (section 3)."""
_ADDRESSES: Final = ("src", "href", "data", "action")
_RETAINED: Final = frozenset(("http", "https", "ftp", "mailto"))
"""Schemes of links to retain; links with other schemes run a script, or do not work in a copy of the page."""


def link_ratio(links: int, letters: int, word_length: int = WORD_LENGTH) -> float:
    """Return the links per word outside links; infinite if there are only links, 0 without links (section 3)."""
    if not links:
        return 0.0
    return links / (letters / word_length) if letters else inf


def is_listed(address: str, hosts: Collection[str]) -> bool:
    """Return whether the host of a URL, or one of its parent domains, is in `hosts`."""
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return False
    parts = host.split(".")
    return any(".".join(parts[i:]) in hosts for i in range(len(parts) - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Filtering:
    """The result of the filters on a page."""

    gone: list[bool]
    """For each node, whether it is removed; descendants of removed nodes are removed too."""
    link_lists: list[int]
    """Rows of the cells that are mostly links, in document order."""
    portal: bool = False
    """Whether the page is a link portal, which is not changed."""


def filtering(page: Page, settings: CrunchSettings) -> Filtering:
    """Return the parts of a page that the filters remove; none of a link portal, if the settings keep portals whole."""
    flat = page.flat
    gone = [False] * len(flat)
    _ignore(page, settings, gone)
    _inherit(flat, gone)
    # the remaining part of each subtree, children before parents
    letters, links, chars, substance = ([0] * len(flat) for _ in range(4))
    anchors = {node for node, _, _ in flat.anchors}
    link_lists = []
    for i in range(len(flat) - 1, -1, -1):
        if gone[i]:
            continue
        name = flat.tag[i]
        if name == TEXT:
            chars[i], letters[i] = flat.chars[i], flat.chars[i] - flat.link_chars[i]
        links[i] += i in anchors
        substance[i] += name in settings.substantive_tags
        ratio = link_ratio(links[i], letters[i], settings.word_length)
        full_of_links = settings.link_lists and name in settings.cells and ratio > settings.link_ratio
        bare = name == "table" and chars[i] < settings.table_chars and not substance[i]
        if full_of_links:
            link_lists.append(i)
        if full_of_links or (bare and settings.empty_tables):
            gone[i] = True
        elif i:
            above = flat.parent[i]
            for column in (letters, links, chars, substance):
                column[above] += column[i]
    if settings.leave_portals and _is_portal(flat, chars[0], settings):
        return Filtering([False] * len(flat), [], portal=True)
    _inherit(flat, gone)
    return Filtering(gone, link_lists[::-1])


def _inherit(flat: FlatDom, gone: list[bool]) -> None:
    """Mark the descendants of marked nodes."""
    for i in range(1, len(flat)):
        gone[i] = gone[i] or gone[flat.parent[i]]


def _is_portal(flat: FlatDom, left: int, settings: CrunchSettings) -> bool:
    """Return whether a page is mostly links, and the filters would leave hardly any of its text (section 4.1)."""
    return 2 * flat.link_chars[0] > flat.chars[0] and left < settings.portal_share * flat.chars[0]


def is_advertisement(element: _Element, settings: CrunchSettings) -> bool:
    """Return whether an element loads from an advertiser, or links to one."""
    if not settings.advertisements:
        return False
    hosts = settings.advertisers | settings.more_advertisers
    found = (element.get(key) for key in _ADDRESSES)
    return any(address and is_listed(address, hosts) for address in found)


def _ignore(page: Page, settings: CrunchSettings, gone: list[bool]) -> None:
    """Mark elements of the ignore set, and advertisements.

    An ignored element around most of the page's text is its frame, such as the form around an ASP.NET page. It stays;
    its fields are removed, since they are in the ignore set themselves.
    """
    flat = page.flat
    sources = elements(page.root)
    for i, name in enumerate(flat.tag):
        if name == TEXT:
            continue
        element = next(sources)
        if i:
            ignored = name in settings.ignored_tags and flat.chars[i] <= settings.frame_share * flat.chars[0]
            gone[i] = ignored or is_advertisement(element, settings)


def removed_links(page: Page, gone: Sequence[bool], settings: CrunchSettings) -> list[tuple[str, str]]:
    """Return (text, absolute URL) of each removed text link, in document order (removed-link retainer).

    Links of removed advertisements are left out.
    """
    hosts = settings.advertisers | settings.more_advertisers if settings.advertisements else frozenset[str]()
    flat = page.flat
    links = []
    for node, href, _ in flat.anchors:
        text = gone[node] and " ".join(printable("".join(flat.text[node : flat.end[node]])).split())
        if text and (address := _retained(page, href)) and not is_listed(address, hosts):
            links.append((text, address))
    return links


def _retained(page: Page, href: str) -> str:
    try:
        address = urljoin(page.base_url, printable(href).strip())
        return address if urlsplit(address).scheme in _RETAINED else ""
    except ValueError:
        return ""
