"""Drops the lines that lead back to the top of their own page: "Back to top", "↑ Nach oben".

Pages with many sections have such a line below each section. It is a link within the page, and is recognised by its
whole text, in some 25 languages. The languages and words are an own choice. Pure in the page. [OWN]
"""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom

LONGEST: Final = 50
"""Maximum characters of such a line. Own choice."""

_WORDS: Final = (
    r"(?:(?:(?:go|jump|return|scroll|skip) )?(?:back )?(?:up )?to )?(?:the )?(?:page )?top(?: of (?:the |this )?page)?"
    r"|(?:back|return) to (?:the )?(?:table of )?contents",
    r"(?:zurück )?(?:nach oben|zum (?:seitenanfang|anfang|inhalt(?:sverzeichnis)?))|(?:zum )?seitenanfang",
    r"(?:retour|revenir|remonter) (?:en|au|vers le) (?:haut|sommaire|début)(?: de (?:la )?page)?|haut de (?:la )?page",
    r"(?:volver|ir|subir|regresar) (?:a |al )?(?:arriba|inicio|principio|índice)(?: de (?:la )?página)?",
    r"(?:voltar|ir|subir) (?:ao|para o|a) (?:topo|início|índice)(?: da página)?|topo da página",
    r"(?:torna|vai|ritorna) (?:su|all['’](?:inizio|indice)|in (?:alto|cima))|inizio pagina|torna all['’]inizio",
    r"(?:terug )?naar (?:boven|de top)|terug naar (?:de )?(?:top|inhoud)|tillbaka (?:till toppen|upp)|till toppen",
    r"(?:tilbage )?til toppen|(?:tilbake )?til topps?(?:en)?|takaisin ylös|sivun alkuun",
    r"(?:powrót )?(?:do|na) gór[ęy](?: strony)?|(?:zpět )?nahoru|vissza a(?:z oldal)? tetejére|(?:înapoi )?sus",
    r"(?:к|в) начал[оу](?: страницы)?|наверх|вверх|(?:назад )?к (?:содержанию|оглавлению)|(?:вгору|нагору|догори)",
    r"(?:sayfa )?(?:başına|başa|yukarı) (?:dön|çık|git)|yukarı|(?:επιστροφή )?στην (?:κορυφή|αρχή)(?: της σελίδας)?",
    r"(?:العودة )?(?:إلى|الى) (?:الأعلى|أعلى(?: الصفحة)?)|(?:חזרה )?למעלה|(?:lên|về) đầu trang|(?:kembali )?ke atas",
    r"(?:返回|回到|回|至)(?:页面|頁面)?(?:顶部|頂部|顶端|頂端|页首|頁首|目录|目錄)|(?:回|返回)?top",
    r"(?:この)?ページの?(?:先頭|トップ|上部?|top)(?:へ|に)?(?:戻る|もどる)?|(?:先頭|トップ|目次|上)(?:へ|に)(?:戻る|もどる)?",
    r"(?:맨|페이지) ?위로(?: ?가기)?|위로|목차로(?: 돌아가기)?|กลับ(?:ขึ้น|ไป)(?:ด้าน)?บน",
)
_TOP: Final = re.compile("|".join(_WORDS), re.IGNORECASE)
_MARKS: Final = " ↑⇑⬆▲△^[]()<>«»‹›|·-–—.:!…\ufe0f"
"""Marks around the words."""


def without_top_links(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without such lines; unchanged if nothing is left."""
    chars, linked = blocks.chars, blocks.link_chars
    lines = [one for one in compress(range(len(kept)), kept) if 2 * linked[one] > chars[one] <= LONGEST]
    dropped = {block for block in lines if _leads_up(flat, blocks, block)}
    found = [wanted and block not in dropped for block, wanted in enumerate(kept)] if dropped else kept
    return found if True in found else kept


def _leads_up(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a block is a link within its page with words such as "Back to top"."""
    at = bisect_left(flat.anchors, (blocks.first[block],))
    inside = at < len(flat.anchors) and flat.anchors[at][0] < blocks.stop[block]
    if not inside and not at:
        return False
    target = flat.anchors[at if inside else at - 1][1]
    if "#" not in target and not target.strip().lower().startswith("javascript:"):
        return False
    return _is_top_text(block_text(flat, blocks, block))


@lru_cache(LIMIT)
def _is_top_text(text: str) -> bool:
    """Return whether a text consists of such words. Cached, since pages share their short lines."""
    return len(text) <= LONGEST and _TOP.fullmatch(text.strip(_MARKS)) is not None
