"""Drops lists of facts about the post: its author, its dates, its source, its tags.

Of 27 lists with an author and a date on 11 sites of the page sets none is main content. A list of dates of publication
and change alone is about the post too. A page with more than two such lists is a list of articles. A list with other
facts ("ISBN: ...") describes a book or a download. [OWN]
"""

import re
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.notices import AUTHOR, DATE, WRITTEN

LISTS: Final = 2
"""Maximum such lists of a page: one with more is a list of articles, as with lines that are a byline. Own choice."""
ITEMS: Final = range(2, 9)
"""Numbers of items of such a list. Own choice."""
LONG: Final = 80
"""Maximum characters of an item. Own choice."""
COUNT: Final = 25
"""Maximum characters of an item without a label: "1011 words", "Leave a comment". Own choice."""
LEFT: Final = 100
"""Minimum kept characters outside of the list. Own choice."""

_BY: Final = re.compile(
    rf"\W{{0,3}}(?:(?:posted|{'|'.join(WRITTEN)}) )?(?:(?:{'|'.join(AUTHOR)}|автор|yazar|författare|forfatter"
    r"|kirjoittaja|作者|著者|執筆者?|撰文|글쓴이|작성자)\s?[:：] ?"
    r"|(?:by|von|por|par|di|door|作者) (?=(?-i:[^\Wa-z\d_]))).{1,50}",
    re.IGNORECASE,
)
"""Matches an item that names the author."""
_DATED: Final = re.compile(rf"{DATE}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日", re.IGNORECASE)
"""Matches a date."""
_STATED: Final = re.compile(
    r"\W{0,3}(?:(?:page|content|first|last|date|originally) )?(?:(?:published|updated|modified|reviewed|posted)"
    r"|(?:publication|update) date|veröffentlicht|erschienen|(?:zuletzt |letzte )?(?:aktualisiert|geändert"
    r"|aktualisierung|änderung)|stand|(?:date de )?publi(?:é|cation)|(?:dernière )?(?:mise? à jour"
    r"|modifi(?:é|cation))|(?:fecha de )?publica(?:do|ción)|(?:última )?actualiza(?:do|ción)"
    r"|(?:data de )?publica(?:do|ção)"
    r"|(?:última )?atualiza(?:do|ção)|(?:data di )?pubblica(?:to|zione)|(?:ultimo )?aggiorna(?:to|mento)"
    r"|(?:laatst )?(?:gepubliceerd|bijgewerkt|gewijzigd)|publicerad|uppdaterad|publisert|oppdatert|opublikowano"
    r"|zaktualizowano|опубликовано|обновлено)(?: (?:on|am|vom|le|el|em|il|op|date))?\s?[:：]?\s?"
    rf"(?:{DATE})\W{{0,3}}",
    re.IGNORECASE,
)
"""Matches an item that is a date of publication or change with its label."""
_TIME: Final = re.compile(r"\d{1,2}[:.]\d\d")
"""Matches a time of day before a date."""
BEFORE, BEHIND = 25, 12
"""Maximum characters of the label and the time before a date, and of the time behind it. Own choice."""
_ABOUT_POST: Final = re.compile(
    r"\W{0,3}(?:source|quelle|fuente|fonte|bron|来源|來源|出典|edited by|editor|(?:last )?updated|reviewed by"
    r"|(?:post )?(?:tags?|categor(?:y|ies))(?:\(s\))?|kategorien?|schlagw[oö]rter|catégories?|étiquettes|categorías?"
    r"|etiquetas|标签|標籤|分类|分類|カテゴリー?|タグ|comments?|views?|reading time"
    r"|(?:posted|filed) (?:in|under))(?!\w)",
    re.IGNORECASE,
)
"""Matches the label of another fact about a post."""

_DIGIT: Final = re.compile(r"\d")
"""Matches a digit, which every date has."""
_LABELLED: Final = re.compile(r":(?!\d)|：")
"""Matches the end of a label, but no time of day."""


def without_post_facts(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without lists of facts about the post; unchanged if the page has none or many."""
    spans = [
        (row, range(*blocks_below(flat, blocks, row)))
        for row in rows_with(vocabulary(flat).tags, ("ul", "ol", "dl"), range(len(flat)))
    ]
    inside = [(row, span) for row, span in spans if True in kept[span.start : span.stop]]  # most lists are menus
    if not any(_is_about_post(flat, blocks, row, span) for row, span in inside):
        return kept
    lists = [span for row, span in spans if _is_about_post(flat, blocks, row, span)]
    if len(lists) > LISTS:
        return kept
    found = list(kept)
    for span in lists:
        found[span.start : span.stop] = [False] * len(span)
    return found if sum(compress(blocks.chars, found)) >= LEFT else kept


def _is_about_post(flat: FlatDom, blocks: Blocks, row: int, span: range) -> bool:
    """Return whether the items of a list are an author, a date, and at most other facts about a post, or its dates."""
    if not ITEMS.start <= len(span) <= 2 * ITEMS.stop or sum(blocks.chars[span.start : span.stop]) > LONG * len(ITEMS):
        return False
    if not any(map(_DIGIT.search, flat.text[row : flat.end[row]])):  # menus have no date, and are most lists
        return False
    items = _items(flat, blocks, row)
    if items and all(map(_STATED.fullmatch, items)):
        return True
    if len(items) not in ITEMS or any(len(item) > LONG for item in items):
        return False
    authors = sum(_BY.fullmatch(item) is not None for item in items)
    if authors != 1:
        return False
    return any(map(_is_date, items)) and all(
        _BY.fullmatch(item) or _is_date(item) or _ABOUT_POST.match(item) or _is_count(item) for item in items
    )


def _is_date(item: str) -> bool:
    """Return whether an item is a date, with or without a label before it."""
    found = _DATED.search(item)
    if found is None or found.start() > BEFORE or len(item) - found.end() > BEHIND:
        return False
    return not any(map(str.isdigit, _TIME.sub("", item[: found.start()])))


def _is_count(item: str) -> bool:
    """Return whether an item is short and has no label."""
    return len(item) <= COUNT and _LABELLED.search(item) is None


def _items(flat: FlatDom, blocks: Blocks, row: int) -> list[str]:
    """Return the texts of the items of a list; a label alone, as in a `dt`, is one with the item behind it."""
    items, label = list[str](), ""
    child = row + 1
    while child < flat.end[row]:
        texts = (block_text(flat, blocks, block) for block in range(*blocks_below(flat, blocks, child)))
        text = " ".join(" ".join(texts).split())
        if text:
            text = f"{label} {text}".strip()
            label = text if text.endswith((":", "：")) or flat.tag[child] == "dt" else ""
            if not label:
                items.append(text)
        child = flat.end[child]
    return [*items, label] if label else items
