"""Keeps lists of options whole that some pages share: the equipment of a car, the rooms and services of a hotel.

An option is on many pages, and so with a template it looks like furniture. But furniture is on nearly all pages, and
the passes without a template keep such a list; or half of it is already kept, as for the ingredients of a recipe. Ranks
of posters are such lists too, so threads are excluded. [OWN]
"""

from collections.abc import Callable
from itertools import groupby
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, Known, region_of

LEAST: Final = 3
"""Minimum number of options. Own choice."""
LONGEST: Final = 60
"""Maximum characters of an option. Own choice."""
USUAL: Final = 0.8
"""Minimum share of the other pages with a text for which it is no option. Own choice."""
VOTES: Final = 0.5
"""Minimum share of the options that are kept, or that the passes without a template keep. Own choice."""


def with_options(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    alone: Callable[[], list[bool]],
    known: Known | None,
) -> list[bool]:
    """Return which blocks are kept, including the option lists between the first and the last kept block.

    `again` marks blocks that repeat a kept one; `alone` returns which blocks the passes without a template keep.
    """
    if known is None or known.others < ENOUGH or True not in kept:
        return kept
    begin, stop = kept.index(True), len(kept) - kept[::-1].index(True)
    if False not in kept[begin:stop]:
        return kept
    paths = [flat.path[container] for container in blocks.container[begin:stop]]
    furniture = furniture_beside(flat, blocks, kept, region_of(flat, blocks, kept))
    found, votes = kept, list[bool]()
    for _, places in groupby(range(begin, stop), key=lambda block: paths[block - begin]):
        run = list(places)
        if len(run) < LEAST or all(kept[run[0] : run[-1] + 1]):
            continue
        if not all(_is_option(flat, blocks, block, known) for block in run) or furniture[blocks.container[run[0]]]:
            continue
        votes = votes or alone()
        if max(sum(one[run[0] : run[-1] + 1]) for one in (kept, votes)) >= VOTES * len(run):
            found = list(kept) if found is kept else found
            found[run[0] : run[-1] + 1] = [kept[block] or not again[block] for block in run]
    return found


def _is_option(flat: FlatDom, blocks: Blocks, block: int, known: Known) -> bool:
    """Return whether a block is short, has no links, is no paragraph, and is not on nearly all pages."""
    if blocks.chars[block] > LONGEST or blocks.link_chars[block] or flat.tag[blocks.container[block]] == "p":
        return False  # paragraphs in a box are messages of the site to its readers
    return known.share(flat, blocks, block) < USUAL
