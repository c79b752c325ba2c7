"""Finds the permalinks of a page: links for copying the address of a heading (`¶`, `#`, "Permalink").

They are not part of the heading, nor of any text. Three similar links are kept: a mark that leads to a note (`*`), an
operator in the middle of a signature (`==`), and a heading that is a link to itself as a whole. [OWN]
"""

import re
from functools import lru_cache
from itertools import islice
from typing import Final
from urllib.parse import unquote

from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import MAX_NAMES, FlatDom
from sitecrawl.dom.labels import BLOCK, HEADINGS, TEXT

MOST: Final = 40
"""Maximum characters of a permalink. Own choice."""
ABOVE: Final = 3
"""Number of ancestors that may be the heading, or have the id of the link's target. Own choice."""
TITLES: Final = HEADINGS | {"dt", "summary", "legend", "caption", "figcaption", "th"}
"""Elements that count as headings."""
ANYWHERE: Final = frozenset("¶🔗⚓")
"""Signs of permalinks in any place."""
PLACED: Final = ANYWHERE | frozenset("#§∞")
"""Signs of permalinks inside their target element. Generators of references use them beside paragraphs too."""
NOTES: Final = frozenset("*†‡◊")
"""Signs of notes."""
_UNSEEN: Final = re.compile("[\u200b-\u200d\u2060\ufe0e\ufe0f\ufeff]")
"""Characters without width, and variation selectors."""
_WORDS: Final = re.compile(r"perma-?link.*|permanent link.*|(?:direct |copy )?link to .+", re.IGNORECASE)
"""Words of permalinks: Sphinx, Docusaurus and WordPress have them in English whatever the language of the page."""
_BACK: Final = re.compile(r"[\[(]?(?:toc|(?:back to )?(?:the )?(?:top|(?:table of )?contents))[\])]?", re.IGNORECASE)
"""Words of links that lead back from a heading, to the beginning of the page or to its table of contents."""
_IMAGES: Final = frozenset(("img", "image"))


def is_sign(text: str) -> bool:
    """Return whether a text is a sign: it has no letters and digits, and is not the sign of a note."""
    return not any(map(str.isalnum, text)) and not (text.split() and NOTES.issuperset("".join(text.split())))


@lru_cache(LIMIT)
def is_permalink_text(text: str) -> bool:
    """Return whether the text of a link in a heading is a sign, or the words of a permalink or of a link back."""
    return is_sign(text) or _WORDS.fullmatch(" ".join(text.split())) is not None or _is_back(text)


def _is_back(text: str) -> bool:
    """Return whether the text of a link in a heading leads back to the beginning or to the contents."""
    return _BACK.fullmatch(" ".join(text.split())) is not None


def permalinks(flat: FlatDom) -> list[int]:
    """Return the rows of the permalinks of a page in document order, or of the outermost elements with nothing else.

    A sign counts at the beginning or end of a heading, or beside one. Signs of `PLACED` count at the beginning or end
    of any block inside their target element, signs of `ANYWHERE` everywhere. The words of a permalink count in a
    heading where a sign of `PLACED` would, and words such as "top" at the end of a heading. Behind a permalink at the
    end there may be others.
    """
    text, end, chars, found = flat.text, flat.end, flat.chars, list[int]()
    for row, target, _ in reversed(flat.anchors):
        if "#" not in target or not 0 < chars[row] <= MOST:
            continue
        own = "".join(text[row : end[row]])  # the text of an element is ""
        fragment = target.partition("#")[2].strip() if is_permalink_text(own) else ""
        if fragment and _is_permalink(flat, row, target, fragment, own, found[-1] if found else -1):
            found.append(_whole(flat, row))
    return found[::-1]


def _is_permalink(flat: FlatDom, row: int, target: str, fragment: str, text: str, after: int) -> bool:
    """Return whether a link with a fragment and a sign or words of a permalink is one, by its place.

    `after` is the row of the next permalink, or -1.
    """
    above = list(islice(flat.ancestors(row), ABOVE))
    head = next((one for one in above if flat.tag[one] in TITLES), -1)
    if head >= 0 and flat.chars[head] == flat.chars[row]:  # the heading itself
        return False
    here = _has_address(flat, [row, *above], fragment)
    if _is_back(text):
        return head >= 0 and target.startswith("#") and TEXT not in flat.tag[flat.end[row] : flat.end[head]]
    if not is_sign(text):
        return here and head >= 0 and _is_outer(flat, head, row)
    signs = frozenset(_UNSEEN.sub("", "".join(text.split())))
    if signs and signs <= ANYWHERE:
        return True
    placed = signs <= PLACED
    if head >= 0 and (placed or flat.tag[head] in HEADINGS) and _is_outer(flat, head, row, after):
        return True
    return placed and ((here and _ends_block(flat, row)) or (target.startswith("#") and _beside_heading(flat, row)))


def _has_address(flat: FlatDom, rows: list[int], fragment: str) -> bool:
    """Return whether one of `rows` has the id of a link's target."""
    ids = {fragment[:MAX_NAMES], unquote(fragment)[:MAX_NAMES]}
    return any(not ids.isdisjoint(flat.names[row].split()) for row in rows)


def _ends_block(flat: FlatDom, row: int) -> bool:
    """Return whether a row begins or ends the block that contains it."""
    block = next((one for one in flat.ancestors(row) if flat.tag[one] in BLOCK), 0)
    return _is_outer(flat, block, row)


def _is_outer(flat: FlatDom, above: int, row: int, after: int = -1) -> bool:
    """Return whether a row has the first or the last text below another row, but for a permalink `after` it."""
    tag, stop = flat.tag, flat.end[above]
    if row < after < stop and TEXT not in tag[flat.end[after] : stop]:
        stop = after
    return TEXT not in tag[above:row] or TEXT not in tag[flat.end[row] : stop]


def _beside_heading(flat: FlatDom, row: int) -> bool:
    """Return whether the element after or before a row is a heading."""
    parent = flat.parent[row]
    after = flat.end[row]
    if after < flat.end[parent] and flat.tag[after] in HEADINGS:
        return True
    before = row - 1  # the last row of the previous element
    while before > parent and flat.parent[before] != parent:
        before = flat.parent[before]
    return before > parent and flat.tag[before] in HEADINGS


def _whole(flat: FlatDom, row: int) -> int:
    """Return the outermost element with no other text than a permalink, and without image and heading."""
    chars = flat.chars[row]
    while (above := flat.parent[row]) > 0 and flat.chars[above] == chars and flat.tag[above] not in TITLES:
        if not _IMAGES.isdisjoint(flat.tag[above : flat.end[above]]) or flat.tag[above] == "body":
            break
        row = above
    return row
