"""Decides whether the kept links of a page mainly lead to other sites: such a list is content, and no listing."""

from bisect import bisect_right
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.cards import HOST, is_other_site
from sitecrawl.extractors.combined.entries import HERE

OUTSIDE: Final = 3
"""Minimum number of links to other sites. Own choice."""
SITES: Final = 2
"""Minimum number of other sites: links to one may lead to another name of the same site. Own choice."""
MOST: Final = 0.8
"""Minimum share of links to other sites. Own choice, measured on recorded sites (docs/combined-history.md)."""


def leads_outside(page: Page, blocks: Blocks, kept: list[bool]) -> bool:
    """Return whether three links in kept blocks or more, and most of them, lead to two other sites or more.

    Links to one address count once; links within the page do not count.
    """
    flat, host = page.flat, urlsplit(page.url).netloc
    targets = set[str]()
    for row, href, _ in flat.anchors:
        block = bisect_right(blocks.stop, row)
        if block < len(blocks) and kept[block] and blocks.first[block] < flat.end[row]:
            targets.add(href.strip().partition("#")[0])
    targets = {target for target in targets if target and not target.lower().startswith(HERE)}
    outside = [target for target in targets if is_other_site(target, host)]
    sites = {found[1].lower() for found in map(HOST.match, outside) if found}
    return len(sites) >= SITES and len(outside) >= max(OUTSIDE, MOST * len(targets))
