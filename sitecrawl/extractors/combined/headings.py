"""Keeps headings with their text: a heading is kept if its text is, and the headline follows its layout.

Headings alone are no content: if nothing else is kept, the threshold was chosen for them, and it is chosen again for
the other blocks.

A heading such as "Parameters" or "Description" is on nearly all pages of a site, so the passes drop it, and keep the
text below it alone. A headline above the content region is the title of the page, which extraction returns separately.
Inside the region it is part of the text: on all pages of a layout, if it is kept on enough of them. Pure in (page,
decision). [OWN]
"""

import re
from bisect import bisect_left
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, SECTION_HEADINGS
from sitecrawl.extractors.combined.choice import kept_from
from sitecrawl.extractors.combined.field_tables import widened
from sitecrawl.extractors.combined.furniture_names import Furniture, furniture_beside
from sitecrawl.extractors.combined.layout_rules import belongs_to, only_headline, usual_region
from sitecrawl.extractors.combined.region import WHOLE, Known, region_of
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

NAMES: Final = SECTION_HEADINGS | {"dt"}
"""Elements that are headings of the following text."""
KEPT_HEADLINES: Final = 0.4
"""Minimum share of the pages of a layout with a kept headline, judged alone, for which all others keep it too. Chosen
on all recorded sites: on nine of 114 some pages keep it and others do not."""
LEVELS: Final = 3
"""Number of ancestors of a heading that may be its card. Own choice."""
SITE_HEADING: Final = 0.5
"""Share of the other pages from which a heading above kept text is no title of a card. Titles of posts stand on the
front page, in archives and in lists of recent posts too. Own choice."""
TITLE: Final = 120
"""Maximum characters of the title of a box without the tag of a heading. Own choice."""
TITLED: Final = 2
"""Number of elements around the title of a box that may have its class name. Own choice."""
_TITLE: Final = re.compile(
    r"(?:alert|callout|notice|note|card|panel|admonition|message|box|accordion)[_-]+(?:title|heading|header)(?:\s|$)"
)
"""Matches class names of the title of a box: `alert__header`, `callout-title`."""
_LETTERS: Final = re.compile(r"[^\W_]+")
HEADLINES: Final = 200
"""Maximum characters of kept headings that are not content if nothing else is kept. Own choice."""


def with_headings(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, including dropped headings directly above a kept block inside the region.

    The same holds for the term of a `dl` directly above a kept description, and for a heading above such a heading, but
    not for headings inside elements with the name of furniture (`_is_furniture`). Must not be called for threads, whose
    headings are the subjects of the posts.
    """
    tag, container = flat.tag, blocks.container
    found, region, stop, furniture = kept, -1, 0, None
    for block in range(len(blocks) - 2, -1, -1):
        row = container[block]
        if found[block] or not found[block + 1] or not (tag[row] in NAMES or _is_title(flat, blocks, block)):
            continue
        if tag[row] == "dt":
            if flat.parent[row] <= container[block + 1] < flat.end[flat.parent[row]]:
                found = list(kept) if found is kept else found
                found[block] = True
            continue
        if furniture is None:
            region = region_of(flat, blocks, kept)
            stop = bisect_left(blocks.first, flat.end[region])
            furniture, found = furniture_beside(flat, blocks, kept, region), list(found)
        inside = region <= blocks.first[block] and block + 1 < stop
        if inside and not (furniture[row] and _is_furniture(flat, blocks, block, furniture)):
            found[block] = True
    return found


def _is_furniture(flat: FlatDom, blocks: Blocks, block: int, furniture: Furniture) -> bool:
    """Return whether a heading is in an element with the name of furniture, apart from ids that are made of its text.

    Generators make such ids: the section "Comments" of a manual has the id `comments`, as its heading or around it.
    """
    row, text = blocks.container[block], block_text(flat, blocks, block)
    own = re.compile("-".join(_LETTERS.findall(text[:TITLE].lower())) + r"(?:-\d{1,3})?")
    while furniture[row] and blocks_below(flat, blocks, row)[0] == block:
        names = " ".join(one for one in flat.names[row].split() if own.fullmatch(one.lower()) is None)
        if furniture.is_named(flat.tag[row], names):
            return True
        row = flat.parent[row]
    return furniture[row]


def _is_title(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether class names mark a block as the title of the box that contains it and the next block."""
    row = blocks.container[block]
    if blocks.chars[block] > TITLE or blocks.link_chars[block]:
        return False
    for _ in range(TITLED):
        if _TITLE.search(flat.names[row]) and blocks_below(flat, blocks, row) == (block, block + 1):
            box = flat.parent[row]
            return box > 0 and blocks_below(flat, blocks, box)[0] == block and blocks.first[block + 1] < flat.end[box]
        row = flat.parent[row]
    return False


def with_card_titles(flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known | None) -> list[bool]:
    """Return which blocks of a listing are kept, including the headings of cards with other kept text.

    A card is the smallest element around a heading that has kept text behind it, and no other heading of its level. An
    `h1` is the heading of a card if it is a link, and not the only one. Headings that are named as furniture in a card
    that is not, such as the author's name, stay dropped.
    """
    levels = [flat.tag[row] if flat.tag[row] in HEADINGS else "" for row in blocks.container]
    names = SECTION_HEADINGS if levels.count("h1") <= 1 else HEADINGS
    found, furniture = kept, None
    for block, name in enumerate(levels):
        if kept[block] or name not in names or (name == "h1" and not blocks.link_chars[block]):
            continue
        card = _card_of(flat, blocks, kept, levels, block)
        if card <= 0:
            continue
        if furniture is None:
            furniture = furniture_beside(flat, blocks, kept, region_of(flat, blocks, kept))
        if furniture[blocks.container[block]] and not furniture[card]:
            continue
        if known is None or known.share(flat, blocks, block) < SITE_HEADING:
            found = list(kept) if found is kept else found
            found[block] = True
    return found


def _card_of(flat: FlatDom, blocks: Blocks, kept: list[bool], levels: list[str], block: int) -> int:
    """Return the row of the card of a heading; 0 if it has no card with kept text behind the heading.

    `levels` are the tags of the blocks, empty for those that are no headings.
    """
    card = blocks.container[block]
    for _ in range(LEVELS):
        card = flat.parent[card]
        begin, stop = blocks_below(flat, blocks, card)
        if flat.parent[card] <= 0 or levels[begin:stop].count(levels[block]) > 1:
            return 0
        if True in kept[block + 1 : stop]:
            return card
    return 0


def beside_headings(flat: FlatDom, blocks: Blocks, kept: list[bool], chances: list[float]) -> list[bool]:
    """Return which blocks are kept; if only headings are, add other blocks from a threshold chosen for those.

    `chances` are the probabilities of all blocks.
    """
    tag = flat.tag
    if True not in kept or not all(tag[row] in HEADINGS for row in compress(blocks.container, kept)):
        return kept
    if sum(compress(blocks.chars, kept)) > HEADLINES:
        return kept  # a table of contents made of headings
    others = [0.0 if tag[row] in HEADINGS else chance for row, chance in zip(blocks.container, chances, strict=True)]
    limit = kept_from(blocks.chars, others)
    return [wanted or chance >= limit for wanted, chance in zip(kept, others, strict=True)]


def with_headline_of_layout(flat: FlatDom, blocks: Blocks, kept: list[bool], decision: LayoutDecision) -> list[bool]:
    """Return which blocks are kept when the only `h1` of a page follows its layout.

    It is dropped if it does not belong to the region of the other blocks, and is not in the smallest element around
    them. If it does belong there, a dropped `h1` is kept if enough pages of the layout kept theirs; otherwise only some
    feed rows of a site would begin with the headline. One page is enough for an `h1` right above a kept paragraph
    beside it, and for one in a box of its own in a reference: there it is the name of a member, and belongs to the
    element around the region too. The region of the layout is used if it is around that of the page.
    """
    headline = only_headline(flat, blocks)
    if headline < 0:
        return kept
    kind, row = decision.kind, blocks.container[headline]
    share = decision.verdicts.get(flat.path[row], (0.0, 0.0))[1]
    above = kind is not LayoutKind.THREAD and _is_right_above(flat, blocks, kept, headline)
    if (kept[headline] and above) or (not kept[headline] and (kind is LayoutKind.THREAD or not share)):
        return kept
    found = list(kept)
    found[headline] = False
    if True not in found:
        return kept
    region = usual_region(flat, region_of(flat, blocks, found), decision)
    boxed = kind is LayoutKind.REFERENCE and not flat.parent[row] <= region < flat.end[flat.parent[row]]
    if kept[headline] or above or boxed or share >= KEPT_HEADLINES:
        region = widened(flat, region) if boxed else region
        belongs = above or belongs_to(flat, blocks, headline, region)
        found[headline] = belongs or _is_among(flat, blocks, found, headline)
    return found


def _is_right_above(flat: FlatDom, blocks: Blocks, kept: list[bool], headline: int) -> bool:
    """Return whether the next block after a headline is a kept one beside it, and no heading."""
    below = headline + 1
    if below >= len(kept) or not kept[below]:
        return False
    row = blocks.container[below]
    return flat.tag[row] not in HEADINGS and flat.parent[row] == flat.parent[blocks.container[headline]]


def _is_among(flat: FlatDom, blocks: Blocks, kept: list[bool], headline: int) -> bool:
    """Return whether a headline is in the smallest element around all kept blocks, unless that is in `WHOLE`."""
    begin, end = blocks.first[kept.index(True)], blocks.first[len(kept) - 1 - kept[::-1].index(True)]
    row = next((row for row in flat.ancestors(begin) if end < flat.end[row]), 0)
    return flat.tag[row] not in WHOLE and row <= blocks.first[headline] < flat.end[row]
