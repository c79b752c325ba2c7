"""Tells whether a page is made of cards: similar siblings, each with a link of its own, which other pages do not have.

The forest that finds listings reads the kept blocks. On a page of categories or products often only an introduction is
kept, and the cards below it are not. So the cards are counted among all blocks that the site does not repeat. A box of
related pages looks the same, but most pages of the site have it. [OWN]
"""

from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.entries import LEVELS, targets
from sitecrawl.extractors.combined.region import ENOUGH, SHARED, Known

LEAST: Final = 4
"""Minimum number of cards."""
OWN_LINKS: Final = 0.6
"""Minimum share of the cards with a link that no other card has."""
PART: Final = 0.3
"""Minimum share of the page's own characters in its cards."""
LINKED: Final = 0.2
"""Minimum share of their characters in links."""
USUAL: Final = 0.3
"""Share of the other pages from which such cards belong to the site. The five were chosen on 20 recorded sites
(docs/combined.md)."""


def made_of_cards(flat: FlatDom, blocks: Blocks, text_share: list[float], known: Known | None) -> bool:
    """Tell whether cards hold a good part of the page's own text.

    `text_share` is the share of pages that repeat each block's text. Without four other known pages nothing is told.
    """
    if known is None or known.others < ENOUGH:
        return False
    parent, path = flat.parent, flat.path
    chars: dict[int, int] = {}
    links: dict[int, int] = {}
    total = 0
    rows = zip(blocks.container, blocks.chars, blocks.link_chars, text_share, strict=True)
    for container, count, linked, share in rows:
        if share >= SHARED:
            continue
        total += count
        row = container
        for _ in range(LEVELS):
            chars[row] = chars.get(row, 0) + count
            links[row] = links.get(row, 0) + linked
            row = parent[row]
            if row < 0:
                break
    alike: dict[tuple[int, int], list[int]] = {}
    for row in chars:
        if parent[row] >= 0:
            alike.setdefault((parent[row], path[row]), []).append(row)
    return any(_are_cards(flat, cards, chars, links, total, known) for cards in alike.values())


def _are_cards(
    flat: FlatDom, rows: list[int], chars: dict[int, int], links: dict[int, int], total: int, known: Known
) -> bool:
    held = sum(chars[row] for row in rows)
    if len(rows) < LEAST or held < PART * total or sum(links[row] for row in rows) < LINKED * held:
        return False
    found = known.site.paths.get(flat.path[rows[0]])
    others = max(found.pages - known.own, 0) if found is not None else 0
    return others < USUAL * known.others and targets(flat, rows)[0] >= OWN_LINKS
