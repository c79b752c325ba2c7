"""Finds the names of authors in the text of a page, with their rows."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK
from sitecrawl.metadata.candidate_rows import YEAR
from sitecrawl.metadata.declared import clean_author
from sitecrawl.metadata.places import Places
from sitecrawl.metadata.row_texts import SHORT, row_text

MAX_ROWS: Final = 20
"""Maximum rows of a byline, and of a link to the page of an author that are searched for a name."""
MAX_WORDS: Final = 5
"""Maximum words of a name."""
LONG: Final = 3
"""Number of words of a name from which most must be capitalised: account names may be "logan catalyst". Own choice."""
ALONE: Final = 70
"""Maximum characters of a byline without "by": the address of an office is longer. Own choice."""
PARTICLES: Final = frozenset((
    "and", "und", "et", "y", "e", "och", "og", "en", "&", "van", "von", "de", "der", "den", "la", "le", "di", "da",
    "do", "al", "el", "bin", "ibn",
))  # fmt: skip
"""Words within names that begin with a small letter."""
_WHOLE: Final = frozenset(("article", "body", "main", "section"))
"""Elements with a whole page or entry: Drupal gives them class names with the account of the author."""
_BYLINE: Final = re.compile(
    r"\s*(?:(?:(?:written|posted|published|words)\s+)?by:?\s+|كتبت?\s?:\s*|بقلم(?:\s?:\s*|\s+))(\w[^|•·,،(]{2,60})",
    re.IGNORECASE,
)
_SUBMITTED: Final = re.compile(
    r"(?:[^\W\d_]{2,14} )?(?:par|por|von|door|da|przez|av|af) ([^\W\d_][^|•·,(]{1,50}?)"
    r"(?: ?[|•·,–-]| (?:le|el|am|il|op|den|em|dnia) )",
    re.IGNORECASE,
)
"""Matches the beginning of a byline with a date in other languages: "Par Ann Lee, 3 mai 2024"."""
_LATER: Final = re.compile(r"\bby:?\s+(\w[^|•·,(]{2,60})")
"""Matches "by" and a name after a date in a byline: "Friday, 3 May 2024 by Ann Lee"."""
BEFORE: Final = 3
"""Maximum words before "by", or before a name in a line, where these words have no digit: more are a sentence. Own
choice."""
_ENDS: Final = re.compile(
    r"(?<![^\W\d_])(?:by|von|par|por|de|da|door|przez|av|af|di|автор|от|bởi|بقلم|authors?)\W{0,9}$", re.IGNORECASE
)
"""Matches the end of the words before the name of an author in several languages."""
_LABEL: Final = re.compile(
    r"(?:(?:written|posted|published|words)\s+)?by:?|authors?(?:\(s\))?:?|(?:close )?follow(?: \w+)?"
    r"|more (?:from|by)\b.*"
    r"|(?:e-?)?mail\b.*|contact\b.*|google\+|twitter|facebook|instagram|linkedin|rss"
    r"|about\b.*|(?:published|updated):?|بقلم|share|subscribe|view\b.*|see all\b.*"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?",
    re.IGNORECASE,
)
"""Matches words beside a name in another element, which are no part of the name."""
_AUTHOR_PAGE: Final = re.compile(
    r"/(?:authors?|autor(?:e[ns]?)?|auteurs?|contributors?|writers?|staff|journalists?|columnists?|reporters?)"
    r"/(?!index\.)[^/?#]"
    r"|[?&]author=[^&#]"
)
"""Matches the URL of the page about an author."""
_LAST: Final = re.compile(
    r"\blast (?:post|reply|comment|message|update|updated|edit|edited|modified|modification|changed?)\b"
    r"|\bletzte[rs]? (?:beitrag|antwort|änderung|bearbeitung)|\bzuletzt (?:geändert|bearbeitet|aktualisiert)"
    r"|\bderni(?:er|ère) (?:message|réponse|modification)|\búltim[oa] (?:mensaje|respuesta|modificación|edición)"
    r"|\búltim[oa] (?:mensagem|resposta|alteração|edição)|\bultim[oa] (?:messaggio|risposta|modifica)"
    r"|\blaatste (?:bericht|reactie|wijziging)|\bostatni[ae]? (?:post|wpis|odpowiedź|zmiana|modyfikacja)"
    r"|последн(?:ее|ий) (?:сообщение|ответ|изменение)",
    re.IGNORECASE,
)
"""Matches words before the name of the last poster or editor, who is not the author."""
_NESTED: Final = 5
"""Maximum inline elements around a name outside which the text before it is searched."""
_COLONS: Final = (":", "：")
"""Last characters of the label of a byline."""
_NAME: Final = frozenset(("name", "author-name", "authorname", "author__name", "fn", "n"))
"""Class names of the name in a byline, beside a rank or a picture."""
_BEFORE_NAMES: Final = frozenset(("by", "from"))
"""The last words of labels, such as "Jun 2 Written By" without a name behind it."""
_ROLE: Final = re.compile(
    r"\b(?:reporter|editor|writer|correspondent|columnist|journalist|producer|contributor|critic|analyst|strategist"
    r"|specialist|consultant|manager|director|founder|redakteur(?:in)?|journaliste|rédact(?:eur|rice)|redactora?|periodista"
    r"|giornalista|jornalista|dziennikarka|dziennikarz)\b",
    re.IGNORECASE,
)
"""Matches the name of an occupation, which stands behind a name."""
_BESIDE: Final = re.compile(
    r"(?<![a-z])(?:badge|level|rank|avatar|bio|role|job|position|desc(?:ription)?|buttons?|controls?|stat(?:istic)?s)(?![a-z])",
    re.IGNORECASE,
)
"""Matches parts of class names of elements beside a name."""


def shown_authors(
    flat: FlatDom, classed: list[int], dated: list[int], places: Places, most: int
) -> Iterator[tuple[int, str]]:
    """Yield (row, name) of up to `most` bylines, by row.

    `classed` are rows with class names of authors; `dated` are rows with class names of dates, which may contain the
    author too. Links to the page of an author are bylines too, but not links to a section about authors.
    """
    rows = {row for row in classed if flat.end[row] - row <= MAX_ROWS and flat.tag[row] not in _WHOLE}
    rels = {rel for rel in {rel for _, _, rel in flat.anchors} if "author" in rel.lower().split()}
    rows.update([row for row, _, rel in flat.anchors if rel in rels] if rels else ())
    linked = {row for row, target, _ in flat.anchors if row not in rows and _is_author_page(target)}
    rows.update(row for row in linked if not _in_sentence(flat, row))
    rows.difference_update([row for row, target, _ in flat.anchors if row in rows and leads_to_place(target)])
    dated_only = {row for row in dated if flat.end[row] - row <= MAX_ROWS and flat.tag[row] not in _WHOLE} - rows
    found = 0
    for row in sorted(rows | dated_only):
        if found == most:
            return
        if places.elsewhere(row) or _BESIDE.search(flat.names[row]):
            continue
        name = (row not in dated_only and _listed(flat, row)) or _name(_text_in(flat, row), alone=row not in dated_only)
        if name and not _is_last(flat, row, name):
            found += 1
            yield row, name


def leads_to_place(target: str) -> bool:
    """Return whether a link leads to a place on its own page. A bare `#` is a link without a page of the author."""
    return target[:1] == "#" != target


@lru_cache(LIMIT)
def _is_author_page(target: str) -> bool:
    """Return whether a link leads to the page about an author; cached, since the pages of a site share most links."""
    return _AUTHOR_PAGE.search(target) is not None


def byline_name(text: str) -> str | None:
    """Return the name after "by" in a line, or with a date in other languages; None if it is that of a last poster."""
    name = _name(text, alone=False)
    return None if name is None or _LAST.search(text[: text.find(name)]) else name


def _name(text: str, *, alone: bool) -> str | None:
    """Return the name in the text of a byline; None if there is none. It may stand `alone`, without "by" before it."""
    by = (_BYLINE.match(text) or _later(text)) if len(text) <= SHORT else None
    if by is None and not alone and len(text) <= SHORT and YEAR.search(text):
        by = _SUBMITTED.match(text)
    if by is None and not (alone and len(text) <= ALONE):
        return None
    name = clean_author(by[1] if by is not None else text)
    if name is None or len(name.split()) > MAX_WORDS or YEAR.search(name) or _LABEL.fullmatch(name):
        return None
    if name.rpartition(" ")[2].lower() in _BEFORE_NAMES:
        return None
    return name if _is_named(name, first=not alone) else None


def _later(text: str) -> re.Match[str] | None:
    """Return the match of a name after a date and "by"; None in a sentence, such as "coded by Latin-1 or UTF-8"."""
    found = _LATER.search(text)
    return found if found is None or _may_begin_byline(text[: found.start()]) else None


def _may_begin_byline(text: str) -> bool:
    """Return whether some words may stand before the name of an author: few, or with a date."""
    return len(text.split()) <= BEFORE or any(map(str.isdigit, text))


def _is_named(name: str, *, first: bool) -> bool:
    """Return whether most words of a name are capitalised, in scripts with capitals; with `first` the first one too."""
    words = [word for word in name.split() if word not in PARTICLES]
    small = [word[0].islower() for word in words]
    return not (first and small[:1] == [True]) and (len(words) < LONG or 2 * small.count(True) < len(words))


def _in_sentence(flat: FlatDom, row: int) -> bool:
    """Return whether a link is in a sentence: "The rules are listed in <a>Style</a>"."""
    block = row
    for _ in range(_NESTED):
        if flat.tag[block] in BLOCK:
            break
        block = flat.parent[block]
    before = " ".join(" ".join(flat.text[max(block, row - MAX_ROWS) : row]).split())
    return not _may_begin_byline(before) and _ENDS.search(before[-SHORT:]) is None


def _is_last(flat: FlatDom, row: int, name: str) -> bool:
    """Return whether the words before a name in its paragraph are about the last poster or editor."""
    for _ in range(_NESTED):
        if flat.tag[row] in BLOCK:
            break
        row = flat.parent[row]
    text = row_text(flat, row)
    last = _LAST.search(text)
    return last is not None and last.start() < text.find(name)


def _listed(flat: FlatDom, row: int) -> str | None:
    """Return the names in the list of a byline, below a label in any language; None unless all its items are names.

    If its items have numbers, they are facts about the post, and the name is above the list.
    """
    items = [one for one in range(row + 1, flat.end[row]) if flat.tag[one] == "li"]
    if not items or not any(flat.text[row : items[0]]):
        return None
    texts = [row_text(flat, one) for one in items]
    if any(map(str.isdigit, "".join(texts))):  # the age of a post, a count
        return _name(" ".join(" ".join(flat.text[row : flat.parent[items[0]]]).split()), alone=True)
    names = [_name(text, alone=True) or "" for text in texts]
    return ", ".join(names) if all(names) else None


def _text_in(flat: FlatDom, row: int) -> str:
    """Return the text of a byline, or of the name in it, without a label with a colon in a separate element.

    An occupation in a separate element behind the name is left out too.
    """
    inner = _name_in(flat, row)
    text = _without_role(flat, inner)
    label = next((one for one in range(inner, flat.end[inner]) if flat.text[one]), inner)
    if flat.parent[label] == inner or label == inner or not flat.text[label].rstrip().endswith(_COLONS):
        return text
    return text.removeprefix(" ".join(flat.text[label].split())).strip()


def _without_role(flat: FlatDom, row: int) -> str:
    """Return the text of a byline without an occupation in an element behind a name of two words or more."""
    for one in range(row + 1, min(flat.end[row], row + MAX_ROWS)):
        if _ROLE.search(flat.text[one]) is not None:
            before = " ".join(" ".join(flat.text[row:one]).split()).rstrip(" ,|-–—")
            if " " in before and _name(before, alone=True):
                return before
    return row_text(flat, row)


def _name_in(flat: FlatDom, row: int) -> int:
    """Return the row of the element inside a byline that has the class name of a name; else the row itself."""
    inner = range(row + 1, min(flat.end[row], row + MAX_ROWS))
    return next((one for one in inner if flat.chars[one] and not _NAME.isdisjoint(flat.names[one].split())), row)
