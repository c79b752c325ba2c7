"""Dates, bylines and breadcrumbs that a page shows, with their rows."""

import datetime as dt
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import SKIPPED, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.metadata.candidate_rows import DATE, NAME, NAME_LENGTH, NAMES, TRAIL, YEAR, marked
from sitecrawl.metadata.dates import date_in_text, find_date, iso_date
from sitecrawl.metadata.declared import clean_author, trail_text

MAX_SHOWN: Final = 60
"""Maximum dates, bylines and breadcrumbs kept per page."""
MAX_TIMES: Final = 500
MAX_LINES: Final = 2_000
"""Maximum rows examined for dates and for names."""
MAX_ABOVE: Final = 40
"""Maximum ancestors examined."""
LISTED_ABOVE: Final = 4
"""Ancestors among which the link or the item of a list is looked for that a date is in."""
BEFORE: Final = 60
AFTER: Final = 60
"""Rows before and after the headline within which a page's own date stands (docs/metadata.md)."""
BEHIND: Final = 25
"""Rows after the main content within which a date that announces itself is the page's own."""
_SHORT: Final = 120
_REST: Final = 45
"""Maximum characters beside a date in a line that is about the date."""

_OWN: Final = re.compile(
    r"publi|posted|entry-?(?:date|meta)|post-?(?:date|meta)|byline|submitted|dateline", re.IGNORECASE
)
_CHANGED: Final = re.compile(
    r"updated|modified|\bchanged\b|"
    r"last[\s-](?:edit|change|update|review)|aktualisiert|geändert|mis à jour|modifi|actualizad|"
    r"aggiornato|обновлен|изменен|更新|修改|最終更新|수정",
    re.IGNORECASE,
)
_OUTSIDE: Final = frozenset(("nav", "aside", "footer", "select", "form", "table", "pre", "code", "blockquote"))
_LISTED: Final = frozenset(("a", "li", "dt", "dd"))
_WHOLE: Final = frozenset(("article", "body", "main", "section"))
"""Elements that hold a page or an entry: Drupal names them after the account of their author."""
_BYLINE: Final = re.compile(r"\s*(?:(?:written|posted|published|words)\s+)?by:?\s+(\w[^|•·,(]{2,60})", re.IGNORECASE)
_STEP: Final = re.compile(r"^[\s>»›/|→:·-]+|[\s>»›/|→:·-]+$")
_LEADS: Final = re.compile(rf"(?:{_CHANGED.pattern})\D*$", re.IGNORECASE)
_ELSEWHERE: Final = (
    "comment", "related", "sidebar", "side-bar", "widget", "footer", "nav", "menu", "teaser", "recommend", "popular",
    "latest", "recent", "more-", "archive", "copyright", "event", "calendar", "next", "prev", "carousel", "slider",
    "promo", "reply", "replies", "revision", "signature", "join", "member", "profile", "weather",
)  # fmt: skip
"""Parts of names of elements about other pages, other people or other times."""


@lru_cache(NAMES)
def _says_elsewhere(name: str) -> bool:
    name = name[:NAME_LENGTH].lower()
    return any(part in name for part in _ELSEWHERE)


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


class _Places:
    """Tells which rows of a page belong to other pages, or are boilerplate; rows of one parent are judged together."""

    def __init__(self, flat: FlatDom) -> None:
        self.flat = flat
        self._above: dict[int, bool | None] = {}
        """Verdicts of the elements above, by parent; None where they say nothing."""

    def elsewhere(self, row: int) -> bool:
        """Tell whether a row belongs to another page, or is boilerplate."""
        parent = self.flat.parent[row]
        if parent not in self._above:
            self._above[parent] = self._judged(row)
        verdict = self._above[parent]
        name = self.flat.names[row]
        return bool(name and _says_elsewhere(name)) if verdict is None else verdict

    def _judged(self, row: int) -> bool | None:
        flat, names = self.flat, self.flat.names
        for above in islice(flat.ancestors(row), MAX_ABOVE):
            if flat.tag[above] in ("body", "html", "main"):
                return False
            if flat.tag[above] in _OUTSIDE or (names[above] and _says_elsewhere(names[above])):
                return not (flat.tag[above] == "table" and flat.end[above] - above > 400)
        return None


def read_shown(page: Page, now: dt.datetime) -> Shown:
    """Collect dates, bylines and breadcrumbs. Raises PageTooLargeError for a page with too many nodes."""
    flat = page.flat
    found = marked(flat)
    named = found.named[:MAX_LINES]
    dated, authors, trails = ([row for row, bits in named if bits & what] for what in (DATE, NAME, TRAIL))
    places = _Places(flat)
    shown = {
        *_times(page, found.times, now, places),
        *_classed_dates(flat, dated, found.years, now, places),
        *_lines(flat, found.years, now, places),
    }
    return Shown(
        tuple(found.headings[:4]),
        tuple(sorted(shown)[:MAX_SHOWN]),
        tuple(_authors(flat, authors, places)),
        _section(page, trails),
    )


def near_date(shown: Shown, nodes: Sequence[int], end: Sequence[int], *, changed: bool) -> str | None:
    """Return the date nearest to the headline of the main content, or just after the content."""
    anchor = _anchor(shown, nodes)
    if anchor is None:
        return None
    last = end[nodes[-1]]
    best: tuple[int, int, str] | None = None
    for row, date, is_changed, own in shown.dates:
        if is_changed is not changed:
            continue
        distance = row - anchor
        if -BEFORE <= distance <= AFTER:
            rank = (0 if own else 1, abs(distance) * (2 if distance < 0 else 1), date)
        elif own and last <= row <= last + BEHIND:
            rank = (2, row - last, date)
        else:
            continue
        best = min(best, rank) if best else rank
    return best[2] if best else None


def near_author(shown: Shown, nodes: Sequence[int]) -> str | None:
    """Return the byline next to the headline of the main content."""
    anchor = _anchor(shown, nodes)
    if anchor is None:
        return None
    near = [(abs(row - anchor), name) for row, name in shown.authors if -BEFORE <= row - anchor <= AFTER]
    return min(near)[1] if near else None


def _anchor(shown: Shown, nodes: Sequence[int]) -> int | None:
    """Return the row of the headline: the last `h1` before or in the content, else the beginning of the content."""
    if not nodes:
        return None
    before = [row for row in shown.headings if row <= nodes[0] + AFTER]
    return before[-1] if before and nodes[0] - before[-1] <= 2 * AFTER else nodes[0]


def _times(page: Page, rows: list[int], now: dt.datetime, places: _Places) -> Iterator[ShownDate]:
    if not rows:
        return
    flat, elements = page.flat, list(islice(page.root.iter("time"), MAX_TIMES + 1))
    if len(elements) != len(rows):
        elements = [one for one in elements if not _skipped(one)]
    for row, element in zip(rows[:MAX_TIMES], elements[:MAX_TIMES], strict=False):
        if places.elsewhere(row):
            continue
        text = _text(flat, row)
        date = iso_date(element.get("datetime") or "", now) or date_in_text(text, now)
        if date is not None:
            above = f"{flat.names[row]} {flat.names[flat.parent[row]]} {element.get('itemprop') or ''}"
            changed = bool(_CHANGED.search(f"{above} {text}")) or _is_led(flat, row)
            yield ShownDate(row, date, changed, bool(_OWN.search(above)))


def _skipped(element: _Element) -> bool:
    return any(above.tag in SKIPPED for above in islice(element.iterancestors(), MAX_ABOVE))


def _classed_dates(
    flat: FlatDom, classed: list[int], years: list[int], now: dt.datetime, places: _Places
) -> Iterator[ShownDate]:
    if not years:
        return
    for row in classed:
        end = flat.end[row]
        if end - row > 40 or flat.tag[row] == "time" or bisect_left(years, row) == bisect_left(years, end):
            continue
        if places.elsewhere(row):
            continue
        text = _text(flat, row)
        if not 6 <= len(text) <= 2 * _SHORT or not YEAR.search(text):
            continue
        found = find_date(text, now)
        if found:
            lead = f"{flat.names[row]} {text[: found[1]]}"
            yield ShownDate(row, found[0], bool(_CHANGED.search(lead)) or _is_led(flat, row), own=True)


def _lines(flat: FlatDom, years: list[int], now: dt.datetime, places: _Places) -> Iterator[ShownDate]:
    """Yield dates in short lines that contain little else; `years` are the rows that contain a year."""
    short = (row for row in years if 8 <= len(flat.text[row]) <= 2 * _SHORT)
    for row in islice(short, MAX_LINES):
        if flat.tag[flat.parent[row]] == "time" or flat.chars[flat.parent[row]] > _SHORT:
            continue  # already read, or a piece of a paragraph
        if places.elsewhere(row) or _is_listed(flat, row):
            continue
        text = " ".join(flat.text[row].split())
        found = find_date(text, now) if len(text) <= _SHORT else None
        if found and len(text) - (found[2] - found[1]) <= _REST and "©" not in text and not text.endswith((".", "!")):
            yield ShownDate(row, found[0], bool(_CHANGED.search(text)) or _is_led(flat, row), own=False)


def _is_listed(flat: FlatDom, row: int) -> bool:
    """Tell whether a row is in a link or in an item of a list: such dates are those of events and of other pages."""
    return any(flat.tag[above] in _LISTED for above in islice(flat.ancestors(row), LISTED_ABOVE))


def _is_led(flat: FlatDom, row: int) -> bool:
    """Tell whether the words before a row announce a date of change."""
    return bool(_LEADS.search(" ".join(flat.text[max(0, row - 4) : row]).rstrip()[-40:]))


def _authors(flat: FlatDom, classed: list[int], places: _Places) -> Iterator[tuple[int, str]]:
    rows = [row for row in classed if flat.end[row] - row <= 20 and flat.tag[row] not in _WHOLE]
    rels = {rel for rel in {rel for _, _, rel in flat.anchors} if "author" in rel.lower().split()}
    rows += [row for row, _, rel in flat.anchors if rel in rels] if rels else []
    found = 0
    for row in sorted(rows):
        if found == MAX_SHOWN:
            return
        if places.elsewhere(row):
            continue
        text = _text(flat, row)
        by = _BYLINE.match(text)
        name = clean_author(by[1] if by else text) if len(text) <= _SHORT else None
        if name and len(name.split()) <= 5 and not YEAR.search(name):
            found += 1
            yield row, name


def _section(page: Page, classed: list[int]) -> str | None:
    """Return the first breadcrumbs of the page: the texts of their links."""
    flat = page.flat
    for row in classed:
        if flat.end[row] - row > 150:
            continue
        first = bisect_left(flat.anchors, (row,))
        links = [(node, href) for node, href, _ in flat.anchors[first : first + 12] if node < flat.end[row]]
        steps = [(_STEP.sub("", _text(flat, node)), href) for node, href in links]
        if section := trail_text([*steps, ("", "")], page.url):
            return section
    return None


def _text(flat: FlatDom, row: int) -> str:
    end = min(flat.end[row], row + 40)
    return " ".join(" ".join(flat.text[i] for i in range(row, end) if flat.tag[i] == TEXT).split())[: 3 * _SHORT]
