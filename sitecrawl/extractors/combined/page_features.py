"""Features of a page as a whole, for the forests that classify listings and estimate the confidence."""

import re
from bisect import bisect_right
from itertools import repeat
from math import log1p
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors.combined.entries import ENTRY_NAMES, entry_figures, kept_below, repeats
from sitecrawl.extractors.combined.listing_cues import CUE_NAMES, cue_figures
from sitecrawl.extractors.combined.page_hints import CLAIM_NAMES, claims
from sitecrawl.extractors.combined.statistics import SiteStatistics

_LISTINGS: Final = re.compile(
    r"(?:^|[/_.-])(?:tags?|categor(?:y|ies|ia)|archives?|authors?|pages?(?=/[0-9]|=|$)|topics?|search|index"
    r"|list(?:e|ing)?s?|forum|viewforum|blog|news|all|feed|label|users?|members?|genindex|contents?|toc|sitemap|special:"
    r"|kategorie)"
    r"(?:[/_.:=-]|$)",
    re.IGNORECASE,
)
_ARTICLES: Final = re.compile(
    r"viewtopic|showthread|thread|article|post|story|entry|[?&](?:p|t|id)=[0-9]", re.IGNORECASE
)
_JOINTS: Final = re.compile("[-_]")
_PAGES: Final = re.compile(r"/page/?[0-9]+|[?&]page=|[?&]start=")
_DATES: Final = re.compile(r"/(?:19|20)[0-9]{2}/[0-9]")


class PageView(Protocol):
    """The attributes of a page that the features use."""

    @property
    def url(self) -> str:
        """The URL of the page."""
        ...

    @property
    def flat(self) -> FlatDom:
        """The columns of the page."""
        ...

    @property
    def title(self) -> str | None:
        """The title of the page."""
        ...

    @property
    def properties(self) -> tuple[tuple[str, str], ...]:
        """(name, content) of its `meta` elements."""
        ...


KEPT_NAMES: Final = (
    "log_kept",
    "log_page",
    "kept_share",
    "log_blocks",
    "block_share",
    "link_share",
    "page_link_share",
    "certainty",
    "kept_chance",
    "dropped_chance",
    "open",
    "long_share",
    "longest",
    "mean_chars",
    "switches",
    "linked_blocks",
    "anchors",
    "headings",
    "repeated",
    "paths",
    "top_path",
    "log_pages",
    "linked_headings",
    "log_headings",
    "log_repeats",
    "log_targets",
    "fragments",
)
"""Names of the features of the kept blocks."""
PAGE_NAMES: Final = (
    *KEPT_NAMES,
    *ENTRY_NAMES,
    "url_root",
    "url_segments",
    "url_folder",
    "url_listing",
    "url_article",
    "url_hyphens",
    "url_digits",
    "url_query",
    "url_last",
    "url_page",
    "url_date",
    *CLAIM_NAMES,
    *CUE_NAMES,
)
"""Names of the features of a page."""
LONG: Final = 100
"""Minimum characters of a block that is not the title of a teaser."""
OPEN: Final = (0.2, 0.8)
"""Range of uncertain probabilities."""


def page_figures(
    page: PageView,
    blocks: Blocks,
    chances: list[float],
    threshold: float,
    text_share: list[float],
    pages: int,
    site: SiteStatistics | None = None,
) -> list[float]:
    """Return the features of a page as a whole, in the order of `PAGE_NAMES`.

    `text_share` is the share of pages that repeat each block's text (-1 if unknown), `pages` the number of other known
    pages, `site` their statistics.
    """
    claimed = claims(page.flat, page.properties)
    return [
        *kept_figures(page.flat, blocks, chances, threshold, text_share, pages, site),
        *url_figures(page.url),
        *claimed,
        *cue_figures(page.url, page.title, page.flat, blocks, chances, text_share, claimed),
    ]


def kept_figures(
    flat: FlatDom,
    blocks: Blocks,
    chances: list[float],
    threshold: float,
    text_share: list[float],
    pages: int,
    site: SiteStatistics | None,
) -> list[float]:
    """Return the features of `KEPT_NAMES` and `ENTRY_NAMES` of a page with at least one block."""
    chars, links = blocks.chars, blocks.link_chars
    kept = [i for i, chance in enumerate(chances) if chance >= threshold]
    below = kept_below(flat, blocks, kept)
    sums = _kept_sums(flat, blocks, kept, chances, text_share, repeats(flat, blocks, kept, below))
    all_sum = certain = 0.0
    total = linked = unsure = switches = 0
    before = chances[0] >= threshold
    for c, x, p in zip(chars, links, chances, strict=True):
        total += c
        linked += x
        all_sum += c * p
        certain += c * abs(2 * p - 1)
        if OPEN[0] < p < OPEN[1]:
            unsure += c
        if (p >= threshold) is not before:
            switches += 1
            before = not before
    some, part = max(len(kept), 1), max(sums.chars, 1)
    begin, stop = (blocks.first[kept[0]] - 2, blocks.stop[kept[-1]]) if kept else (0, 0)
    targets = [href for node, href, _ in flat.anchors if begin <= node < stop]
    return [
        log1p(sums.chars),
        log1p(total),
        sums.chars / total,
        log1p(len(kept)),
        len(kept) / len(chances),
        sums.linked / part,
        linked / total,
        certain / total,
        sums.weighted / part,
        (all_sum - sums.weighted) / max(total - sums.chars, 1),
        unsure / total,
        sums.long / part,
        log1p(sums.longest),
        sums.chars / some,
        switches / len(chances),
        sums.links / some,
        sums.anchors / some,
        sums.headings / some,
        sums.repeated / part,
        len(sums.paths) / some,
        max(sums.paths.values(), default=0) / part,
        log1p(pages),
        sums.linked_headings / max(sums.headings, 1),
        log1p(sums.headings),
        sums.alike / part,
        log1p(len({href for href in targets if not href.startswith("#")})),
        sum(href.startswith("#") for href in targets) / max(len(targets), 1),
        *entry_figures(flat, blocks, kept, below, site if pages else None),
    ]


class _Sums:
    """Sums over the kept blocks of a page."""

    __slots__ = (
        "alike",
        "anchors",
        "chars",
        "headings",
        "linked",
        "linked_headings",
        "links",
        "long",
        "longest",
        "paths",
        "repeated",
        "weighted",
    )

    def __init__(self) -> None:
        self.chars = self.linked = self.links = self.long = self.longest = self.anchors = 0
        self.headings = self.linked_headings = 0
        self.weighted = self.repeated = self.alike = 0.0
        self.paths: dict[int, int] = {}


def _kept_sums(
    flat: FlatDom, blocks: Blocks, kept: list[int], chances: list[float], text_share: list[float], alike: list[int]
) -> _Sums:
    sums = _Sums()
    paths, tag, path = sums.paths, flat.tag, flat.path
    places = [node for node, _, _ in flat.anchors]
    sizes = [blocks.chars[i] for i in kept]
    linked = [blocks.link_chars[i] for i in kept]
    containers = [blocks.container[i] for i in kept]
    sums.chars, sums.linked = sum(sizes), sum(linked)
    sums.long, sums.longest = sum(c for c in sizes if c >= LONG), max(sizes, default=0)
    # the row of an anchor is before that of its first text
    after = map(bisect_right, repeat(places), map(blocks.stop.__getitem__, kept))
    before = map(bisect_right, repeat(places), [blocks.first[i] - 2 for i in kept])
    sums.anchors = sum(after) - sum(before)
    for i, c, x, container, count in zip(kept, sizes, linked, containers, alike, strict=True):
        sums.weighted += c * chances[i]
        sums.links += x > 0.8 * c
        own = path[container]
        paths[own] = paths.get(own, 0) + c
        if tag[container] in HEADINGS:
            sums.headings += 1
            sums.linked_headings += x >= c
        share = text_share[i]
        if share > 0:
            sums.repeated += share * c
        if count:
            sums.alike += c * log1p(count)
    return sums


def url_figures(url: str) -> list[float]:
    """Return the features of a URL; they are useful for every language, since content management systems name pages."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    segments = [segment for segment in path.split("/") if segment]
    last, whole = segments[-1] if segments else "", f"{path}?{parts.query}"
    return [
        float(_has_host(parts.hostname) and (not segments or (len(segments) == 1 and last.startswith("index.")))),
        float(len(segments)),
        float(path.endswith("/")),
        float(bool(_LISTINGS.search(whole))),
        float(bool(_ARTICLES.search(whole))),
        float(len(_JOINTS.findall(last))),
        float(sum(map(str.isdigit, path))),
        float(bool(parts.query)),
        float(len(last)),
        float(bool(_PAGES.search(url))),
        float(bool(_DATES.search(path))),
    ]


def _has_host(host: str | None) -> bool:
    """Return whether a URL has a real host; a page without one is no front page (RFC 2606 reserves `.invalid`)."""
    return bool(host) and not f".{host}".endswith(".invalid")
