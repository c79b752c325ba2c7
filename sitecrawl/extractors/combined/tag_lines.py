"""Drops lines with the tags or categories of the page: "Tags: harbours, moles", in which all but the label is links.

Of 407 such lines of recorded sites and page sets, outside tables and description lists, 14 are main content, 12 of them
in one manual, where they describe an entry. Pure in the page. [OWN]
"""

import re
from itertools import compress, islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS

LINKED: Final = 0.8
"""Minimum share of the characters after the label in links: commas and marks may be between them. Own choice."""
LINES: Final = 3
"""Maximum kept lines of that kind; on a page with more, they describe its entries. Own choice."""
SEEN: Final = 60
"""Characters of a block that are examined."""
ABOVE: Final = 3
"""Number of elements around such a line that may be a cell or a description. Own choice."""
_DESCRIBING: Final = CELLS | {"dd"}
"""Elements whose links describe a neighbouring entry, such as a member of a reference."""
_LABELS: Final = (
    "tags?", "tagged(?: as| in| with)?", "filed (?:under|in)", "labels?", "keywords?", "posted in", "topics?",
    "schlagw[oö]rt(?:er|e)?", "stichw[oö]rt(?:er|e)?", "themen", "étiquettes?", "mots[- ]clés?", "etiquetas?",
    "palabras clave", "palavras-chave", "etichett[ae]", "parole chiave", "trefwoorden", "taggar", "emneord",
    "avainsanat", "tagi", "słowa kluczowe", "štítky", "klíčová slova", "rubrik[ay]", "címkék", "etiketler",
    "etichete", "ετικέτες", "метки", "теги", "рубрик[аи]", "ключевые слова", "мітки", "етикети", "תגיות", "תגים",
    "קטגורי(?:ה|ות)", "(?:ال)?وسوم", "(?:ال)?تصنيف(?:ات)?", "(?:文章)?(?:标签|標籤|分类|分類)",
    "タグ", "カテゴリー?", "태그", "카테고리",
    "thẻ", "từ khóa", "chuyên mục", "kata kunci", "kategori(?:e|en|er|at?|i|ler)?",
    "categor(?:y|ies|ie|ieën|ii|ia|ias)", "catégories?", "categorías?", "kategóri[ae]k?", "κατηγορί(?:α|ες)",
    "категор(?:ия|ии|ії)",
)  # fmt: skip
_LABEL: Final = re.compile(rf"\W{{0,3}}(?:{'|'.join(_LABELS)})\s?[:：]", re.IGNORECASE)
"""Matches the label at the beginning of such a line."""


def without_tag_lines(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without lines of tags; unchanged if the page has none or more than LINES."""
    linked, chars = blocks.link_chars, blocks.chars
    lines = [
        block
        for block in compress(range(len(kept)), kept)
        if 0 < linked[block] < chars[block] <= linked[block] / LINKED + SEEN and _names_tags(flat, blocks, block)
    ]
    if not 0 < len(lines) <= LINES:
        return kept
    found = list(kept)
    for block in lines:
        found[block] = False
    return found if True in found else kept


def _names_tags(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a block is the label of tags or categories with links, and not in a table or a description."""
    text = block_text(flat, blocks, block)[:SEEN]
    label = _LABEL.match(text) if ":" in text or "：" in text else None
    if label is None:
        return False
    row = blocks.container[block]
    if any(flat.tag[one] in _DESCRIBING for one in (row, *islice(flat.ancestors(row), ABOVE))):
        return False
    behind = blocks.chars[block] - len("".join(label[0].split()))
    return blocks.link_chars[block] >= LINKED * behind
