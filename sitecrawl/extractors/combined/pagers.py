"""Drops links to the neighbours of a page: next and previous message, article or chapter.

They are directly before or after the text; in archives of mailing lists they are four or five links with the titles of
the other pages, which look like text. They are recognised by the first word of each link. Pure in the page. [OWN]
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, partial
from itertools import islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.furniture_boxes import without_rows
from sitecrawl.extractors.combined.table_cells import headed_tables

LABEL: Final = 25
"""Maximum characters beside the link in such a line: a label, and the name of a poster."""
LIST: Final = 2
"""Number of such lines in a list from which the whole list is dropped."""
LINKED: Final = 0.4
"""Minimum share of an element's characters in links for it to be the list around such lines. Own choice."""
LEVELS: Final = 6
"""Maximum elements between such a line and its list."""
REST: Final = 0.1
"""Minimum share of the kept characters that must remain: a short message may have long titles around it."""
SEEN: Final = 60
"""Characters of a block that are examined."""

_THING: Final = (
    r"messages?|posts?|articles?|pages?|entry|topic|thread|chapter|section|story|in thread|by thread|lesson|unit|part"
    r"|step|exercise|issue|episode|day|week|slide|photo|image|picture|item|product|project|event|video"
)
_AFTER: Final = (
    r"beitrag|artikel|seite|nachricht|kapitel|article|page|message|billet|entrada|artículo|página|mensaje|artigo|post"
    r"|messaggio|articolo|pagina"
)
_WORDS: Final = (
    rf"(?:next|prev(?:ious|iew)?|newer|older)(?: (?:{_THING}))?|in reply to|(?:maybe )?reply|messages sorted by"
    rf"|(?:nächste[rs]?|vorherige[rs]?)(?: (?:{_AFTER}))?|(?:(?:{_AFTER}) )?(?:suivante?|précédente?)"
    rf"|(?:(?:{_AFTER}) )?(?:siguiente|anterior|próxim[oa]|seguinte|successiv[oa]|precedente)"
    r"|следующ\w{2,3}|предыдущ\w{2,3}|poprzedni\w{0,3}|następn\w{0,3}|önceki|sonraki|volgende|vorige"
    r"|[上下]一?[篇页頁章节節则則]|前へ|次へ|前の記事|次の記事|이전 ?글?|다음 ?글?"
)
_ARROWS: Final = frozenset("«‹←»›→")
_LETTERS: Final = "ne|pr|ol|in|ma|re|me|nä|vo|be|ar|se|na|ka|pa|bi|en|pá|po|su|si|an|сл|пр|ön|so|[上下前次이다]"
"""First letters of the words, for a quick test: most lines begin with others."""
_PAGER: Final = re.compile(
    rf"[\s«‹<←|(\[–—-]{{0,9}}(?={_LETTERS})(?:{_WORDS})(?:\s{{0,3}}(?:[:：»›>→|()\[\]]|$)|\s[–—-](?:\s|$))"
    rf"|[‹←]\s?(?={_LETTERS})(?:{_WORDS})(?!\w)"
)
"""Matches the beginning of such a line in lower case: a label followed by a mark, or after an arrow. Hand-made pages
have labels in brackets."""
_INACTIVE: Final = re.compile(rf"[«‹←]\s?(?={_LETTERS})(?:{_WORDS})(?:\s?[»›→])?|(?={_LETTERS})(?:{_WORDS})\s?[»›→]")
"""Matches a label with an arrow in lower case. It is no link on the first or the last page."""
_ARROW: Final = re.compile(r"\W*$|[‹←]\s{0,3}\w|«\s{0,3}\w[^»]*$")
"""Matches a link without any letter, and one with an arrow back."""
_UP: Final = (
    "up|back|zurück|hoch|nach oben|retour|volver|voltar|indietro|назад|вверх|戻る|上へ|上|前|次|返回|위로|이전|다음"
)
_PLACES: Final = (
    rf"{_UP}|(?:return|back) to (?:the )?(?:main |table of )?(?:contents|index)"
    r"|home|contents|table of contents|index|toc|next|prev|previous|first|last|search|help|inhalt|startseite"
    r"|weiter|vor|sommaire|accueil|suivant|précédent|índice|inicio|siguiente|anterior|indice|inhoud|vorige|volgende|содержание"
    r"|目次|索引|前へ|次へ|首页|目录|上一页|下一页|목차"
)
_PLACE_LINE: Final = re.compile(rf"\W{{0,9}}(?:(?:{_UP})|(?:{_PLACES})(?:\W{{1,9}}(?:{_PLACES})){{1,9}})\W{{0,9}}")
"""Matches a line of nothing but places of a book, in small letters: "Up", or two or more: "— Prev — Contents —"."""
_ITEMS: Final = frozenset(("li", "p", "td", "tr", "tbody", "dd", "dt", "div"))
_LISTS: Final = frozenset(("ul", "ol", "dl", "table", "nav", *_ITEMS))


def without_pagers(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without lines of links to neighbour pages and the lists of these."""
    headed = cache(partial(headed_tables, flat))
    lines = [
        block
        for block, (wanted, chars, linked) in enumerate(zip(kept, blocks.chars, blocks.link_chars, strict=True))
        if wanted
        and (2 * linked >= chars or chars - linked <= LABEL)
        and (linked or not _ARROWS.isdisjoint(flat.text[blocks.first[block]]))
        and _is_pager(flat, blocks, block, headed)
    ]
    if not lines:
        return kept
    rows, found = set[int](), list(kept)
    for block in lines:
        found[block] = False
        around = _list_around(flat, blocks.container[block])
        begin, stop = blocks_below(flat, blocks, around)
        if bisect_left(lines, stop) - bisect_left(lines, begin) >= LIST:
            rows.add(around)
    return without_rows(flat, blocks, found, rows, REST) if True in found else kept


def _is_pager(flat: FlatDom, blocks: Blocks, block: int, headed: Callable[[], frozenset[int]]) -> bool:
    """Return whether a block begins as a link to a neighbour page, or is a link that is or begins with an arrow.

    A block without a link is a label with an arrow. A sign in a table with a row of headers says that something has a
    property, and is no arrow; `headed` returns these tables.
    """
    text = block_text(flat, blocks, block)[:SEEN]
    small = text.lower()
    if not blocks.link_chars[block]:
        return _INACTIVE.fullmatch(small) is not None
    if _PAGER.match(small) or (len(text) < SEEN and _PLACE_LINE.fullmatch(small)):
        return True
    sign = not any(map(str.isalnum, text))
    if not sign and blocks.link_chars[block] != blocks.chars[block]:
        return False
    if _ARROW.match(text) is None:
        return False
    above = islice(flat.ancestors(blocks.container[block]), LEVELS) if sign else ()
    return next((one for one in above if flat.tag[one] == "table"), -1) not in headed()


def _list_around(flat: FlatDom, row: int) -> int:
    """Return the list of links around a line: the outermost ancestor up to LEVELS that is mainly links."""
    for _ in range(LEVELS):
        above = flat.parent[row] if flat.tag[row] in _ITEMS else 0
        if above <= 0 or flat.tag[above] not in _LISTS or flat.link_chars[above] <= LINKED * flat.chars[above]:
            break
        row = above
    return row
