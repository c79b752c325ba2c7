"""Drops the box about citing the page, with its own URL: "Link to this article: https://...".

A line at the beginning that is the name of the page in its URL is dropped too.

Blog themes put title, author, URL and licence into this box. It is recognised, without class names, by the page's own
URL and, beside it, the title or a word about the licence. Of 98 pages in recorded sites and page sets that show their
own URL, it is main content on three: announcements of an event, without such words. Pure in the page. [OWN]
"""

import re
from bisect import bisect_right
from itertools import compress, islice
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.furniture_boxes import REST, without_rows

LABEL: Final = 60
"""Maximum characters beside the URL in its block: within a sentence it is text. Own choice."""
LINE: Final = 150
"""Maximum characters of every block in the box. Own choice: notes on the licence have up to 120."""
BOX: Final = 500
"""Maximum characters of the box. Own choice."""
BLOCKS: Final = 30
"""Maximum blocks of the box. Own choice."""
ABOVE: Final = 3
"""Number of ancestors of the URL that may be the box. Own choice."""
NAME_LINES: Final = 3
"""Number of kept blocks at the beginning that may be the name of the page in its URL. Own choice."""
_RIGHTS: Final = re.compile(
    r"©|copyright|licen[cs]|lizen[zs]|licencia|licenza|licença|лиценз|creative ?commons|\bCC[- ]BY"
    r"|版权|版權|著作|转载|轉載|ライセンス|저작권|라이선스",
    re.IGNORECASE,
)
"""Matches words about copyright and licences."""
_TITLE: Final = 4
"""Minimum characters of a block that is the title of the page, or a part of it."""
_SCHEME: Final = re.compile(r"(?:https?://)?(?:www\.)?$")
_PLACES: Final = frozenset(("html", "body", "main", "article"))
_PATH: Final = frozenset("/#?&=.%-_+~")
"""Characters after the URL with which it would be a longer URL, of another page."""


def without_own_address(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without the box with the page's own URL; unchanged if nothing is left.

    The start page is left unchanged: its URL is the name of the site.
    """
    flat, parts = page.flat, urlsplit(page.url)
    kept = _without_own_name(flat, blocks, kept, parts)
    host, path = parts.netloc.removeprefix("www."), unquote(parts.path).rstrip("/")
    if not host or not path or host not in (whole := "".join(flat.text)):
        return kept
    own = host + path + (f"?{unquote(parts.query)}" if parts.query else "")
    if own not in unquote(whole):
        return kept
    rows = [row for row, text in enumerate(flat.text) if host in text and flat.tag[row] == TEXT]
    found = {bisect_right(blocks.first, row) - 1 for row in rows if blocks.first[0] <= row}
    boxes = {_box(flat, blocks, block) for block in found if _is_line(block_text(flat, blocks, block), own)}
    boxes = {box for box in boxes if _cites(flat, blocks, box, page.title or "")}
    return without_rows(flat, blocks, kept, boxes, REST) if boxes else kept


def _without_own_name(flat: FlatDom, blocks: Blocks, kept: list[bool], parts: SplitResult) -> list[bool]:
    """Return which blocks are kept, without a line that is the name of the page in its URL, such as "harbour:mole".

    Wikis show it above the headline. It must have several parts.
    """
    chosen = list(compress(range(len(kept)), kept))
    values = (unquote(pair.partition("=")[2]) for pair in parts.query.split("&"))
    names = {"/" + name.strip("/").replace(":", "/").lower() for name in (unquote(parts.path), *values)}
    for block in chosen[:-1][:NAME_LINES]:
        if blocks.words[block] != 1 or flat.tag[blocks.container[block]] in HEADINGS:
            continue
        text = block_text(flat, blocks, block).strip(": /").replace(":", "/").lower()
        if "/" in text and any(name.endswith("/" + text) for name in names):
            return [wanted and other != block for other, wanted in enumerate(kept)]
    return kept


def _cites(flat: FlatDom, blocks: Blocks, box: int, title: str) -> bool:
    """Return whether a box has the title of the page, or a word about its licence."""
    for block in range(*blocks_below(flat, blocks, box)):
        text = block_text(flat, blocks, block)
        named = re.split(r"[:：]\s*", text, maxsplit=1)[-1].strip()
        if _RIGHTS.search(text) or (len(named) >= _TITLE and named in title):
            return True
    return False


def _is_line(text: str, own: str) -> bool:
    """Return whether a text is the URL `own` with a few words beside it."""
    before, found, after = unquote(text).partition(own)
    label, rest = _SCHEME.sub("", before), after.removeprefix("/")
    return bool(found) and len(label) + len(rest) <= LABEL and not (rest[:1].isalnum() or rest[:1] in _PATH)


def _box(flat: FlatDom, blocks: Blocks, block: int) -> int:
    """Return the outermost element around a URL that contains only short lines."""
    box = blocks.container[block]
    for row in islice(flat.ancestors(box), ABOVE):
        begin, stop = blocks_below(flat, blocks, row)
        if flat.tag[row] in _PLACES or stop - begin > BLOCKS:
            break
        chars = blocks.chars[begin:stop]
        if max(chars) > LINE or sum(chars) > BOX:
            break
        box = row
    return box
