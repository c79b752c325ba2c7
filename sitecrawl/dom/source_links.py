"""Finds the links by which a reference leads from a member to its source code ("Source", "[src]", "Edit").

They stand at the end of the text about the member, and are no part of it. The address tells them from a text that
mentions a source: it names lines of a file, or a place where code is shown or edited. [OWN]
"""

import re
from itertools import islice
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, TEXT

MOST: Final = 20
"""Maximum characters of such a link. Own choice."""
ABOVE: Final = 6
"""Number of ancestors that may be the block around the link. Own choice."""
WORDS: Final = frozenset(("source", "src", "source code", "view source", "view code", "code", "edit", "edit source"))
"""Texts of such links, without brackets. Generators of references have them in English whatever the language."""
_BRACKETS: Final = " \t\r\n\xa0[](){}<>/|"
_CODE: Final = re.compile(
    r"#(?:l|line|line-)?\d+(?:-l?\d+)?$|(?:^|/)(?:_modules|src|blob|tree|edit)/[^#]*#.", re.IGNORECASE
)
"""Matches the address of lines of a file, and of a part of a page that shows code."""


def source_links(flat: FlatDom) -> list[int]:
    """Return the rows of the links to source code at the ends of blocks, the last one first.

    A block may end with several, with white space between them.
    """
    text, end, found = flat.text, flat.end, []
    tails: dict[int, int] = {}  # by block: its last text that belongs to no such link
    for row, target, _ in reversed(flat.anchors):
        if not 0 < flat.chars[row] <= MOST or "#" not in target or not _CODE.search(target):
            continue
        own = " ".join("".join(text[row : end[row]]).split())  # the text of an element is ""
        if own.strip(_BRACKETS).lower() not in WORDS:
            continue
        block = next((one for one in islice(flat.ancestors(row), ABOVE) if flat.tag[one] in BLOCK), -1)
        if block < 0:
            continue
        if block not in tails:
            tails[block] = _last_text(flat, block, end[block])
        if tails[block] < end[row]:
            found.append(row)
            tails[block] = _last_text(flat, block, row)
    return found


def _last_text(flat: FlatDom, block: int, stop: int) -> int:
    """Return the last row before `stop` with a text below a block; the block itself if it has none."""
    for row in range(stop - 1, block, -1):
        if flat.tag[row] == TEXT and flat.chars[row]:
            return row
    return block
