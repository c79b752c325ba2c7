"""Drops copyright lines before and after the text.

Their years and owners differ from page to page, so with a template each one looks like text of its page. Below a
heading about copyright or licence they are a section of the text, as in a manual page. Above a paragraph about the
licence they belong to a title page, as in a book. Pure in the page. [OWN]
"""

import re
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, PREFORMATTED

LINE: Final = 200
"""Maximum characters of such a line, without white space."""
SEEN: Final = 60
"""Characters within which the sign, the word and a year must be if the line begins with other words."""
LAST: Final = 3
"""Number of kept blocks at the end that may be such lines."""
FIRST: Final = 8
"""Number of kept blocks above the first paragraph that may be such lines. Own choice."""
PARAGRAPH: Final = 100
"""Minimum characters of the first paragraph, without white space. Own choice."""
SHARE: Final = 0.1
"""Maximum share of the kept characters in such lines for them to be dropped: a page about a licence has more."""
_LINE: Final = re.compile(
    r"\W{0,3}(?:©|copyright:?\s{0,3}(?:©|\(c\)|(?:19|20)\d\d)|\(c\)\s{0,3}(?:copyright|(?:19|20)\d\d)"
    r"|all rights reserved)"
    rf"|.{{1,{SEEN}}}?(?:©\s?copyright|copyright\s?(?:©|\(c\)))\s?(?:19|20)\d\d"
    r"|.{0,30}?(?:(?:转载|轉載).{0,12}(?:注明|註明)|(?:严禁|謝絕|谢绝|禁止|未经.{0,8})(?:转载|轉載)|(?:無断|禁)転載)",
    re.IGNORECASE,
)
"""Matches the beginning of a copyright line. The last alternative matches lines in which Chinese and Japanese pages
forbid copying, or ask to cite the source."""
LICENCE: Final = re.compile(
    r"licen[csz]|licença|lizen[zs]|лиценз|permission is|distributed under|许可|ライセンス", re.IGNORECASE
)
"""Matches words about a licence."""
_HEADING: Final = re.compile(rf"copyright|urheber|авторск|版权|著作権|{LICENCE.pattern}", re.IGNORECASE)
_NAMES: Final = HEADINGS | {"dt", "summary"}
_OTHERS: Final = _NAMES | PREFORMATTED | {"figcaption", "caption"}
"""Elements without such lines: the owner below a picture belongs to the picture."""


def without_copyright_lines(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without copyright lines; unchanged if too much of the text is in them."""
    order = list(compress(range(len(kept)), kept))
    lines = {block for block in order[-LAST:] if _is_line(flat, blocks, block)}
    lines.update(_above_text(flat, blocks, order))
    lines = {block for block in lines if not _is_in_section(flat, blocks, block)}
    if not lines or sum(map(blocks.chars.__getitem__, lines)) > SHARE * sum(compress(blocks.chars, kept)):
        return kept
    return [wanted and block not in lines for block, wanted in enumerate(kept)]


def _above_text(flat: FlatDom, blocks: Blocks, order: list[int]) -> list[int]:
    """Return the copyright lines above the first paragraph, except those directly above a text about the licence."""
    found: list[int] = []
    for block in order[: FIRST + 1]:
        if _is_line(flat, blocks, block):
            found.append(block)
        elif blocks.chars[block] >= PARAGRAPH:
            about = bool(found) and LICENCE.search(block_text(flat, blocks, found[-1] + 1)[: 2 * LINE]) is not None
            return [] if about else found
    return []


def _is_line(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a block is a copyright line."""
    if blocks.chars[block] > LINE or flat.tag[blocks.container[block]] in _OTHERS:
        return False
    return _LINE.match(block_text(flat, blocks, block)[: 2 * SEEN]) is not None


def _is_in_section(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether the text above a line, and above other such lines, is a heading about the copyright."""
    above = block - 1
    while above >= max(block - LAST, 0) and _is_line(flat, blocks, above):
        above -= 1
    if above < 0 or flat.tag[blocks.container[above]] not in _NAMES:
        return False
    return _HEADING.search(block_text(flat, blocks, above)) is not None
