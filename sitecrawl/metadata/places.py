"""Finds the parts of a page that are about other pages, people or times, and so have no metadata of this page."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS, HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.metadata.candidate_rows import NAME_LENGTH, NAMES, YEAR
from sitecrawl.metadata.row_texts import SHORT

FOOT_ABOVE: Final = 4
"""Number of ancestors of a `footer` among which its `article` is searched. Own choice."""
CELL_ABOVE: Final = 4
"""Number of ancestors among which the cell of a date, and the table of a cell, are searched. Own choice."""
LARGE: Final = 400
"""Number of rows of a table element from which the table is used for page layout."""
HELD, MOST = 0.2, 0.5
"""Minimum share of the page's characters for which an element with a headline, and from which any element, contains the
page itself, whatever its names (`with-sidebar`, `node-promoted`). Own choice."""
ASIDE: Final = 40
"""Maximum rows of an `aside` without headings that is about the page itself: its date and its author. Own choice."""
RECORDS: Final = 3
"""Number of dates on one path, and of table rows with a year, from which the dates belong to records. Own choice."""
BETWEEN: Final = 6
"""Maximum rows between the two times of an event. Own choice."""
_PAGE: Final = frozenset(("body", "html", "main"))
_ENTRY: Final = "hentry"
"""The class name of an entry, in the microformat of blogs."""
_OUTSIDE: Final = frozenset(("nav", "aside", "select", "form", "table", "pre", "code", "blockquote"))
_ELSEWHERE: Final = (
    "comment", "related", "sidebar", "side-bar", "widget", "nav", "menu", "teaser", "recommend", "popular",
    "latest", "recent", "more-", "archive", "copyright", "event", "calendar", "next", "prev", "carousel", "slider",
    "reply", "replies", "revision", "signature", "join", "member", "profile", "weather",
)  # fmt: skip
"""Parts of names of elements about other pages, other people or other times."""
_LAYOUT: Final = re.compile(r"(?<!\S)[^\s\[]*+\[\S*|pointer-events-\w+")
"""Matches class names for the layout alone: values in brackets (`mr-[--sidebar-width]`), and what clicks reach."""
_PROMOTED: Final = re.compile("promo(?!ted)")
"""Matches names of advertisements, but not of records that are promoted to the front page."""
_OWN_FOOT: Final = re.compile("(?:article|asset|entry|post)[-_]?footer")
"""Matches names of the footer of a record, which has its date and its author."""
_JOINT: Final = re.compile(r"[-–—−]|to|till|until|bis|до", re.IGNORECASE)
"""Matches the dash or the word between the two times of an event."""
_NOT_AN_EVENT: Final = re.compile("publi|post|entry|updated|modif|changed|created|submitted", re.IGNORECASE)
"""Matches parts of names of a time that does not belong to an event."""


@lru_cache(NAMES)
def _is_elsewhere_name(name: str, frames: tuple[str, ...] = ()) -> bool:
    """Return whether the class names of an element are those of parts about another page, person or time.

    `frames` are class names without a meaning: they, and the beginning of longer names, do not count.
    """
    name = _LAYOUT.sub(" ", name[:NAME_LENGTH].lower())
    if frames:
        name = " ".join(_without_frame(one, frames) for one in name.split())
    return any(part in name for part in _ELSEWHERE) or _PROMOTED.search(name) is not None


def _without_frame(name: str, frames: tuple[str, ...]) -> str:
    """Return a class name without the longest of the `frames` with which it begins."""
    if not name.startswith(frames):
        return name
    return name[max(len(frame) for frame in frames if name.startswith(frame)) :]


@lru_cache(NAMES)
def _is_foot_name(name: str) -> bool:
    """Return whether the class names of an element are those of a footer of the page, not of a record."""
    return "footer" in _OWN_FOOT.sub("", name[:NAME_LENGTH].lower())


class _Verdict(NamedTuple):
    """Whether what is in an element belongs to another page, or is boilerplate."""

    plain: bool
    foot: bool
    """The same for what is also in a footer inside the element."""


_OWN: Final = _Verdict(plain=False, foot=True)
"""The verdict inside the page itself."""


class Places:
    """Decides which rows of a page belong to other pages, or are boilerplate; rows of one parent are judged as one."""

    def __init__(self, flat: FlatDom, headings: Sequence[int] = (), times: Sequence[int] = ()) -> None:
        """Begin without verdicts; `headings` and `times` are the rows of the headlines and of the `time` elements."""
        self.flat = flat
        self.headings = headings
        self._joined = [row for pair in _joined_times(flat, times) for row in pair]
        """Rows of the begin and end times of events."""
        self._around = {flat.parent[row] for row in self._joined}
        self._entry = _only_entry(flat)
        """The row of the only entry of the page; -1 without one."""
        self._verdicts: dict[int, _Verdict] = {}
        """Cached verdicts, by the row of the element."""
        self._data: dict[int, bool] = {}
        """Whether a table has data, by the row of the table."""

    def elsewhere(self, row: int) -> bool:
        """Return whether a row belongs to another page, or is boilerplate, by the elements around it."""
        known, path, verdict = self._verdicts, list[int](), _OWN
        for above in self.flat.ancestors(row):
            if above in known:
                verdict = known[above]
                break
            path.append(above)
        for above in reversed(path):
            verdict = known[above] = self._judged(above, verdict)
        return verdict.plain

    def has_no_date(self, row: int) -> bool:
        """Return whether a date in a row is not the page's: by the elements around it, by its names, or as an event."""
        if self.elsewhere(row) or (self._is_named_elsewhere(row) and not self._holds_page(row)):
            return True
        if self._is_of_record(row):
            return True
        at = bisect_left(self._joined, row)
        holds = at < len(self._joined) and self._joined[at] < max(self.flat.end[row], row + 1)
        return holds or self.flat.parent[row] in self._around

    def in_foot_of_text(self, row: int) -> bool:
        """Return whether a row is in a `footer` inside `main`, and nothing between them is about another page."""
        flat = self.flat
        above = list(flat.ancestors(row))
        foot = next((at for at, one in enumerate(above) if flat.tag[one] == "footer"), len(above))
        if all(flat.tag[one] != "main" for one in above[foot + 1 :]):
            return False
        return not any(flat.tag[one] in _OUTSIDE or self._is_named_elsewhere(one) for one in above[:foot])

    def _is_of_record(self, row: int) -> bool:
        """Return whether a row is in a short cell of a table with headers, or with several rows that have years."""
        flat = self.flat
        above = (row, *islice(flat.ancestors(row), CELL_ABOVE))
        cell = next((one for one in above if flat.tag[one] in CELLS), -1)
        if cell < 0 or flat.chars[cell] > SHORT:
            return False
        table = next((one for one in islice(flat.ancestors(cell), CELL_ABOVE) if flat.tag[one] == "table"), -1)
        if table not in self._data:
            self._data[table] = table >= 0 and _has_data(flat, table)
        return self._data[table]

    def _judged(self, row: int, outside: _Verdict) -> _Verdict:
        """Return the verdict on an element, given that on the element around it."""
        flat = self.flat
        tag = flat.tag[row]
        if tag in _PAGE:
            return _OWN
        if (tag in _OUTSIDE and not self._is_of_page(row)) or self._is_named_elsewhere(row):
            if self._holds_page(row):
                return _OWN
            elsewhere = not (tag == "table" and flat.end[row] - row > LARGE)
            return _Verdict(elsewhere, elsewhere)
        if tag == "footer":
            inside = outside.plain if self._is_of_article(row) else outside.foot
            return _Verdict(inside, inside)
        if _is_foot_name(flat.names[row]) and not self._holds_page(row):
            return _Verdict(outside.foot, outside.foot)
        return outside

    def _is_named_elsewhere(self, row: int) -> bool:
        """Return whether an element has a name of parts about another page; names of frames do not count."""
        name = self.flat.names[row]
        return _is_elsewhere_name(name) and _is_elsewhere_name(name, self._frames)

    @cached_property
    def _frames(self) -> tuple[str, ...]:
        """Class names around a headline and half of the page's text: page builders put each part into a frame."""
        flat, least = self.flat, MOST * self.flat.chars[0]
        above = {flat.names[one] for row in self.headings for one in flat.ancestors(row)}
        around = {name for names in above for name in names.lower().split() if _is_elsewhere_name(name)}
        if not around:
            return ()
        chars, ends, rows_of = Counter[str](), dict[str, int](), vocabulary(flat).names
        for row in rows_with(rows_of, filter(_is_elsewhere_name, rows_of), range(len(flat))):
            for name in _names(flat, row):
                if name in around and row >= ends.get(name, 0):  # text in a frame inside another one counts once
                    chars[name] += flat.chars[row]
                    ends[name] = flat.end[row]
        return tuple(sorted(name for name, count in chars.items() if count >= least))

    def _is_of_article(self, row: int) -> bool:
        """Return whether a `footer` belongs to an `article`, or is below a headline, where it contains the byline."""
        parent = self.flat.parent[row]
        below = any(parent < heading < row for heading in self.headings) and self.flat.tag[parent] not in _PAGE
        return below or any(self.flat.tag[above] == "article" for above in islice(self.flat.ancestors(row), FOOT_ABOVE))

    def _holds_page(self, row: int) -> bool:
        """Return whether an element has a headline and much of the page's text, or most text, or the only entry."""
        flat, share = self.flat, self.flat.chars[row] / max(1, self.flat.chars[0])
        if row < self._entry < flat.end[row]:
            return True
        return share >= MOST or (share >= HELD and any(row < one < flat.end[row] for one in self.headings))

    def _is_of_page(self, row: int) -> bool:
        """Return whether an element is a small `aside` without headings."""
        flat = self.flat
        small = flat.tag[row] == "aside" and flat.end[row] - row <= ASIDE
        return small and HEADINGS.isdisjoint(flat.tag[row : flat.end[row]])


def _names(flat: FlatDom, row: int) -> frozenset[str]:
    return frozenset(flat.names[row].lower().split())


def _only_entry(flat: FlatDom) -> int:
    """Return the row of the only element that is marked as an entry; -1 if there is none, or several."""
    marked = {names for names in set(flat.names) if _ENTRY in names and _ENTRY in names.split()}
    found = [row for row, names in enumerate(flat.names) if names in marked] if marked else []
    return found[0] if len(found) == 1 else -1


def _has_data(flat: FlatDom, table: int) -> bool:
    """Return whether a table has headers, or years in short texts of several rows; tables inside it do not count."""
    row, records, line = table + 1, set[int](), -1
    while row < flat.end[table]:
        tag, text = flat.tag[row], flat.text[row]
        if tag == "th":
            return True
        if tag == "tr":
            line = row
        elif len(text) <= SHORT and YEAR.search(text) is not None:
            records.add(line)
        row = flat.end[row] if tag == "table" else row + 1
    return len(records) >= RECORDS


def _joined_times(flat: FlatDom, times: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the rows of two `time` elements joined by a dash or word: the beginning and the end of an event."""
    for first, last in pairwise(times):
        between = range(flat.end[first], last)
        if len(between) > BETWEEN or not _JOINT.fullmatch("".join(flat.text[row] for row in between).strip()):
            continue
        if not any(_NOT_AN_EVENT.search(flat.names[row]) for row in (first, last)):
            yield first, last
