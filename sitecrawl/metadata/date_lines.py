"""Finds dates in short lines of text, and classifies them by the words around them."""

import datetime as dt
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, HEADINGS
from sitecrawl.metadata.dates import DateInText, find_date
from sitecrawl.metadata.places import RECORDS, Places
from sitecrawl.metadata.row_texts import SHORT

MAX_LINES: Final = 2_000
"""Maximum rows examined for dates and for names."""
LISTED_ABOVE: Final = 4
"""Number of ancestors of a date among which a link or list item is searched."""
NESTED: Final = 3
"""Number of elements around a text among which a headline is searched. Own choice."""
LABEL_WORDS: Final = 3
"""Maximum words of a heading for it to be the label of a date. Own choice."""
REST: Final = 45
"""Maximum characters beside a date in a line that is about the date."""

_LIFE: Final = (
    r"born|died|(?:date of )?birth(?:day)?|geboren|gestorben|geb(?:urtsdatum)?|født|född|né[e]? le|naissance"
    r"|nacid[oa]|nacimiento|nascid[oa]|nascimento|nat[oa] il|nascita|рождения|родил(?:ся|ась)"
    r"|ولدت?|مواليد|توفيت?|נולדה?|נפטרה?"
)
LIFE: Final = re.compile(rf"\b(?:{_LIFE})(?: on| am)?[\s.:]*$", re.IGNORECASE)
"""Matches the words before a date in somebody's life."""
_OTHER: Final = re.compile(
    rf"\b(?:{_LIFE}|deadline|licen[cs]es?|licencia|licença|licenza|lizenz|лицензи[яию]"
    r"|свидетельство|приказ|постановление|распоряжение)\b|№ ?\w",
    re.IGNORECASE,
)
"""Matches words of a line with a date in somebody's life, of an event, or of a document."""
_RANGE: Final = re.compile(r"(?:(?:^|[\s\d])(?:al?|au|bis|to|till|until|do|до|إلى|حتى|עד)|\d\s?[-–—])\s?$")
"""Matches the text before the last day of an event."""
_BYLINE: Final = re.compile(r"\bby (?:[^\W\d_]+[ .'’-]{1,2}){1,4}(?=\W|$)", re.IGNORECASE)
CHANGED_BEHIND: Final = re.compile(r"[^\d:：]{0,30}?(?:更新|修改|수정)(?:[\s。）)|]|$)")
"""Matches the words after a date of change in languages with the verb at the end, but not the label of a next date."""
PUBLISHED_LABEL: Final = re.compile(
    r"(?:(?:this (?:article|entry|post) was )?(?:published|posted|created|submitted|written)"
    r"|dieser (?:artikel|beitrag|eintrag) wurde|veröffentlicht|erstellt|publié|publicado|pubblicato|opublikowano)"
    r"(?: on| the| am| le| el)?:?\s*|(?:опубликовано|发布|發佈|發表|投稿日|公開日)[：:]?\s*",
    re.IGNORECASE,
)
"""Matches the label before the date of publication of the page."""
CHANGED: Final = re.compile(
    r"updated|modified|\bchanged\b|revision-date|"
    r"last[\s-](?:edit|change|update|review)|aktualisiert|geändert|(?<!\w)stand(?::| vom\b)|mise? à jour|"
    r"vérifié|modifi|actualiza[dc]|atualiza[dç]|aggiorna(?:t[oa]|mento)|bijgewerkt|gewijzigd|uppdaterad|ändrad|oppdatert|opdateret|"
    r"päivitetty|muokattu|aktualizac|aktualizován|güncelleme|обновлен|изменен|更新|修改|最終更新|수정|업데이트|"
    r"تحديث|עודכן|עדכון",
    re.IGNORECASE,
)
_CHANGED_BEFORE: Final = re.compile(rf"(?:{CHANGED.pattern})\D*$", re.IGNORECASE)
_LABEL: Final = re.compile(
    rf"(?:(?:this|the) )?(?:page |document |article |file )?(?:(?:was|last) ){{0,2}}(?:{CHANGED.pattern})"
    rf"|{PUBLISHED_LABEL.pattern}",
    re.IGNORECASE,
)
"""Matches the label at the beginning of a line about a date."""
PAGE_CHANGED: Final = re.compile(
    r"(?:this|the) (?:page|document|content|file) (?:was|has been) last (?:edit|modifi|updat|chang|revis)ed"
    r"|diese seite wurde (?:zuletzt|das letzte mal)"
    r"|(?:la )?dernière modification de cette page|cette page a été modifiée"
    r"|esta página (?:se editó|fue (?:editada|modificada)) por última vez"
    r"|(?:a )?última (?:edição|modificação) desta página|esta página foi (?:editada|modificada)"
    r"|ultima modifica (?:per|di) (?:la|questa) pagina|questa pagina è stata modificata"
    r"|deze pagina is (?:voor )?het laatst"
    r"|tę stronę ostatnio|эта страница в последний раз|последнее изменение этой страницы"
    r"|このページの最終更新|本页面最后|此頁面最後",
    re.IGNORECASE,
)
"""Matches the beginning of a line that names the page as a whole, before the time of its last change."""
_NEAR: Final = 12
"""Maximum characters between the label of a date and the date, for example " on the ". Own choice."""
_SEPARATED: Final = re.compile(r"\s{0,3}[-–—|·•]\s")
"""Matches a mark after a date; the publisher of the page follows it."""
_LISTED: Final = frozenset(("a", "li", "dt", "dd"))


class ShownDate(NamedTuple):
    """A date in the text of a page."""

    row: int
    date: str
    """The date in ISO 8601."""
    changed: bool
    """Whether its label is that of a time of change."""
    own: bool
    """Whether it is the page's own date, by its markup or label."""
    of_page: bool = False
    """Whether its label names the page as a whole, so that it counts in any place after the text."""


def date_lines(flat: FlatDom, years: list[int], now: dt.datetime, places: Places) -> Iterator[ShownDate]:
    """Yield dates in short lines that contain little else; `years` are the rows that contain a year.

    Several dates on one path belong to records and are left out: versions in a list of changes, births in a family.
    """
    short = [row for row in years if 8 <= len(flat.text[row]) <= 2 * SHORT]
    if not short:
        return
    found, blocks = [], text_blocks(flat)
    for row in islice(short, MAX_LINES):
        if flat.tag[flat.parent[row]] == "time":
            continue  # already read
        text = " ".join(flat.text[row].split())
        of_page = PAGE_CHANGED.match(text)
        if of_page is None and (places.has_no_date(row) or _is_listed(flat, row)):
            continue
        date = find_date(text, now) if len(text) <= SHORT else None
        if of_page is not None and date:
            found.append(ShownDate(row, date.date, changed=True, own=True, of_page=True))
            continue
        if date and _is_line(flat, blocks, row, text, date) and "©" not in text and not text.endswith((".", "!")):
            changed = CHANGED.search(text) is not None or changed_beside(flat, row)
            found.append(ShownDate(row, date.date, changed, changed or PUBLISHED_LABEL.match(text) is not None))
    paths = Counter(flat.path[flat.parent[one.row]] for one in found)
    yield from (one for one in found if paths[flat.path[flat.parent[one.row]]] < RECORDS)


def _is_line(flat: FlatDom, blocks: Blocks, row: int, text: str, found: DateInText) -> bool:
    """Return whether a text is a line about the date in it.

    Beside much other text, it must consist of a byline, or begin with the label of a date on a separate line.
    """
    label = _LABEL.match(text)
    labelled = label is not None and found.begin <= label.end() + _NEAR
    rest = text[: found.begin] + ("" if labelled and _SEPARATED.match(text, found.end) else text[found.end :])
    if _RANGE.search(text[: found.begin]) is not None or _OTHER.search(rest) is not None:
        return False
    above = flat.parent[row]
    block = bisect_right(blocks.first, row) - 1
    if flat.tag[above] in BLOCK:
        alone = flat.chars[above] <= SHORT
    else:  # the text beside it in its block, without links
        alone = blocks.chars[block] - blocks.link_chars[block] - flat.chars[row] <= REST
    if alone:
        return len(rest) <= REST
    left, bylines = _BYLINE.subn("", rest)
    if bylines > 0 and not any(map(str.isalnum, left)):
        return True
    begins = row == blocks.first[block] or flat.tag[row - 1] == "br"
    ends = row + 1 == blocks.stop[block] or flat.tag[row + 1] == "br"
    return begins and ends and len(rest) <= REST and label is not None


def _is_listed(flat: FlatDom, row: int) -> bool:
    """Return whether a row is in a link or a list item: dates there belong to events or other pages."""
    return any(flat.tag[above] in _LISTED for above in islice(flat.ancestors(row), LISTED_ABOVE))


def changed_beside(flat: FlatDom, row: int) -> bool:
    """Return whether the words before or after a row are about a date of change; headlines are ignored."""
    begin = max(0, row - 4)
    begin = next((one + 1 for one in range(row - 1, begin - 1, -1) if _is_in_headline(flat, one)), begin)
    if _CHANGED_BEFORE.search(" ".join(flat.text[begin:row]).rstrip()[-40:]):
        return True
    return CHANGED_BEHIND.match(" ".join(flat.text[flat.end[row] : flat.end[row] + 6]).lstrip()) is not None


def _is_in_headline(flat: FlatDom, row: int) -> bool:
    """Return whether a row is in an `h1`, or in a heading that is longer than a label such as "Last updated"."""
    above = next((one for one in islice(flat.ancestors(row), NESTED) if flat.tag[one] in HEADINGS), -1)
    return above >= 0 and (flat.tag[above] == "h1" or flat.words[above] > LABEL_WORDS)
