"""Drops notices inside the text: who posted a page and when, and boxes of sponsors that say that they are ones.

The words by which a notice begins tell it from the text, on sites whose names tell nothing. Pure in the page. [OWN]
"""

import re
from bisect import bisect_left
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors.combined.furniture_boxes import REST, without_rows

LINE: Final = 250
"""Maximum characters of a line about a post."""
HEAD: Final = 80
"""Maximum characters of the heading of a sponsor's box, and of a notice without one."""
SEEN: Final = 60
"""Characters of a block that are read."""

COUNT: Final = 40
"""Maximum characters of a line that leads to the comments. Own choice."""
_COMMENTS: Final = re.compile(r"#(?:comments?|respond|reply|disqus_thread|leave-?comments?)$", re.IGNORECASE)
"""Matches the address of the comments of a page."""
_POSTED: Final = re.compile(
    r"\W{0,9}(?:this entry was (?:posted|written)|posted (?:on|by|in|at)|filed (?:under|in)|published (?:on|by)"
    r"|written by|last (?:modified|updated)|opened|(?:zuletzt )?(?:geändert|aktualisiert) am|veröffentlicht (?:am|in)"
    r"|veröffentlicht von|geschrieben von|publicado (?:el|por|en)|publié (?:le|par|dans)|pubblicato (?:il|da|in)"
    r"|opublikowan[ey]|автор статьи|опубликовано|последнее (?:изменение|обновление)"
    r"|última (?:modificación|actualización|atualização|modificação)|dernière (?:modification|mise à jour)"
    r"|ultim[ao] (?:modifica|aggiornamento)|laatst (?:bijgewerkt|gewijzigd)|senast (?:ändrad|uppdaterad)"
    r"|sist (?:endret|oppdatert)|sidst (?:ændret|opdateret)|ostatnia (?:aktualizacja|modyfikacja)"
    r"|poslední (?:úprava|změna|aktualizace)|son güncelleme|viimeksi (?:muokattu|päivitetty)"
    r"|utolsó (?:módosítás|frissítés)|최종 (?:수정|업데이트)|마지막 (?:수정|업데이트))(?!\w).{0,60}?(?:\d|:)",
    re.IGNORECASE,
)
_ENTRY: Final = re.compile(r"\W{0,9}this entry was", re.IGNORECASE)
"""The notice that is a sentence. Any other sentence is text: "Opened in 1932, the bridge carries trains and trams."."""
_SPONSORED: Final = re.compile(
    r"\W{0,9}(?:(?:(?:this \w{1,20}(?: \w{1,20})? is )?(?:also )?(?:sponsored by|brought to you by)"
    r"|gesponsert von|patrocinado por|sponsorisé par|sponsorizzato da)(?!\w)"
    r"|(?:advertise?ment|anzeige|werbung|publicidad|publicité|pubblicità|реклама)\W{0,9}$)",
    re.IGNORECASE,
)
_FIRST: Final = frozenset((
    "", "this", "posted", "filed", "published", "written", "last", "opened", "zuletzt", "geändert", "aktualisiert",
    "veröffentlicht", "geschrieben", "publicado", "publié", "pubblicato", "opublikowany", "opublikowane", "автор",
    "опубликовано", "последнее", "última", "dernière", "ultima", "ultimo", "laatst", "senast", "sist", "sidst",
    "ostatnia", "poslední", "son", "viimeksi", "utolsó", "최종", "마지막", "also", "sponsored", "brought",
    "advertisement", "advertisment", "gesponsert", "anzeige", "werbung", "patrocinado", "publicidad", "publicité",
    "sponsorisé", "sponsorizzato", "pubblicità", "реклама",
))  # fmt: skip
"""First words of notices; "" for marks."""
_MARKS: Final = ".,:;!?·•|-–—*»«()[]<>/\\\"'"
_PLACES: Final = frozenset(("html", "body", "main", "article", "form"))


def without_notices(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept without lines about the post and without sponsors' boxes; `kept` if all are."""
    found, boxes = kept, set[int]()
    chars, first, text = blocks.chars, blocks.first, flat.text
    lines = [block for block in compress(range(len(kept)), kept) if chars[block] <= LINE]
    comments = _comment_links(flat)
    for block in [block for block in lines if comments and _leads_to_comments(blocks, block, comments)]:
        found = list(kept) if found is kept else found
        found[block] = False
    for block in [block for block in lines if _first_word(text[first[block]]) in _FIRST]:
        whole = block_text(flat, blocks, block)
        begin = whole[:SEEN]
        if _POSTED.match(begin) and (_ENTRY.match(begin) or not whole.endswith((".", "!", "?"))):
            found = list(kept) if found is kept else found
            found[block] = False
        elif chars[block] <= HEAD and _SPONSORED.match(begin):
            boxes.add(_box(flat, blocks, block))
    if True not in found:
        return kept
    return without_rows(flat, blocks, found, boxes, REST) if boxes else found


def _comment_links(flat: FlatDom) -> list[int]:
    """Return the rows of the links to the comments below, or to their form."""
    return [row for row, target, _ in flat.anchors if "#" in target and _COMMENTS.search(target)]


def _leads_to_comments(blocks: Blocks, block: int, links: list[int]) -> bool:
    """Tell whether a block is hardly more than a link to the comments: "(3 comments)", "Leave a reply"."""
    if blocks.chars[block] > COUNT or 2 * blocks.link_chars[block] < blocks.chars[block]:
        return False
    at = bisect_left(links, blocks.stop[block - 1] if block else 0)
    return at < len(links) and links[at] < blocks.stop[block]


def _first_word(text: str) -> str:
    """Return the first word of a text, in small letters and without marks."""
    head = text[:SEEN].split(None, 1)
    return head[0].strip(_MARKS).lower() if head else ""


def _box(flat: FlatDom, blocks: Blocks, block: int) -> int:
    """Return the element that begins with a notice, if that is its heading, or that of the notice alone."""
    row = blocks.container[block]
    above = flat.parent[row]
    if flat.tag[row] not in HEADINGS or flat.tag[above] in _PLACES or blocks_below(flat, blocks, above)[0] != block:
        return row
    return above
