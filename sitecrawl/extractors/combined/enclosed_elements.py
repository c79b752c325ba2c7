"""Keeps lists, paragraphs and quotations whole if they are directly between two kept blocks.

The passes judge block by block. They drop short items, items that are links, and sometimes a paragraph. A box of
related pages may be in such a place too, so an element with links to other pages of the site is not completed, unless
it is a numbered list or a list of terms. The caption of a quotation is kept with it. A numbered list of links within
its page is a table of contents, and is not completed. On recorded sites and page sets, extracted without a template,
231 of 257 such elements with dropped text are main content. [OWN]
"""

from bisect import bisect_left
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.cards import HOST
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import RARE, Known, region_of, region_rows

LINKED: Final = ("ol", "dl", "dd")
"""Elements whose links may lead to any page."""
UNLINKED: Final = ("p", "blockquote")
"""Elements that are kept only if they have no link."""
ENCLOSED: Final = (*LINKED, *UNLINKED, "ul")
PARAGRAPH: Final = 100
"""Minimum characters of a paragraph: of 53 shorter ones half are not main content, of 70 longer ones 6."""
CONTENTS: Final = 3
"""Minimum number of links of an `ol` that is a table of contents, if half of them lead to places on the same page. Own
choice."""
LINKS: Final = 100
"""Maximum links of an element that are read: hostile pages nest thousands of lists."""
FIGURE: Final = 20
"""Maximum blocks of a quotation whose caption is kept with it. Own choice."""
AWAY: Final = 0.5
"""Minimum share of links to other sites among the links of a `ul`."""


def with_enclosed_elements(
    page: Page, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including those of elements right between two kept blocks.

    `again` marks blocks that repeat a kept one. Texts that a tenth of the site's other pages have stay dropped.
    """
    flat = page.flat
    if True not in kept or False not in kept:
        return kept
    if False not in kept[kept.index(True) : len(kept) - kept[::-1].index(True)]:  # no block is between kept ones
        return _with_captions(flat, blocks, kept, known)
    region = region_of(flat, blocks, kept)
    furniture, found, end = furniture_beside(flat, blocks, kept, region), list(kept), 0
    for row in rows_with(vocabulary(flat).tags, ENCLOSED, region_rows(flat, blocks, kept, region)):
        begin, stop = blocks_below(flat, blocks, row)
        if row < end or not _is_enclosed(flat, blocks, kept, row, begin, stop):
            continue  # inside another element that is kept whole, or not enclosed
        if furniture[row] or not _may_be_text(page, row):
            continue
        end = flat.end[row]
        for block in range(begin, stop):
            shared = known is not None and known.share(flat, blocks, block) >= RARE
            found[block] = kept[block] or not (again[block] or shared)
    return _with_captions(flat, blocks, found, known)


def _with_captions(flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known | None) -> list[bool]:
    """Return which blocks are kept, including the captions of kept quotations, which give the source."""
    found, quotes = kept, vocabulary(flat).tags.get("blockquote", [])
    for row in vocabulary(flat).tags.get("figcaption", ()) if quotes else ():
        figure = flat.parent[row]
        begin, stop = blocks_below(flat, blocks, figure)
        if flat.tag[figure] != "figure" or not 1 < stop - begin <= FIGURE or True not in kept[begin:stop]:
            continue
        if bisect_left(quotes, figure) == bisect_left(quotes, flat.end[figure]):
            continue
        for block in range(*blocks_below(flat, blocks, row)):
            if not kept[block] and (known is None or known.share(flat, blocks, block) < RARE):
                found = list(kept) if found is kept else found
                found[block] = True
    return found


def _is_enclosed(flat: FlatDom, blocks: Blocks, kept: list[bool], row: int, begin: int, stop: int) -> bool:
    """Return whether the blocks directly before and after an element (blocks `begin:stop`) are kept."""
    if begin == 0 or stop >= len(kept) or not (kept[begin - 1] and kept[stop]):
        return False
    parent, above = flat.parent, flat.parent[row]
    beside = (blocks.container[begin - 1], blocks.container[stop])
    return all(container == above or parent[container] == above for container in beside)


def _may_be_text(page: Page, row: int) -> bool:
    """Return whether the length and the links of an element are those of text, by its tag."""
    flat, tag = page.flat, page.flat.tag[row]
    begin, stop = bisect_left(flat.anchors, (row,)), bisect_left(flat.anchors, (flat.end[row],))
    targets = [target for _, target, _ in flat.anchors[begin : min(stop, begin + LINKS)]]
    if tag in LINKED:
        here = sum(target.startswith("#") for target in targets)
        return tag != "ol" or len(targets) < CONTENTS or 2 * here < len(targets)
    if tag in UNLINKED:
        return not targets and (tag != "p" or flat.chars[row] >= PARAGRAPH)
    host = urlsplit(page.url).netloc.removeprefix("www.")
    found = [HOST.match(target.strip()) for target in targets]
    away = sum(one is not None and str(one[1]).lower() != host for one in found)
    return away >= AWAY * len(targets)
