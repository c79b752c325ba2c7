"""Reads the dates, bylines and breadcrumbs in the text of a page, with their rows."""

import datetime as dt
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, SKIPPED
from sitecrawl.dom.page import Page
from sitecrawl.metadata.bylines import shown_authors
from sitecrawl.metadata.candidate_rows import DATE, NAME, TRAIL, YEAR, marked
from sitecrawl.metadata.date_lines import (
    CHANGED,
    CHANGED_BEHIND,
    LIFE,
    LISTED_ABOVE,
    MAX_LINES,
    PAGE_CHANGED,
    PUBLISHED_LABEL,
    REST,
    ShownDate,
    changed_beside,
    date_lines,
)
from sitecrawl.metadata.dates import date_in_text, find_date, iso_date
from sitecrawl.metadata.mail_headers import mail_header
from sitecrawl.metadata.places import Places
from sitecrawl.metadata.row_texts import SHORT, row_text
from sitecrawl.metadata.trails import Trail, shown_trail

MAX_SHOWN: Final = 60
"""Maximum dates, bylines and breadcrumbs kept per page."""
MAX_HEADINGS: Final = 20
"""Maximum `h1` elements read."""
MAX_TIMES: Final = 500
DATED: Final = 40
"""Maximum rows of an element whose names announce a date. Own choice."""
SHORTEST: Final = 6
"""Minimum characters of its text: "5.2026". Own choice."""
CARD: Final = 100
"""Number of rows of a link around a date that are searched for a heading. Own choice."""
BEFORE: Final = 60
AFTER: Final = 60
"""Maximum rows before and after the headline within which a date is the page's own (docs/metadata.md)."""
BEGINNING: Final = 15
"""Number of rows at the beginning of the main content that count as near the headline, at any distance. Own choice."""
FAR: Final = 300
"""Maximum rows between a headline and the main content. Own choice."""
BEHIND: Final = 25
"""Maximum rows after the main content within which a labelled date is the page's own."""
FAR_BEHIND: Final = 100
"""The same for the only author there: themes have the box about the author below the tags. Own choice."""
WITHIN: Final = 4
"""The same number at the end of the text, before its last row. Own choice."""

MAX_ABOVE: Final = 40
"""Maximum ancestors of a `time` element examined."""
_OWN: Final = re.compile(
    r"publi|posted|entry-?(?:date|meta)|post-?(?:date|meta)|byline|submitted|dateline", re.IGNORECASE
)


class Shown(NamedTuple):
    """Visible facts that may be about the page."""

    headings: tuple[int, ...]
    """Rows of `h1` elements."""
    dates: tuple[ShownDate, ...]
    authors: tuple[tuple[int, str], ...]
    """(row, name) of each byline."""
    trail: Trail


def read_shown(page: Page, now: dt.datetime) -> Shown:
    """Return the dates, bylines and breadcrumbs of a page. Raises PageTooLargeError for too many nodes."""
    flat = page.flat
    found = marked(flat)
    named = found.named[:MAX_LINES]
    dated, authors, trails = ([row for row, bits in named if bits & what] for what in (DATE, NAME, TRAIL))
    places = Places(flat, found.headings[:MAX_HEADINGS], found.times[:MAX_TIMES])
    shown = {
        *_times(page, found.times, now, places),
        *_classed_dates(flat, sorted({*dated, *authors}), found.years, now, places),
        *date_lines(flat, found.years, now, places),
    }
    names = list(shown_authors(flat, authors, dated, places, MAX_SHOWN))
    mail = mail_header(flat, found.years)
    if mail is not None:
        sent = find_date(row_text(flat, mail.date), now)
        shown |= {ShownDate(mail.date, sent.date, changed=False, own=True)} if sent else set()
        names += [mail.sender] if mail.sender else []
    return Shown(
        tuple(found.headings[:MAX_HEADINGS]),
        tuple(sorted(shown)[:MAX_SHOWN]),
        tuple(sorted(names)),
        shown_trail(page, trails, found.headings[:MAX_HEADINGS]),
    )


def near_date(shown: Shown, nodes: Sequence[int], end: Sequence[int], *, changed: bool) -> str | None:
    """Return the date nearest to the headline of the main content; after the content only one that is `own`."""
    if not nodes:
        return None
    anchor, last = _anchor(shown, nodes, end), end[nodes[-1]]
    best: tuple[int, int, str] | None = None
    for row, date, is_changed, own, of_page in shown.dates:
        if is_changed is not changed:
            continue
        distance = row - anchor
        if _is_near(row, anchor, nodes[0]) and (own or row < last):
            rank = (0 if own else 1, abs(distance) * (2 if distance < 0 else 1), date)
        elif own and last - WITHIN <= row <= last + BEHIND:
            rank = (2, abs(row - last), date)
        elif of_page and row >= last:
            rank = (3, row - last, date)
        else:
            continue
        best = min(best, rank) if best else rank
    return best[2] if best else None


def near_author(shown: Shown, nodes: Sequence[int], end: Sequence[int]) -> str | None:
    """Return the byline near the headline, else directly after the content, else the only one in it or far after."""
    if not nodes:
        return None
    anchor, last = _anchor(shown, nodes, end), end[nodes[-1]]
    near = [(abs(row - anchor), name) for row, name in shown.authors if _is_near(row, anchor, nodes[0])]
    behind = [(row, name) for row, name in shown.authors if last <= row <= last + BEHIND]
    if near or behind:
        return min(near or behind)[1]
    between = {name for row, name in shown.authors if anchor < row < nodes[0]}
    far = {name for row, name in shown.authors if last <= row <= last + FAR_BEHIND}
    return next((only.pop() for only in (between, far) if len(only) == 1), None)


def _is_near(row: int, anchor: int, first: int) -> bool:
    """Return whether a row is near the headline or the `first` row of the main content, or between them.

    Text between a headline and a text far below it is about other things.
    """
    if first - anchor > 2 * AFTER:
        return any(one - BEFORE <= row <= one + AFTER for one in (anchor, first))
    return anchor - BEFORE <= row <= max(anchor + AFTER, first + BEGINNING)


def _anchor(shown: Shown, nodes: Sequence[int], end: Sequence[int]) -> int:
    """Return the row of the headline: the last `h1` at the beginning of the content, or before it.

    Without one it is the beginning of the content.
    """
    first = nodes[0]
    inside = [row for row in shown.headings if first <= row <= first + AFTER and row < end[nodes[-1]]]
    before = [row for row in shown.headings if first - FAR <= row < first]
    return (inside or before or [first])[-1]


def _times(page: Page, rows: list[int], now: dt.datetime, places: Places) -> Iterator[ShownDate]:
    if not rows:
        return
    flat, elements = page.flat, list(islice(page.root.iter("time"), MAX_TIMES + 1))
    if len(elements) != len(rows):
        elements = [one for one in elements if not _skipped(one)]
    for row, element in zip(rows[:MAX_TIMES], elements[:MAX_TIMES], strict=False):
        of_page = PAGE_CHANGED.match(" ".join(flat.text[row - 1].split())) is not None
        of_page = of_page or (_is_change(flat, row) and places.in_foot_of_text(row))
        if not of_page and (places.has_no_date(row) or _is_on_card(flat, row)):
            continue
        text = row_text(flat, row)
        date = iso_date(element.get("datetime") or "", now) or date_in_text(text, now)
        if date is not None and of_page:
            yield ShownDate(row, date, changed=True, own=True, of_page=True)
        elif date is not None:
            above = f"{flat.names[row]} {flat.names[flat.parent[row]]} {element.get('itemprop') or ''}"
            named = CHANGED.search(above) is not None and "publi" not in above  # `published updated`: no change
            changed = named or CHANGED.search(text) is not None or changed_beside(flat, row)
            own = changed or bool(_OWN.search(above)) or _is_published(flat, row, text)
            if own or not _is_of_another(flat, row):
                yield ShownDate(row, date, changed, own)


def _is_change(flat: FlatDom, row: int) -> bool:
    """Return whether nothing but the label of a date of change is before a date in its element: "Last updated:"."""
    label = row - 1
    if flat.parent[label] != flat.parent[row] or label != flat.parent[row] + 1:
        return False
    return len(flat.text[label]) <= SHORT and CHANGED.search(flat.text[label]) is not None


def _is_of_another(flat: FlatDom, row: int) -> bool:
    """Return whether a date is in somebody's life, by the words before it, or in an item of a list with other text."""
    around = flat.parent[row]
    if flat.tag[around] == "li" and flat.chars[around] - flat.chars[row] > REST:
        return True
    return flat.parent[row - 1] == around and LIFE.search(flat.text[row - 1]) is not None


def _is_on_card(flat: FlatDom, row: int) -> bool:
    """Return whether a date is in a link with a heading or much other text, that is, on a card of another page."""
    link = next((above for above in islice(flat.ancestors(row), LISTED_ABOVE) if flat.tag[above] == "a"), -1)
    if link < 0:
        return False
    inside = flat.tag[link : min(flat.end[link], link + CARD)]
    return flat.chars[link] - flat.chars[row] > SHORT or not HEADINGS.isdisjoint(inside)


def _skipped(element: _Element) -> bool:
    return any(above.tag in SKIPPED for above in islice(element.iterancestors(), MAX_ABOVE))


def _classed_dates(
    flat: FlatDom, classed: list[int], years: list[int], now: dt.datetime, places: Places
) -> Iterator[ShownDate]:
    """Yield the dates in elements that are named so, such as `entry-date`; `years` are the rows with a year."""
    if not years:
        return
    for row in classed:
        end = flat.end[row]
        if end - row > DATED or flat.tag[row] == "time" or bisect_left(years, row) == bisect_left(years, end):
            continue
        if places.has_no_date(row):
            continue
        text = row_text(flat, row)
        if not SHORTEST <= len(text) <= 2 * SHORT or not YEAR.search(text):
            continue
        found = find_date(text, now)
        if found:
            lead, rest = f"{flat.names[row]} {text[: found.begin]}", text[found.end :]
            changed = bool(CHANGED.search(lead)) or CHANGED_BEHIND.match(rest) is not None or changed_beside(flat, row)
            yield ShownDate(row, found.date, changed, own=True)


def _is_published(flat: FlatDom, row: int, text: str) -> bool:
    """Return whether the words before a date, or at its beginning, are the label of a date of publication."""
    before = " ".join(flat.text[max(0, row - 2) : row]).strip()
    return PUBLISHED_LABEL.match(text) is not None or (bool(before) and PUBLISHED_LABEL.fullmatch(before) is not None)
