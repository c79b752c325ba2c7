"""Crunch: filters that remove clutter from a page's tree, each with a switch.

Source: S4, "DOM-based content extraction of HTML documents" (Gupta, Kaiser, Neistadt, Grimm, 2003), sections 3 and 4.2.
The ignore set and advertisements go first; then, innermost first, cells that are mostly links, and tables that the
other filters left without substance. An element is removed with its subtree. The paper visits the outermost cell first,
which would remove a page laid out in one cell together with its menus.
"""

from collections.abc import Collection, Sequence
from html import escape
from math import inf
from typing import ClassVar, Final
from urllib.parse import urljoin, urlsplit

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.dom.text import printable
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.crunch_settings import CrunchSettings, read_settings

WORD_LENGTH: Final = 5
"""Characters of an average word (section 3)."""
_ADDRESSES: Final = ("src", "href", "data", "action")
_RETAINED: Final = frozenset(("http", "https", "ftp", "mailto"))
"""Schemes of retained links; others run a script or lead nowhere from a copy of the page."""


def link_ratio(links: int, letters: int, word_length: int = WORD_LENGTH) -> float:
    """Return the links per word outside links; infinite if there are only links, 0 without links (section 3)."""
    if not links:
        return 0.0
    return links / (letters / word_length) if letters else inf


def is_listed(address: str, hosts: Collection[str]) -> bool:
    """Tell whether the host of an address, or a domain above it, is among the hosts."""
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return False
    parts = host.split(".")
    return any(".".join(parts[i:]) in hosts for i in range(len(parts) - 1))


def removed_nodes(page: Page, settings: CrunchSettings) -> list[bool]:
    """Return which nodes the filters remove; descendants of a removed node are marked too."""
    flat = page.flat
    gone = [False] * len(flat)
    _ignore(page, settings, gone)
    for i in range(1, len(flat)):
        gone[i] = gone[i] or gone[flat.parent[i]]
    # the remaining part of each subtree, children before parents
    letters, links, chars, substance = ([0] * len(flat) for _ in range(4))
    anchors = {node for node, _, _ in flat.anchors}
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
        if full_of_links or (bare and settings.empty_tables):
            gone[i] = True
        elif i:
            above = flat.parent[i]
            for column in (letters, links, chars, substance):
                column[above] += column[i]
    for i in range(1, len(flat)):
        gone[i] = gone[i] or gone[flat.parent[i]]
    return gone


def _ignore(page: Page, settings: CrunchSettings, gone: list[bool]) -> None:
    """Mark elements of the ignore set, with an ignored attribute, or loading from an advertiser."""
    flat = page.flat
    hosts = settings.advertisers | settings.more_advertisers
    sources = elements(page.root)
    for i, name in enumerate(flat.tag):
        if name == TEXT:
            continue
        element = next(sources)
        if name in settings.ignored_tags and i:
            gone[i] = True
        elif settings.ignored_attributes and any(key in element.attrib for key in settings.ignored_attributes):
            gone[i] = bool(i)
        elif settings.advertisements and i:
            found = (element.get(key) for key in _ADDRESSES)
            gone[i] = any(address and is_listed(address, hosts) for address in found)


def removed_links(page: Page, gone: Sequence[bool]) -> list[tuple[str, str]]:
    """Return (text, absolute URL) of each removed text link, in document order (removed-link retainer)."""
    flat = page.flat
    links = []
    for node, href, _ in flat.anchors:
        text = gone[node] and " ".join(printable("".join(flat.text[node : flat.end[node]])).split())
        if text and (address := _retained(page, href)):
            links.append((text, address))
    return links


def _retained(page: Page, href: str) -> str:
    try:
        address = urljoin(page.base_url, printable(href).strip())
        return address if urlsplit(address).scheme in _RETAINED else ""
    except ValueError:
        return ""


def filtered(page: Page, settings: CrunchSettings) -> str:
    """Return the filtered page as HTML or text, with the removed text links at its end."""
    gone = removed_nodes(page, settings)
    nodes = _left(page.flat, gone)
    links = removed_links(page, gone) if settings.retain_links else []
    if settings.output == "text":
        return "\n".join([page.text(nodes), *(f"{text} <{href}>" for text, href in links)]).strip()
    extra = "".join(f'<li><a href="{escape(href)}">{escape(text)}</a></li>' for text, href in links)
    return page.html(nodes) + (f"<ul>{extra}</ul>" if extra else "")


def _left(flat: FlatDom, gone: Sequence[bool]) -> tuple[int, ...]:
    return cover_texts(flat, [name == TEXT and not gone[i] for i, name in enumerate(flat.tag)])


@register
class Crunch:
    """The page after filtering; `filtered` returns it with its removed links."""

    name: ClassVar[str] = "crunch"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, settings: str = "", **switches: object) -> None:
        """Set the settings from a TOML file and by name; names take precedence (`CrunchSettings`).

        Raises ConfigError naming the file or the unusable setting.
        """
        self.settings = read_settings(settings, switches)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the remaining texts; confidence is their share of the page's text."""
        flat = page.flat
        gone = removed_nodes(page, self.settings)
        nodes = _left(flat, gone)
        if not nodes:
            return no_content(self.name)
        evidence = {"removed": float(sum(gone)), "removed_links": float(len(removed_links(page, gone)))}
        return Extraction(nodes, self.name, sum(flat.chars[i] for i in nodes) / flat.chars[0], evidence=evidence)
