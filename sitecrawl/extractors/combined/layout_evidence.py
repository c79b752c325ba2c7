"""The evidence of a page for its layout: its kind, the place of its content, and the verdict on each path.

The kind is determined from simple signs, first of all the page's own statements. That is enough for a vote among many
pages, but not for a decision on a single one.
"""

from itertools import compress
from math import log
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.places import AROUND, place
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.page_hints import CLAIM_NAMES, claims
from sitecrawl.extractors.combined.region import ENTRIES, SHARED, Known, mean_chars, region_of
from sitecrawl.extractors.combined.thread_addresses import is_thread_page
from sitecrawl.templates.decision import LayoutKind, PageEvidence, PathEvidence

CODE: Final = frozenset(("pre", "code", "dl", "dt", "dd", "table", "td", "th"))
"""Elements that reference pages consist of."""
REFERENCE: Final = 0.3
"""Minimum share of the kept characters in them for which a page is a reference."""
LIMITS: Final = (0.01, 0.99)
"""Range of probabilities whose log odds are used."""

_ARTICLE: Final = (CLAIM_NAMES.index("says_article"), CLAIM_NAMES.index("og_article"), CLAIM_NAMES.index("published"))


def odds(chance: float) -> float:
    """Return the log odds of a probability."""
    low, high = LIMITS
    bounded = min(max(chance, low), high)
    return log(bounded / (1 - bounded))


def page_evidence(
    page: Page,
    blocks: Blocks,
    chances: list[float],
    limit: float,
    liked: list[bool],
    kept: list[bool],
    known: Known | None,
    *,
    listing: bool,
) -> PageEvidence:
    """Return the evidence of a page; `liked` blocks are kept by their probabilities alone, `kept` ones finally."""
    flat = page.flat
    region = region_of(flat, blocks, kept)
    if region < 0:
        return PageEvidence(LayoutKind.MIXED, 0.0, 0, "")
    kind = _kind(page, blocks, kept, mean_chars(flat, blocks, kept), listing=listing)
    mean = mean_chars(flat, blocks, liked)
    return PageEvidence(
        kind,
        mean,
        flat.path[region],
        place(flat, region),
        _paths(flat, blocks, chances, limit, liked, kept, known, region),
        tuple(flat.path[row] for row in flat.ancestors(region) if flat.tag[row] not in ("html", "body")),
    )


def _paths(
    flat: FlatDom,
    blocks: Blocks,
    chances: list[float],
    limit: float,
    liked: list[bool],
    kept: list[bool],
    known: Known | None,
    region: int,
) -> tuple[PathEvidence, ...]:
    """Return the verdict on each path of a page, in the order of their first blocks."""
    rows: dict[int, list[int]] = {}
    for block in range(len(blocks)):
        rows.setdefault(flat.path[blocks.container[block]], []).append(block)
    least = odds(limit)
    found = []
    for path, held in rows.items():
        first = blocks.container[held[0]]
        shared = 0
        for block in held if known is not None else ():
            if known is not None and known.share(flat, blocks, block) >= SHARED:
                shared += blocks.chars[block]
        found.append(
            PathEvidence(
                path,
                place(flat, first),
                len(held),
                sum(map(liked.__getitem__, held)),
                sum(map(kept.__getitem__, held)),
                sum(map(blocks.chars.__getitem__, held)),
                sum(odds(chances[block]) - least for block in held) / len(held),
                shared,
                region <= first < flat.end[region],
            )
        )
    return tuple(found)


def _kind(page: Page, blocks: Blocks, kept: list[bool], mean: float, *, listing: bool) -> LayoutKind:
    """Return the kind of a page by simple signs."""
    flat = page.flat
    if any(name == "og:type" and "product" in content.lower() for name, content in page.properties):
        return LayoutKind.PRODUCT
    if is_thread_page(page.url, flat):
        return LayoutKind.THREAD
    if listing:
        return LayoutKind.LISTING
    total = sum(compress(blocks.chars, kept))
    coded = sum(blocks.chars[block] for block in compress(range(len(kept)), kept) if _coded(flat, blocks, block))
    if mean < ENTRIES or coded >= REFERENCE * total:
        return LayoutKind.REFERENCE
    claimed = claims(flat, page.properties)
    return LayoutKind.ARTICLE if any(claimed[one] for one in _ARTICLE) or _dated(flat) else LayoutKind.SERVICE


def _coded(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a block is in an element that reference pages consist of."""
    row = blocks.container[block]
    for _ in range(AROUND):
        if row < 0:
            return False
        if flat.tag[row] in CODE:
            return True
        row = flat.parent[row]
    return False


def _dated(flat: FlatDom) -> bool:
    """Return whether a page has both an `article` and a `time` element."""
    return {"article", "time"} <= vocabulary(flat).tags.keys()
