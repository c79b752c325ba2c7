"""Chooses the text blocks of a page that are judged: all but volatile ones and those of further articles.

The remaining blocks are judged as if those did not exist, so that texts that change every day do not influence them.
"""

from itertools import compress

from sitecrawl.dom.blocks import Blocks, blocks_below, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined.further_articles import further_articles
from sitecrawl.extractors.combined.statistics import SiteStatistics


def judged_blocks(page: Page, site: SiteContext | None, statistics: SiteStatistics | None) -> Blocks:
    """Return the blocks of a page that are judged; `statistics` are the sums of the template of `site`."""
    blocks = _lasting_blocks(page, site)
    rows = further_articles(page, blocks, statistics)
    if not rows:
        return blocks
    stays = [True] * len(blocks)
    for row in rows:
        begin, stop = blocks_below(page.flat, blocks, row)
        stays[begin:stop] = [False] * (stop - begin)
    return _chosen(blocks, stays)


def _lasting_blocks(page: Page, site: SiteContext | None) -> Blocks:
    """Return the text blocks of a page that are not volatile."""
    blocks = text_blocks(page.flat)
    if site is None or not site.volatile:
        return blocks
    stays = [reason is None for reason in site.volatile.reasons(page.flat, blocks)]
    return blocks if all(stays) else _chosen(blocks, stays)


def _chosen(blocks: Blocks, stays: list[bool]) -> Blocks:
    columns = (blocks.first, blocks.stop, blocks.container, blocks.chars, blocks.words, blocks.link_chars)
    return Blocks(*(list(compress(column, stays)) for column in columns))
