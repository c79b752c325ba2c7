"""Finds the sender and the date of a message in a mail archive, with their rows.

Archives write them above the message: in a list ("From: ...", "Date: ..."), or the name in bold, the mail address as a
link, and the date in italics. Each of them has a link to a mail address. [OWN: MHonArc, Hypermail and Pipermail]
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.metadata.declared import clean_author
from sitecrawl.metadata.row_texts import SHORT

LINKS: Final = 8
"""Maximum links to mail addresses that are examined: a message has sender, recipients and copies. Own choice."""
AROUND: Final = 16
"""Rows before and after such a link that may be its header. Own choice."""
LINES: Final = 3
"""Number of texts before the link in which the label of the sender is searched: label, colon, name. Own choice."""
_FROM: Final = re.compile(r"(?:from|von|de|da|van|od|от|från)\s*:?\s*(.*)", re.IGNORECASE | re.DOTALL)
_DATE: Final = re.compile(r"(?:date|datum|fecha|data|sent|gesendet|дата)\s*:?\s*(?=$|\W|\w{2,4}[ ,.])", re.IGNORECASE)
_AROUND_NAME: Final = " \t\n:<>()[]\"'«»\u00a0"
_NAMED: Final = frozenset(("b", "strong"))
_DATED: Final = frozenset(("i", "em"))


class MailHeader(NamedTuple):
    """The rows with the date and the sender of a message."""

    date: int
    """Row of the text with the date."""
    sender: tuple[int, str] | None
    """(row, name); None if only an address is shown."""


def mail_header(flat: FlatDom, years: Sequence[int]) -> MailHeader | None:
    """Return the header of the first message of a page; None if there is none. `years` are the rows with a year."""
    if not years or "mailto:" not in "\n".join([target for _, target, _ in flat.anchors]).lower():
        return None
    links = [row for row, target, _ in flat.anchors if target[:7].lower() == "mailto:"][:LINKS]
    for link in links:
        begin, stop = max(link - AROUND, 0), min(flat.end[link] + AROUND, len(flat))
        dated = years[bisect_left(years, begin) : bisect_left(years, stop)]
        if not dated:
            continue
        texts = [row for row in range(begin, stop) if flat.tag[row] == TEXT and flat.text[row].strip()]
        header = _labelled(flat, link, texts, dated) or _bold(flat, link, texts, dated)
        if header is not None:
            return header
    return None


def _labelled(flat: FlatDom, link: int, texts: list[int], dated: Sequence[int]) -> MailHeader | None:
    """Return the header with labelled lines, that of the sender directly before the link; None if there is none."""
    before = [row for row in texts if row < link][-LINES:]
    date = next((row for row in dated if _is_labelled(flat, row, texts)), -1)
    for at, row in enumerate(before):
        label = _FROM.fullmatch(flat.text[row].strip()) if date >= 0 else None
        if label is not None:
            value = " ".join((label[1], *(flat.text[one] for one in before[at + 1 :])))
            return MailHeader(date, _sender(row, value) or _sender(link, _text_of(flat, link)))
    return None


def _is_labelled(flat: FlatDom, row: int, texts: list[int]) -> bool:
    """Return whether a text with a year is the date line: it begins with the label, or follows it."""
    if _DATE.match(flat.text[row].strip()):
        return True
    at = bisect_left(texts, row)
    return at > 0 and _DATE.fullmatch(flat.text[texts[at - 1]].strip()) is not None


def _bold(flat: FlatDom, link: int, texts: list[int], dated: Sequence[int]) -> MailHeader | None:
    """Return the header made of a name in bold, the link, and a date in italics; None if there is none."""
    at, after = bisect_left(texts, link), bisect_left(texts, flat.end[link])
    if at == 0 or after == len(texts):
        return None
    name, date = texts[at - 1], texts[after]
    if flat.tag[flat.parent[name]] not in _NAMED or flat.tag[flat.parent[date]] not in _DATED or date not in dated:
        return None
    return MailHeader(date, _sender(name, flat.text[name]))


def _sender(row: int, raw: str) -> tuple[int, str] | None:
    """Return the name of a sender; None for an address."""
    name = " ".join(raw.split()).strip(_AROUND_NAME)
    cleaned = clean_author(name) if 0 < len(name) <= SHORT and "@" not in name else None
    return (row, cleaned) if cleaned else None


def _text_of(flat: FlatDom, row: int) -> str:
    """Return the text below a row."""
    return " ".join(flat.text[row : flat.end[row]])
