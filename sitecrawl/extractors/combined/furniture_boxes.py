"""Drops boxes with the class names of furniture, on any page, without knowledge of its site.

The passes judge block by block, and sentences in these boxes look like content: readers' comments, side columns,
dialogs, tooltips, cookie banners, lines about a post, the box about its author, its licence, and a contact form. Their
names are the same on most sites. In a thread the answers are content, but boxes with the names of the head, the profile
or the signature of a post are not. Only whole names count: "main-with-sidebar" is not a side column. Pure in the page.
[OWN]
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below, outermost
from sitecrawl.dom.bounded_cache import BoundedCache
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.named_boxes import enough_left
from sitecrawl.extractors.combined.region import region_of

REST: Final = 0.3
"""Minimum share of the kept characters outside the boxes of a kind; with less, the page consists of them. The value is
that for related pages (`named_boxes`)."""
SURE: Final = 0.7
"""Comments and side columns of any length are dropped if the mean probability of the text beside them is at least this
value, and theirs is lower by `LESS`: "Enjoy these posts!" above a hundred comments. Own choice."""
LESS: Final = 0.15
"""Difference of the two means. Own choice."""
OWN, LISTED = 200, 0.4
"""Minimum characters of text beside side columns, and minimum share of the columns' characters in links, for columns of
any length to be dropped: archives and labels beside a short post. Own choice."""
BESIDE: Final = 100
"""Minimum characters beside boxes over the page, and beside customer reviews, for boxes of any length to be dropped.
Own choice."""
AMID: Final = 0.1
"""Minimum share of the other text before, and after, a box of comments for it to be a section of the text. Own
choice."""
EARLY, MOSTLY = 500, 0.5
"""Characters before the box, and share after it, that are enough too: a section near the beginning of a long manual.
Own choice."""
INSET, INSET_LINKS = 100, 0.2
"""Minimum mean characters of the blocks of an inset directly beside the paragraphs, and maximum share of its characters
in links, for it to be prose. Own choice."""
NAMED: Final[dict[str, str]] = {
    "comments": r"comments|comment-?(?:list|form)|comments-?(?:body|area|list|section|wrapper|container)|respond"
    r"|disqus-thread|reader-?comments|kommentare|comentarios|commentaires|commenti",
    "side": r"(?:(?:left|right|primary|secondary|main|page|site|blog)-?)?side-?bar"
    r"(?:-(?:left|right|first|second|\d{1,4}|inner|content|primary|secondary)\w{0,20})?|sub-?nav(?:igation)?"
    r"|(?:side|sub)-?col(?:umn)?s?|seitenleiste|barra-?lateral|zijbalk",
    "dialog": r"(?:[a-z]{1,20}-){0,2}(?:dialog|modal|pop-?up|lightbox)"
    r"(?:-(?:box|content|window|container|wrapper|dialog))?",
    "consent": r"(?:[a-z]{1,20}-){0,2}(?:(?:cookies?|gdpr|dsgvo|privacy)-?(?:consent|banner|bar|notice|notification"
    r"|pop-?up|modal|dialog|overlay|layer|law|message|warning|alert|disclaimer|hint)"
    r"|consent-?(?:sdk|banner|bar|box|dialog|layer|manager|modal|notice|overlay|pop-?up|prompt))"
    r"(?:-(?:box|content|window|container|wrapper|wrap|inner|text|body|dialog|modal|overlay)){0,3}",
    "tooltip": r"(?:(?!has|with|show|no|js|is)[a-z]{1,12}-|[a-z])?(?:tool-?tips?|popovers?)"
    r"(?:-{1,2}(?:content|text|box|inner|container|wrapper|body|bubble|visible|tooltip)){0,3}",
    "licence": r"(?:post|article|entry|page)-?(?:copyright|licen[cs](?:es?|ing))"
    r"(?:-(?:info|box|block|notice|wrap|wrapper|container|section)){0,3}|licen[cs](?:e|ing)-?box",
    "author": r"author-?(?:box|bio|info|card|description|profile|block|area|wrap)(?:-\w{1,20}){0,4}"
    r"|about-?(?:the-?)?author(?:-\w{1,20}){0,4}|bio-?box|(?:post|entry|article)-author(?:-(?:box|bio|info))?",
    "meta": r"(?:[a-z]{1,16}-{1,2}){0,2}(?:post|entry|article|blog)-{0,2}(?:meta(?:-?data)?|tags)|post-?info|byline"
    r"|posted-?(?:on|by)|submitted|date-?line"
    r"|(?:post|entry)-?footer|entry-?utility",
    "post": r"author|poster|(?:(?!has|with|show|no|is)[a-z]{1,20}-{1,2})?signature|user-?(?:info|profile)"
    r"|post-?(?:profile|author|head|header|foot|date|details)|(?:[a-z]{1,20}-)?post-?meta|topic-actions|pagination"
    r"|back-?(?:2|to)-?top",
    "changes": r"(?:[a-z]{1,16}-{1,2}){0,4}(?:change|update|revision)-history",
    "contact": r"contact|kontakt|contacto|contatto",
    "contents": r"toc|table-?of-?contents",
}
"""Patterns of whole class names by kind of box, with "-" for "_". The kind "post" counts in threads only, "contact"
only around a form; "contents" is used by `contents_lists`."""
BOXES: Final = BLOCK - {"html", "body"}
"""Elements that may be boxes: block elements, no inline elements."""
LINES: Final = frozenset(("meta", "post"))
"""Kinds that a paragraph may have; a `p` with the name of another kind is a remark of the author."""
TOPICS: Final = frozenset(("dialog", "consent", "tooltip"))
"""Kinds that a section of a manual may be about: its id is made of its heading, and text follows."""
APART: Final = frozenset(("consent", "tooltip"))
"""Kinds of boxes that are shown over the page, so that their length does not matter."""
LICENCE: Final = "licence"
NOTICE: Final = 500
"""Maximum characters of kept text in boxes about the licence of a post that are dropped if any other text is left: the
post may be a picture or a line. A longer box may be the text of a page about a licence. The value is that for the box
with the page's own URL (`own_address`)."""
FIELDS: Final = frozenset(("input", "textarea"))
HEADLINES: Final = frozenset(("h1", "main"))
"""Elements that are no part of furniture: a name around them may say that a cookie bar is shown
(`cookie-bar-visible`)."""

_LETTERS: Final = re.compile(r"\w+")
_KINDS: Final = re.compile("|".join(f"(?P<{kind}>(?:{pattern}))" for kind, pattern in NAMED.items()), re.IGNORECASE)


def _kind(word: str) -> str:
    """Return the kind of a single class name: a key of `NAMED`, or "" for none."""
    match = _KINDS.fullmatch(word.replace("_", "-"))
    return (match.lastgroup or "") if match is not None else ""


_WORD_KINDS: Final = BoundedCache(_kind)


def _box_kinds(names: str) -> frozenset[str]:
    """Return the kinds (keys of `NAMED`) of the class names of an element."""
    return frozenset(filter(None, map(_WORD_KINDS.__getitem__, names.split())))


_BOX_KINDS: Final = BoundedCache(_box_kinds)


def furniture_rows(flat: FlatDom) -> dict[str, list[int]]:
    """Return the rows of the boxes of each kind that a page has."""
    index, tag = vocabulary(flat).names, flat.tag
    box_names = [names for names in index if _BOX_KINDS[names]]
    found: dict[str, list[int]] = {}
    for row in rows_with(index, box_names, range(len(flat))):
        for kind in _BOX_KINDS[flat.names[row]] if tag[row] in BOXES else ():
            if kind in LINES or tag[row] != "p":
                found.setdefault(kind, []).append(row)
    return found


def without_furniture(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    named: Mapping[str, list[int]],
    *,
    thread: bool,
    chances: Sequence[float] = (),
) -> list[bool]:
    """Return which blocks are kept, without furniture boxes; `named` are the rows of these boxes (`furniture_rows`).

    `chances` are the probabilities of all blocks, given if the layout has decided; without them long comments and side
    columns of text stay.
    """
    found, others = kept, ("contents", "comments" if thread else "post")
    for kind, rows in named.items():
        if kind in others:
            continue
        boxes = outermost(flat, beside_headline(flat, rows) if kind in APART or kind == LICENCE else rows)
        if kind == "side":
            boxes = _aside(flat, blocks, found, boxes)
        elif kind == "comments":
            boxes = _below(flat, blocks, found, boxes)
        elif kind in TOPICS:
            sections = [row for row in boxes if _is_named_by_heading(flat, row)]
            boxes = sorted({*boxes} - {*sections} | {*_below(flat, blocks, found, sections)}) if sections else boxes
        elif kind == "contact":
            boxes = [row for row in boxes if _has_fields(flat, row)]
        sure = False
        if kind == "side":
            rest = outside(flat, blocks, found, boxes)
            sure = _are_lists(blocks, found, rest) or (bool(chances) and _are_below(blocks, found, rest, chances))
        elif kind == "comments" and chances:
            sure = _are_below(blocks, found, outside(flat, blocks, found, boxes), chances)
        elif kind in APART:
            sure = is_beside_text(blocks, outside(flat, blocks, found, boxes))
        elif kind == LICENCE:
            rest = outside(flat, blocks, found, boxes)
            sure = sum(compress(blocks.chars, found)) - sum(compress(blocks.chars, rest)) <= NOTICE
        found = without_rows(flat, blocks, found, boxes, 0.0 if sure else REST)
    return found


def _are_below(blocks: Blocks, kept: list[bool], rest: list[bool], chances: Sequence[float]) -> bool:
    """Return whether the remaining blocks are probably content, and the dropped blocks less probably (SURE, LESS)."""
    left = dropped = liked = disliked = 0.0
    for before, after, chars, chance in zip(kept, rest, blocks.chars, chances, strict=True):
        if after:
            left, liked = left + chars, liked + chars * chance
        elif before:
            dropped, disliked = dropped + chars, disliked + chars * chance
    return left > 0 < dropped and liked >= SURE * left and disliked / dropped <= liked / left - LESS


def _are_lists(blocks: Blocks, kept: list[bool], rest: list[bool]) -> bool:
    """Return whether the dropped blocks are lists of links, and enough text (OWN) is beside them."""
    chars = links = left = 0
    for before, after, count, linked in zip(kept, rest, blocks.chars, blocks.link_chars, strict=True):
        if after:
            left += count - linked
        elif before:
            chars, links = chars + count, links + linked
    return left >= OWN and links >= LISTED * chars


def is_beside_text(blocks: Blocks, rest: list[bool]) -> bool:
    """Return whether enough text (BESIDE) is left beside boxes of any length; with less, the page consists of them."""
    return sum(compress(blocks.chars, rest)) >= BESIDE


def beside_headline(flat: FlatDom, rows: Iterable[int]) -> list[int]:
    """Return the boxes that are not around a headline or the `main` element."""
    tags = vocabulary(flat).tags
    heads = sorted(row for tag in HEADLINES for row in tags.get(tag, ()))
    return [row for row in rows if bisect_left(heads, row) == bisect_left(heads, flat.end[row])]


def without_rows(flat: FlatDom, blocks: Blocks, kept: list[bool], rows: Iterable[int], least: float) -> list[bool]:
    """Return `kept` without those below `rows`; unchanged if not enough is left (`enough_left`)."""
    found = outside(flat, blocks, kept, rows)
    return found if found != kept and enough_left(blocks, kept, found, least) else kept


def outside(flat: FlatDom, blocks: Blocks, kept: list[bool], rows: Iterable[int]) -> list[bool]:
    """Return which blocks are kept, without those below `rows`."""
    found = list(kept)
    for row in outermost(flat, rows):
        begin, stop = blocks_below(flat, blocks, row)
        found[begin:stop] = [False] * (stop - begin)
    return found


def _aside(flat: FlatDom, blocks: Blocks, kept: list[bool], rows: list[int]) -> list[int]:
    """Return the side columns that are before or after all other kept text of their parent.

    A box between two texts, or in one of several sections, is an inset (in books: a sidebar) and stays. So does a box
    of prose directly beside the paragraphs.
    """
    rest = outside(flat, blocks, kept, rows)
    sums, region, found = [0, *accumulate(rest)], max(region_of(flat, blocks, rest), 0), []
    for row in rows:
        begin, stop = blocks_below(flat, blocks, row)
        first, end = blocks_below(flat, blocks, flat.parent[row])
        ends = sums[first] == sums[begin] or sums[stop] == sums[end]
        parent = flat.parent[row]
        among = region < parent < flat.end[region] or (parent == region and _is_prose(blocks, kept, begin, stop))
        if ends and not among:
            found.append(row)
    return found


def _is_prose(blocks: Blocks, kept: list[bool], begin: int, stop: int) -> bool:
    """Return whether the kept blocks in `begin:stop` are long and have few links."""
    chars = list(compress(blocks.chars[begin:stop], kept[begin:stop]))
    links = sum(compress(blocks.link_chars[begin:stop], kept[begin:stop]))
    return sum(chars) >= INSET * len(chars) and links < INSET_LINKS * sum(chars)


def _below(flat: FlatDom, blocks: Blocks, kept: list[bool], rows: list[int]) -> list[int]:
    """Return the boxes of comments, without sections of the text that have such a name.

    Text follows such a section: the manual of a programming language may have one about comments.
    """
    rest = outside(flat, blocks, kept, rows)
    sums = [0, *accumulate(chars if wanted else 0 for chars, wanted in zip(blocks.chars, rest, strict=True))]
    region, least, found = max(region_of(flat, blocks, rest), 0), AMID * sums[-1], []
    for row in rows:
        begin, stop = blocks_below(flat, blocks, row)
        before, after = sums[begin], sums[-1] - sums[stop]
        amid = (before >= least and after >= least) or (before >= EARLY and after >= MOSTLY * sums[-1])
        if not (amid and region <= flat.parent[row] < flat.end[region]):
            found.append(row)
    return found


def _is_named_by_heading(flat: FlatDom, row: int) -> bool:
    """Return whether an element begins with a heading, and has a name that is made of it: `kerning-format-dialog`."""
    first = row + 1
    if first >= flat.end[row] or flat.tag[first] not in HEADINGS or flat.chars[first] > NOTICE:
        return False
    words = "-".join(_LETTERS.findall("".join(flat.text[first : flat.end[first]]).lower()))
    return words in flat.names[row].lower().split()


def _has_fields(flat: FlatDom, row: int) -> bool:
    """Return whether a form with fields is below a row."""
    inside = flat.tag[row : flat.end[row]]
    return "form" in inside and not FIELDS.isdisjoint(inside)
