"""Drops notices inside the text: author and date of a post, the place where code is defined, boxes of sponsors.

They are recognised by their first words, on sites without class names for them. Pure in the page. [OWN]
"""

import re
from functools import lru_cache
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors.combined.furniture_boxes import without_rows

LINE: Final = 250
"""Maximum characters of a line about a post."""
HEAD: Final = 80
"""Maximum characters of the heading of a sponsor's box, and of a notice without one."""
SEEN: Final = 60
"""Characters of a block that are examined."""
OWN: Final = 0.15
"""Minimum share of the kept characters outside of sponsors' boxes: an announcement is shorter than its two sponsors.
Without a minimum one page of a page set loses its article, which begins with "Advertisement". Own choice."""

BYLINE: Final = 75
"""Maximum characters of a line with only an author and a date, without white space. Own choice."""
BYLINES: Final = 2
"""Maximum kept lines of that kind: a page with more is a list of articles. Own choice."""
_POSTED: Final = re.compile(
    r"\W{0,9}(?:this entry was (?:posted|written)|posted (?:on|by|in|at)|filed (?:under|in)|published (?:on|by)"
    r"|written by|(?:(?:page|content) )?last (?:modified|updated|reviewed)|next review(?: due)?|opened"
    r"|(?:zuletzt )?(?:geändert|aktualisiert) am|veröffentlicht (?:am|in)"
    r"|veröffentlicht von|geschrieben von|publicado (?:el|por|en|em)|publié (?:le|par|dans)|pubblicato (?:il|da|in)"
    r"|(?:page )?(?:vérifiée?|modifiée?|mise? à jour) le|(?:actualizado|modificado) el|(?:atualizado|modificado) em"
    r"|(?:aggiornato|modificato) il|(?:bijgewerkt|gewijzigd|gepubliceerd) op"
    r"|opublikowan[ey]|автор статьи|опубликовано|последнее (?:изменение|обновление)"
    r"|última (?:modificación|actualización|atualização|modificação)|dernière (?:modification|mise à jour)"
    r"|ultim[ao] (?:modifica|aggiornamento)|laatst (?:bijgewerkt|gewijzigd)|senast (?:ändrad|uppdaterad)"
    r"|sist (?:endret|oppdatert)|sidst (?:ændret|opdateret)|ostatnia (?:aktualizacja|modyfikacja)"
    r"|poslední (?:úprava|změna|aktualizace)|son güncelleme|viimeksi (?:muokattu|päivitetty)"
    r"|utolsó (?:módosítás|frissítés)|최종 (?:수정|업데이트)|마지막 (?:수정|업데이트))(?!\w).{0,60}?(?:\d|:)"
    r"|\W{0,9}(?:posted|published):? \d{1,4}[./-]\d"
    r"|\W{0,9}stand:? (?:vom )?(?:\d{1,2}\. ?)?(?:[^\W\d_]{3,9}|\d{1,2}\.) ?\d{4}\W{0,3}$"
    r"|\W{0,9}(?:最終更新日?|更新日時?|公開日|投稿日|最后更新|最後更新|更新时间|更新時間|发布时间|發布時間)[:：\s]{0,3}\d",
    re.IGNORECASE,
)
WRITTEN: Final = ("written", "geschrieben", "écrit", "escrito", "scritto")
"""Words before those of the next line."""
AUTHOR: Final = ("by", "von", "por", "par", "di", "door", "av", "af", "autor", "author", "auteur", "autore")
"""Words before the name of an author."""
_NAME: Final = r"[^\W\d_][\w.'’ -]{1,40}?"
DATE: Final = (
    r"(?:[^\W\d_]{2,12}\.?,? )?(?:[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.|er)? (?:de |of )?[^\W\d_]{3,12}\.?,? (?:de )?\d{4}"
    r"|\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})"
    r"(?:,?(?: at| um| [àa] las?)? \d{1,2}[:.h]\d\d(?: ?[ap]\.?m\.?| uhr)?)?"
)
"""Pattern of a date with its year in common forms, with an optional time of day."""
_PUBLISHED: Final = (
    r"(?:(?:posted|published) on|veröffentlicht am|publicad[oa] (?:el|em)|publiée? le|pubblicato il|gepubliceerd op)"
)
_COUNT: Final = r"\d{1,4} (?:comments?|kommentare?|comentarios?|commentaires?|comentários?|comment[io]|reacties?)"
"""Number of comments, behind a date."""
_BYLINE: Final = re.compile(
    rf"\W{{0,3}}(?:(?:{'|'.join(WRITTEN)}) )?(?:{'|'.join(AUTHOR)}):? {_NAME}"
    rf"\s*(?:[|·•,–—/-]|\b(?:on|am|el|le|il)\b|\s)\s*(?:{_PUBLISHED} )?{DATE}(?:\s?[|·•,]\s?{_COUNT})?\W{{0,3}}",
    re.IGNORECASE,
)
"""Matches an author and a date, and nothing else: of 290 such lines on recorded sites and page sets, one is main
content, apart from 23 in a list of articles."""
_CAPITALS: Final = r"(?-i:[^\W\d_a-z][\w.'’-]{0,20}(?: (?:[^\W\d_a-z][\w.'’-]{0,20}|de|van|von|la|di|da)){1,4})"
"""A name of several words with capitals."""
_NAMED: Final = re.compile(
    rf"{_CAPITALS}\s?[|·•]\s?{DATE}(?:\s?[|·•,]\s?\d{{1,2}} min\.?(?:utes?)?(?: read)?)?", re.IGNORECASE
)
"""Matches an author and a date with a mark between them, without a word before: "Ann Finch • July 4, 2018". On no
recorded page is such a line at the beginning main content."""
HEAD_LINES: Final = 4
"""Number of kept blocks at the beginning among which such a line is about the post. Own choice."""
_BY: Final = frozenset((*WRITTEN, *AUTHOR))
"""First words of such lines."""
_ENTRY: Final = re.compile(r"\W{0,9}this entry was", re.IGNORECASE)
"""Matches the only notice that is a sentence. Any other sentence is text: "Opened in 1932, the bridge carries ...". """
_SPONSORED: Final = re.compile(
    r"\W{0,9}(?:(?:(?:this \w{1,20}(?: \w{1,20})? is )?(?:also )?(?:sponsored by|brought to you by)"
    r"|gesponsert von|patrocinado por|sponsorisé par|sponsorizzato da)(?!\w)"
    r"|(?:advertise?ment|anzeige|werbung|publicidad|publicité|pubblicità|реклама"
    r"|スポンサー(?:ド)?リンク)\W{0,9}$)",
    re.IGNORECASE,
)
_FIRST: Final = frozenset((
    "", "this", "posted", "filed", "published", "written", "last", "opened", "zuletzt", "geändert", "aktualisiert",
    "veröffentlicht", "geschrieben", "publicado", "publié", "pubblicato", "opublikowany", "opublikowane", "автор",
    "опубликовано", "последнее", "última", "dernière", "ultima", "ultimo", "laatst", "senast", "sist", "sidst",
    "ostatnia", "poslední", "son", "viimeksi", "utolsó", "최종", "마지막", "page", "content", "next",
    "stand", "vérifié", "vérifiée", "modifié", "modifiée", "mis", "mise",
    "actualizado", "modificado", "atualizado", "aggiornato", "modificato", "bijgewerkt", "gewijzigd", "gepubliceerd",
    "also", "sponsored", "brought",
    "advertisement", "advertisment", "gesponsert", "anzeige", "werbung", "patrocinado", "publicidad", "publicité",
    "sponsorisé", "sponsorizzato", "pubblicità", "реклама", "スポンサーリンク", "スポンサードリンク",
))  # fmt: skip
"""First words of notices; "" for a line that begins with marks."""
_BEGINNINGS: Final = frozenset(("最終", "更新", "公開", "投稿", "最后", "最後", "发布", "發布"))
"""First letters of notices in scripts without spaces."""
_DEFINING: Final = frozenset(("defined", "declared", "implemented"))
_DEFINED: Final = re.compile(r"(?:defined|declared|implemented) in:? [\w./\\@+-]{1,200}:\d{1,6}", re.IGNORECASE)
"""Matches the line with the place of a definition: "Defined in src/observable.ts:12"."""
MISTAKE: Final = 30
"""Minimum characters of a line that asks readers to report mistakes: a shortcut alone is content. Own choice."""
GENERATOR: Final = 150
"""Maximum characters of a line about the program that wrote the page. Own choice."""
LAST: Final = 3
"""Maximum kept lines from such a line to the end: in the middle of a manual it is a step. Own choice."""
_KEYS: Final = re.compile(r"(?<!\w)Ctrl\s*\+\s*Enter(?!\w)[^.!?。！？]{0,90}\W{0,5}$", re.IGNORECASE)
"""Matches the last sentence of that line in any language: "Found a mistake? Select it, then press Ctrl+Enter"."""
_WRITTEN: Final = (
    r"(?:this|the) (?:\w+ )?(?:document|documentation|page|file|manual|site|website|book|guide|archive|index)"
    r" (?:was|is|has been) "
)
_GENERATED: Final = re.compile(
    rf"(?:{_WRITTEN})?(?:automatically )?generated (?:automatically )?(?:on .{{4,40}} )?"
    r"(?:by|using|with|from)(?!\w).{2,80}"
    rf"|{_WRITTEN}(?:created|produced|built) (?:by [\w-]+, )?(?:using|with) .{{2,80}}"
    r"|(?:diese[sr]? \w+ wurde )?(?:automatisch )?(?:generiert|erzeugt) (?:mit|von|durch) .{2,80}"
    r"|(?:cet?(?:te)? \w+ a été )?générée? (?:automatiquement )?(?:par|avec|à l['’]aide de) .{2,80}"
    r"|(?:est[ea] \w+ (?:ha sido|fue|foi) )?(?:generad[oa]|gerad[oa]) (?:por|con|com|usando) .{2,80}"
    r"|(?:quest[oa] \w+ è stat[oa] )?generat[oa] (?:da|con|usando) .{2,80}",
    re.IGNORECASE | re.DOTALL,
)
"""Matches a line about the program that wrote a page: "This document was generated using makeinfo"."""
_ITEMS: Final = frozenset(("li", "td", "th", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6"))
"""Elements in which a shortcut is content."""
_SHARE: Final = frozenset(
    f"この{page}をシェア{ending}" for page in ("ニュース", "記事", "ページ") for ending in ("", "する")
)
"""Whole lines above share buttons, in a script without spaces."""
_MARKS: Final = ".,:;!?·•|-–—*»«()[]<>/\\\"'"
_PLACES: Final = frozenset(("html", "body", "main", "article", "form"))


def without_notices(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without lines about the post and sponsors' boxes; unchanged if nothing is left."""
    dropped, boxes, bylines = set[int](), set[int](), set[int]()
    chars, first, text = blocks.chars, blocks.first, flat.text
    lines = [block for block in compress(range(len(kept)), kept) if chars[block] <= LINE]
    for block in lines:
        word = _first_word(text[first[block]][:SEEN])  # short, so that the cache does not keep long texts
        if word in _BY and chars[block] <= BYLINE and _BYLINE.fullmatch(block_text(flat, blocks, block)):
            bylines.add(block)
        elif word in _DEFINING and _DEFINED.fullmatch(block_text(flat, blocks, block)):
            dropped.add(block)
        elif word in _FIRST or word[:2] in _BEGINNINGS:
            whole = block_text(flat, blocks, block)
            begin = whole[:SEEN]
            if _POSTED.match(begin) and (_ENTRY.match(begin) or not whole.endswith((".", "!", "?"))):
                dropped.add(block)
            elif chars[block] <= HEAD and _SPONSORED.match(begin):
                boxes.add(_box(flat, blocks, block))
        elif word in _SHARE and blocks.words[block] == 1:
            dropped.add(block)
    chosen = list(compress(range(len(kept)), kept))
    bylines.update(block for block in chosen[:HEAD_LINES] if _is_named(flat, blocks, block))
    for block in chosen[-LAST:]:
        if _names_generator(flat, blocks, block):
            dropped.add(block)
        elif _asks_for_mistakes(flat, blocks, block):
            dropped.update(_question(flat, blocks, block))
    if len(bylines) <= BYLINES:
        dropped |= bylines
    found = [wanted and block not in dropped for block, wanted in enumerate(kept)] if dropped else kept
    if True not in found:
        return kept
    return without_rows(flat, blocks, found, boxes, OWN) if boxes else found


def _names_generator(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a line says which program wrote the page."""
    if blocks.chars[block] > GENERATOR or flat.tag[blocks.container[block]] in _ITEMS:
        return False
    return _GENERATED.fullmatch(block_text(flat, blocks, block).strip().rstrip(".")) is not None


def _asks_for_mistakes(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a line asks readers to report mistakes by a shortcut."""
    if not MISTAKE <= blocks.chars[block] <= LINE or flat.tag[blocks.container[block]] in _ITEMS:
        return False
    return _KEYS.search(block_text(flat, blocks, block)) is not None


def _question(flat: FlatDom, blocks: Blocks, block: int) -> range:
    """Return a line that asks for mistakes, with the lines of its box if that begins with a question: "A mistake?"."""
    inside = range(*blocks_below(flat, blocks, flat.parent[blocks.container[block]]))
    if len(inside) > LAST or sum(blocks.chars[inside.start : inside.stop]) > 2 * LINE:
        return range(block, block + 1)
    asked = block_text(flat, blocks, inside.start).rstrip().endswith(("?", "？"))
    return inside if asked else range(block, block + 1)


def _is_named(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a line is a name and a date, and not a heading."""
    if blocks.chars[block] > BYLINE or flat.tag[blocks.container[block]] in HEADINGS:
        return False
    return _NAMED.fullmatch(block_text(flat, blocks, block)) is not None


@lru_cache(LIMIT)
def _first_word(text: str) -> str:
    """Return the first word of a text, in small letters and without marks."""
    head = text.split(None, 1)
    return head[0].strip(_MARKS).lower() if head else ""


def _box(flat: FlatDom, blocks: Blocks, block: int) -> int:
    """Return the element that has a notice as its heading, or else the element with the notice alone."""
    row = blocks.container[block]
    above = flat.parent[row]
    if flat.tag[row] not in HEADINGS or flat.tag[above] in _PLACES or blocks_below(flat, blocks, above)[0] != block:
        return row
    return above
