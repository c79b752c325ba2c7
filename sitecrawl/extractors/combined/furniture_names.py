"""Class names of furniture around a block: navigation, comments, share bars, side columns, tables of contents.

A name counts if one of its words is in the table. The names `widget`, `tab` and `panel` do not count on a page if half
of its kept text is inside elements with them: some systems use them for each piece of a text, and shops for a product.
[OWN]
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, partial
from itertools import accumulate, compress
from typing import Final, TypeAlias

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.bounded_cache import BoundedCache
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.line_numbers import numbers_lines
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.class_hints import COMMENT, NAME_MARKS, OWN_MARKS, TAG_MARKS, is_thread

Mark: TypeAlias = tuple[int, str]
"""A category of furniture, and the class name that matched, cut after the word; "" if the tag matched."""
USUAL: Final = 0.5
"""Minimum share of the kept characters inside elements with an unsure name for which the name is ignored. Own
choice."""
FURNITURE: Final = frozenset(
    number
    for number, name in enumerate((*(tags[0] for tags in TAG_MARKS), *(f"*{name}" for name in NAME_MARKS)))
    if name
    in (
        *("nav", "footer", "aside", "form", "button"),
        *("*comment", "*navigation", "*contents", "*footer", "*side", "*related", "*share", "*author", "*ad"),
        *("*unseen", "*action", "*language"),
    )
)
"""Categories of elements that are not content inside a region: by tag, and with a star by name."""
_UNSURE: Final = re.compile(r"collapse|panel|tabs?|widget")
"""Words that may also be names of pieces of the text; all others, such as `menu` and `sidebar`, always count."""

_BEFORE: Final = "bread|content|learn|left|load|main|mega|page|post|read|right|see|site|sub|text|top|user"
"""Words to which names of furniture are often joined: "breadcrumbs", "submenu", "seealso"."""
_WORDS: Final[dict[int, re.Pattern[str]]] = {
    mark: re.compile(rf"(?<![^\W\d_])(?:{_BEFORE})?(?:{pattern})")
    for mark, pattern in enumerate(NAME_MARKS.values(), len(TAG_MARKS))
    if mark in FURNITURE
}
"""Patterns of names of furniture, at the beginning of a word: "transaction" does not match action."""
_OTHER_WORDS: Final = re.compile(
    r"(?<![^\W\d_])(?:authori[stz]\w{0,20}|editions?|editors?|editorials?|football|formal\w{0,20}|format(?:s|ted|ting)?"
    r"|(?:align|border|margin|padding|text)-bottom|bottom-align|formula\w{0,20}|former|naval|navy|printf|print(?:ers?|ing)|relational|relative|shareholders?|toolkits?"
    r"|(?:hide|in|no|not-in|omit|skip)-?toc|toc-(?:exclude|hide|ignore|include|skip)d?)(?![^\W\d_])"
)
"""Other words that begin like names of furniture."""
_CAMEL: Final = re.compile(r"([a-z])([A-Z])")


def _furniture_marks(element: tuple[str, str]) -> frozenset[Mark]:
    """Return the furniture marks of an element, given as (tag, names)."""
    tag, names = element
    own = FURNITURE.intersection(OWN_MARKS[tag, ""])
    possible, found = FURNITURE.intersection(OWN_MARKS[tag, names]) - own, {(mark, "") for mark in own}
    if possible:
        words = _OTHER_WORDS.sub("", _CAMEL.sub(r"\1-\2", names).replace("_", "-").lower()).split()
        matches = ((mark, word, _WORDS[mark].search(word)) for mark in possible for word in words)
        found.update((mark, word[: match.end()]) for mark, word, match in matches if match)
    return frozenset(found)


_FURNITURE_MARKS: Final = BoundedCache(_furniture_marks)


class Furniture(dict[int, bool]):
    """Decides whether a row, or an element between it and the region, has the name of furniture.

    Elements around the region are not furniture, whatever their names (`content-sidebar-wrap`). `marks` are the
    categories that count. `usual` returns the unsure marks that are ignored on this page; it is called only if needed.
    If it is None, all are.
    """

    def __init__(
        self,
        flat: FlatDom,
        region: int,
        marks: frozenset[int] = FURNITURE,
        usual: Callable[[], frozenset[Mark]] | None = frozenset,
    ) -> None:
        super().__init__(dict.fromkeys((region, *flat.ancestors(region)), False))
        self.flat = flat
        self.marks = marks - {COMMENT} if is_thread(flat.tag, flat.names) else marks
        self.usual = usual

    def __missing__(self, row: int) -> bool:
        flat, passed = self.flat, []
        while row not in self and row > 0:
            passed.append(row)
            row = flat.parent[row]
        named = self.get(row, False)
        for one in reversed(passed):
            named = named or self.is_named(flat.tag[one], flat.names[one])
            self[one] = named
        return named

    def is_named(self, tag: str, names: str) -> bool:
        """Return whether an element has the tag or name of furniture."""
        found = [one for one in _FURNITURE_MARKS[tag, names] if one[0] in self.marks]
        if found and all(_UNSURE.search(name) for _, name in found):
            found = [one for one in found if one not in self.usual()] if self.usual is not None else []
        return bool(found) or numbers_lines(names)


def furniture_beside(
    flat: FlatDom, blocks: Blocks, kept: list[bool], region: int, marks: frozenset[int] = FURNITURE
) -> Furniture:
    """Return the `Furniture` that decides on rows beside the kept text of a region."""
    return Furniture(flat, region, marks, cache(partial(_usual, flat, blocks, kept, region)))


def _usual(flat: FlatDom, blocks: Blocks, kept: list[bool], region: int) -> frozenset[Mark]:
    """Return the unsure marks whose elements together contain the share `USUAL` of a region's kept characters."""
    names = vocabulary(flat).names
    unsure = [one for one in names if _UNSURE.search(one.lower())]
    texts = sorted(compress(zip(blocks.container, blocks.chars, strict=True), kept))
    containers, sums = [row for row, _ in texts], [0, *accumulate(chars for _, chars in texts)]
    held: dict[Mark, int] = {}
    ends: dict[Mark, int] = {}  # the end of the last element with a mark: nested elements are not counted again
    for row in rows_with(names, unsure, range(region + 1, flat.end[region])):
        chars = sums[bisect_left(containers, flat.end[row])] - sums[bisect_left(containers, row)]
        for mark in _FURNITURE_MARKS[flat.tag[row], flat.names[row]]:
            if row >= ends.get(mark, 0) and _UNSURE.search(mark[1]):
                held[mark], ends[mark] = held.get(mark, 0) + chars, flat.end[row]
    begin, stop = blocks_below(flat, blocks, region)
    total = sum(compress(blocks.chars[begin:stop], kept[begin:stop]))
    return frozenset(mark for mark, chars in held.items() if chars >= USUAL * total)
