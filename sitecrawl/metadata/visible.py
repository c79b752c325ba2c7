"""Dates, bylines and breadcrumbs that a page shows, with their rows."""

import datetime as dt
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, SKIPPED
from sitecrawl.dom.page import Page
from sitecrawl.metadata.bylines import shown_authors
from sitecrawl.metadata.candidate_rows import DATE, NAME, TRAIL, YEAR, marked
from sitecrawl.metadata.dates import date_in_text, find_date, iso_date
from sitecrawl.metadata.declared import trail_text
from sitecrawl.metadata.mail_headers import mail_header
from sitecrawl.metadata.places import MAX_ABOVE, Places
from sitecrawl.metadata.row_texts import SHORT, row_text

MAX_SHOWN: Final = 60
"""Maximum dates, bylines and breadcrumbs kept per page."""
MAX_HEADINGS: Final = 20
"""Maximum `h1` elements read."""
MAX_TIMES: Final = 500
MAX_LINES: Final = 2_000
"""Maximum rows examined for dates and for names."""
LISTED_ABOVE: Final = 4
"""Ancestors among which the link or the item of a list is looked for that a date is in."""
CARD: Final = 100
"""Rows of such a link that are searched for a heading. Own choice."""
BEFORE: Final = 60
AFTER: Final = 60
"""Rows before and after the headline within which a page's own date stands (docs/metadata.md)."""
BEGINNING: Final = 15
"""Rows at the beginning of the main content that count as beside the headline, however far it is. Own choice."""
FAR: Final = 300
"""Maximum rows between a headline and the main content. Own choice."""
BEHIND: Final = 25
"""Rows after the main content within which a date that announces itself is the page's own."""
RECORDS: Final = 3
"""Number of unmarked dates on one path from which they are those of records. Own choice."""
_REST: Final = 45
"""Maximum characters beside a date in a line that is about the date."""

_OWN: Final = re.compile(
    r"publi|posted|entry-?(?:date|meta)|post-?(?:date|meta)|byline|submitted|dateline", re.IGNORECASE
)
_OTHER: Final = re.compile(
    r"\b(?:born|died|birthday|deadline|geboren|gestorben|geb|født|född|né[e]? le|nacid[oa]|nascid[oa]|nat[oa] il)\b",
    re.IGNORECASE,
)
"""Matches words of a line whose date is that of somebody's life, or of an event."""
_RANGE: Final = re.compile(r"(?:(?:^|[\s\d])(?:al?|au|bis|to|till|until|do|до)|\d\s?[-–—])\s?$")
"""Matches what stands before the last day of an event."""
_BYLINE: Final = re.compile(r"\bby (?:[^\W\d_]+[ .'’-]{1,2}){1,4}(?=\W|$)", re.IGNORECASE)
_CHANGED_BEHIND: Final = re.compile(r"[^\d:：]{0,30}?(?:更新|修改|수정)(?:[\s。）)|]|$)")
"""Matches the words after a date of change, where the verb comes last; the label of the next date is none."""
_PUBLISHED_LABEL: Final = re.compile(
    r"(?:(?:this (?:article|entry|post) was )?(?:published|posted|created|submitted|written)"
    r"|dieser (?:artikel|beitrag|eintrag) wurde|veröffentlicht|erstellt|publié|publicado|pubblicato|opublikowano)"
    r"(?: on| the| am| le| el)?:?\s*|(?:опубликовано|发布|發佈|發表|投稿日|公開日)[：:]?\s*",
    re.IGNORECASE,
)
"""Matches the words before a date that say that it is the page's own."""
_CHANGED: Final = re.compile(
    r"updated|modified|\bchanged\b|revision-date|"
    r"last[\s-](?:edit|change|update|review)|aktualisiert|geändert|mis à jour|modifi|actualizad|"
    r"aggiornato|обновлен|изменен|更新|修改|最終更新|수정",
    re.IGNORECASE,
)
_LISTED: Final = frozenset(("a", "li", "dt", "dd"))
_STEP: Final = re.compile(r"^[\s>»›/|→:·-]+|[\s>»›/|→:·-]+$")
_CHANGED_BEFORE: Final = re.compile(rf"(?:{_CHANGED.pattern})\D*$", re.IGNORECASE)


class ShownDate(NamedTuple):
    """A date in the text of a page."""

    row: int
    date: str
    """In ISO 8601."""
    changed: bool
    """Whether it announces itself as a time of change."""
    own: bool
    """Whether its markup places it in an article."""


class Shown(NamedTuple):
    """Shown facts that may be about the page."""

    headings: tuple[int, ...]
    """Rows of `h1` elements."""
    dates: tuple[ShownDate, ...]
    authors: tuple[tuple[int, str], ...]
    """(row, name)."""
    section: str | None


def read_shown(page: Page, now: dt.datetime) -> Shown:
    """Collect dates, bylines and breadcrumbs. Raises PageTooLargeError for a page with too many nodes."""
    flat = page.flat
    found = marked(flat)
    named = found.named[:MAX_LINES]
    dated, authors, trails = ([row for row, bits in named if bits & what] for what in (DATE, NAME, TRAIL))
    places = Places(flat, found.headings[:MAX_HEADINGS], found.times[:MAX_TIMES])
    shown = {
        *_times(page, found.times, now, places),
        *_classed_dates(flat, sorted({*dated, *authors}), found.years, now, places),
        *_lines(flat, found.years, now, places),
    }
    names = list(shown_authors(flat, authors, dated, places, MAX_SHOWN))
    mail = mail_header(flat, found.years)
    if mail is not None:
        sent = find_date(row_text(flat, mail.date), now)
        shown |= {ShownDate(mail.date, sent[0], changed=False, own=True)} if sent else set()
        names += [mail.sender] if mail.sender else []
    return Shown(
        tuple(found.headings[:MAX_HEADINGS]),
        tuple(sorted(shown)[:MAX_SHOWN]),
        tuple(sorted(names)),
        _section(page, trails),
    )


def near_date(shown: Shown, nodes: Sequence[int], end: Sequence[int], *, changed: bool) -> str | None:
    """Return the date nearest to the headline of the main content, or just after the content."""
    if not nodes:
        return None
    anchor, last = _anchor(shown, nodes, end), end[nodes[-1]]
    best: tuple[int, int, str] | None = None
    for row, date, is_changed, own in shown.dates:
        if is_changed is not changed:
            continue
        distance = row - anchor
        if _is_near(row, anchor, nodes[0]):
            rank = (0 if own else 1, abs(distance) * (2 if distance < 0 else 1), date)
        elif own and last <= row <= last + BEHIND:
            rank = (2, row - last, date)
        else:
            continue
        best = min(best, rank) if best else rank
    return best[2] if best else None


def near_author(shown: Shown, nodes: Sequence[int], end: Sequence[int]) -> str | None:
    """Return the byline next to the headline, else just after the content, else the only one between the two."""
    if not nodes:
        return None
    anchor, last = _anchor(shown, nodes, end), end[nodes[-1]]
    near = [(abs(row - anchor), name) for row, name in shown.authors if _is_near(row, anchor, nodes[0])]
    behind = [(row, name) for row, name in shown.authors if last <= row <= last + BEHIND]
    between = {name for row, name in shown.authors if anchor < row < nodes[0]}
    if near or behind:
        return min(near or behind)[1]
    return between.pop() if len(between) == 1 else None


def _is_near(row: int, anchor: int, first: int) -> bool:
    """Tell whether a row is near the headline or the `first` row of the main content, or between them.

    What stands between a headline and a text far below it is about other things.
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
        if places.has_no_date(row) or _is_on_card(flat, row):
            continue
        text = row_text(flat, row)
        date = iso_date(element.get("datetime") or "", now) or date_in_text(text, now)
        if date is not None:
            above = f"{flat.names[row]} {flat.names[flat.parent[row]]} {element.get('itemprop') or ''}"
            named = _CHANGED.search(above) is not None and "publi" not in above  # `published updated` was not changed
            changed = named or _CHANGED.search(text) is not None or _changed_beside(flat, row)
            yield ShownDate(row, date, changed, bool(_OWN.search(above)) or _is_published(flat, row, text))


def _is_on_card(flat: FlatDom, row: int) -> bool:
    """Tell whether a date is in a link with a heading or much other text: on the card of another page."""
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
    if not years:
        return
    for row in classed:
        end = flat.end[row]
        if end - row > 40 or flat.tag[row] == "time" or bisect_left(years, row) == bisect_left(years, end):
            continue
        if places.has_no_date(row):
            continue
        text = row_text(flat, row)
        if not 6 <= len(text) <= 2 * SHORT or not YEAR.search(text):
            continue
        found = find_date(text, now)
        if found:
            lead, rest = f"{flat.names[row]} {text[: found[1]]}", text[found[2] :]
            changed = (
                bool(_CHANGED.search(lead)) or _CHANGED_BEHIND.match(rest) is not None or _changed_beside(flat, row)
            )
            yield ShownDate(row, found[0], changed, own=True)


def _lines(flat: FlatDom, years: list[int], now: dt.datetime, places: Places) -> Iterator[ShownDate]:
    """Yield dates in short lines that contain little else; `years` are the rows that contain a year.

    Several on one path are the dates of records: of the versions in a list of changes, or of the born in a family.
    """
    short = (row for row in years if 8 <= len(flat.text[row]) <= 2 * SHORT)
    found = []
    for row in islice(short, MAX_LINES):
        if flat.tag[flat.parent[row]] == "time":
            continue  # already read
        if places.has_no_date(row) or _is_listed(flat, row):
            continue
        text = " ".join(flat.text[row].split())
        date = find_date(text, now) if len(text) <= SHORT else None
        if date and _is_line(flat, row, text, date) and "©" not in text and not text.endswith((".", "!")):
            changed = bool(_CHANGED.search(text)) or _changed_beside(flat, row)
            found.append(ShownDate(row, date[0], changed, own=_PUBLISHED_LABEL.match(text) is not None))
    paths = Counter(flat.path[one.row] for one in found)
    yield from (one for one in found if paths[flat.path[one.row]] < RECORDS)


def _is_line(flat: FlatDom, row: int, text: str, found: tuple[str, int, int]) -> bool:
    """Tell whether a text is a line about the date in it; beside much other text it has a byline too, and no more."""
    rest = text[: found[1]] + text[found[2] :]
    if _RANGE.search(text[: found[1]]) is not None or _OTHER.search(rest) is not None:
        return False
    if flat.chars[flat.parent[row]] > SHORT:
        left, bylines = _BYLINE.subn("", rest)
        return bylines > 0 and not any(map(str.isalnum, left))
    return len(rest) <= _REST


def _is_listed(flat: FlatDom, row: int) -> bool:
    """Tell whether a row is in a link or in an item of a list: such dates are those of events and of other pages."""
    return any(flat.tag[above] in _LISTED for above in islice(flat.ancestors(row), LISTED_ABOVE))


def _changed_beside(flat: FlatDom, row: int) -> bool:
    """Tell whether the words before or after a row are about a date of change."""
    if _CHANGED_BEFORE.search(" ".join(flat.text[max(0, row - 4) : row]).rstrip()[-40:]):
        return True
    return _CHANGED_BEHIND.match(" ".join(flat.text[flat.end[row] : flat.end[row] + 6]).lstrip()) is not None


def _is_published(flat: FlatDom, row: int, text: str) -> bool:
    """Tell whether the words before a date, or at its beginning, say that the page was published then."""
    before = " ".join(flat.text[max(0, row - 2) : row]).strip()
    return _PUBLISHED_LABEL.match(text) is not None or (bool(before) and _PUBLISHED_LABEL.fullmatch(before) is not None)


def _section(page: Page, classed: list[int]) -> str | None:
    """Return the first breadcrumbs of the page: the texts of their links."""
    flat = page.flat
    for row in classed:
        if flat.end[row] - row > 150:
            continue
        first = bisect_left(flat.anchors, (row,))
        links = [(node, href) for node, href, _ in flat.anchors[first : first + 12] if node < flat.end[row]]
        steps = [(_STEP.sub("", row_text(flat, node)), href) for node, href in links]
        if section := trail_text([*steps, ("", "")], page.url):
            return section
    return None
