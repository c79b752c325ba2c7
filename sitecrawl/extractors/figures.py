"""Figures of a page as a whole, to judge whether it is a listing and whether its main content can be trusted."""

import re
from bisect import bisect_right
from itertools import pairwise
from math import log1p
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors.entries import ENTRY_NAMES, entry_figures, kept_below, repeats
from sitecrawl.extractors.statistics import SiteStatistics

_LISTINGS: Final = re.compile(
    r"(?:^|[/_.-])(?:tags?|categor(?:y|ies|ia)|archives?|authors?|pages?|topics?|search|index|list(?:e|ing)?s?|forum"
    r"|viewforum|blog|news|all|feed|label|users?|members?|genindex|contents?|toc|sitemap|special:|kategorie)"
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
    """What is read of a page."""

    @property
    def url(self) -> str:
        """Its URL."""
        ...

    @property
    def flat(self) -> FlatDom:
        """Its columns."""
        ...


PAGE_NAMES: Final = (
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
)
"""Names of the figures of a page."""
LONG: Final = 100
"""Characters of a block that is no teaser's title."""
_OPEN: Final = (0.2, 0.8)


def page_figures(
    page: PageView,
    blocks: Blocks,
    chances: list[float],
    threshold: float,
    text_share: list[float],
    pages: int,
    site: SiteStatistics | None = None,
) -> list[float]:
    """Return what is read to judge a page as a whole, in the order of `PAGE_NAMES`.

    `text_share` tells how often the site repeats each block's text (-1 if not known), `pages` how many pages beside
    this one are known, `site` what is known of them.
    """
    flat, chars, links = page.flat, blocks.chars, blocks.link_chars
    kept = [i for i, chance in enumerate(chances) if chance >= threshold]
    total, whole = sum(chars), sum(chars[i] for i in kept)
    linked = sum(links[i] for i in kept)
    kept_sum = sum(chars[i] * chances[i] for i in kept)
    all_sum = sum(c * p for c, p in zip(chars, chances, strict=True))
    paths: dict[int, int] = {}
    for i in kept:
        path = flat.path[blocks.container[i]]
        paths[path] = paths.get(path, 0) + chars[i]
    anchor_rows = [node for node, _, _ in flat.anchors]
    spans = [(blocks.first[i] - 2, blocks.stop[i]) for i in kept]  # an anchor stands just before its first text
    anchors = sum(bisect_right(anchor_rows, stop) - bisect_right(anchor_rows, first) for first, stop in spans)
    switches = sum((a >= threshold) != (b >= threshold) for a, b in pairwise(chances))
    some, part = max(len(kept), 1), max(whole, 1)
    headings = [i for i in kept if flat.tag[blocks.container[i]] in HEADINGS]
    begin, stop = (blocks.first[kept[0]] - 2, blocks.stop[kept[-1]]) if kept else (0, 0)
    targets = [href for node, href, _ in flat.anchors if begin <= node < stop]
    below = kept_below(flat, blocks, kept)
    alike = repeats(flat, blocks, kept, below)
    return [
        log1p(whole),
        log1p(total),
        whole / total,
        log1p(len(kept)),
        len(kept) / len(chances),
        linked / part,
        sum(links) / total,
        sum(c * abs(2 * p - 1) for c, p in zip(chars, chances, strict=True)) / total,
        kept_sum / part,
        (all_sum - kept_sum) / max(total - whole, 1),
        sum(c for c, p in zip(chars, chances, strict=True) if _OPEN[0] < p < _OPEN[1]) / total,
        sum(chars[i] for i in kept if chars[i] >= LONG) / part,
        log1p(max((chars[i] for i in kept), default=0)),
        whole / some,
        switches / len(chances),
        sum(links[i] > 0.8 * chars[i] for i in kept) / some,
        anchors / some,
        len(headings) / some,
        sum(max(text_share[i], 0.0) * chars[i] for i in kept) / part,
        len(paths) / some,
        max(paths.values(), default=0) / part,
        log1p(pages),
        sum(links[i] >= chars[i] for i in headings) / max(len(headings), 1),
        log1p(len(headings)),
        sum(chars[i] * log1p(count) for i, count in zip(kept, alike, strict=True)) / part,
        log1p(len({href for href in targets if not href.startswith("#")})),
        sum(href.startswith("#") for href in targets) / max(len(targets), 1),
        *entry_figures(flat, blocks, kept, below, site if pages else None),
        *url_figures(page.url),
    ]


def url_figures(url: str) -> list[float]:
    """Return what a URL says about its page; in every language, because content management systems name pages."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    segments = [segment for segment in path.split("/") if segment]
    last, whole = segments[-1] if segments else "", f"{path}?{parts.query}"
    return [
        float(not segments or (len(segments) == 1 and last.startswith("index."))),
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
