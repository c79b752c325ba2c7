"""Limits against URL traps: calendars, mirrored paths, filters that combine, URLs that grow.

What one URL shows by itself is judged by `trap_problem`; what only many URLs show, by a `TrapGuard`, which
counts how many variants of one path pattern were let through.
"""

import re
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

from sitecrawl.links.urls import MAX_URL_LENGTH, UrlParts, canonical_of, split_url


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """The limits, each with its source; the largest values that are let through."""

    path_segments: int = 20
    """Directories and file of the path. Heritrix `TooManyPathSegmentsDecideRule`; RELIABILITY 4.8."""
    segment_repeats: int = 2
    """The same segments (one, or a cycle of up to three) in a row: `/a/a/` and `/a/b/a/b/` pass, a third
    round does not. Heritrix `PathologicalPathDecideRule`; RELIABILITY 4.8."""
    segment_total: int = 3
    """The same segment anywhere in the path, numbers aside: relative links that breed (`/a/b/a/c/a/...`)
    shuffle the cycle."""
    url_length: int = MAX_URL_LENGTH
    """Characters. RELIABILITY 4, URLLENGTH_LIMIT."""
    query_parameters: int = 8
    """Parameters after tracking ones are dropped. Own choice: filters of shops pile up beyond
    it."""
    query_variants: int = 200
    """Distinct queries, or dates of a calendar, of one path pattern. RELIABILITY 4.8: pattern key, 200."""


MAX_HELD: Final = 20_000
"""Refused variants remembered by one guard (some 4 MB)."""
MAX_VARIANTS: Final = 200_000
"""Variants remembered by one guard, over all patterns (about 20 MB); the pattern asked for least recently
goes first."""

_CYCLE: Final = 3
"""Longest cycle of segments that is looked for."""

_DIGITS: Final = re.compile("[0-9]+")
_DATE_PATH: Final = re.compile(
    r"/(?:19|20|21|22)[0-9]{2}(?:/[01]?[0-9](?:/[0-3]?[0-9])?|-[01]?[0-9](?:-[0-3]?[0-9])?)"
    r"(?:/|/index\.[a-z]{3,5}|\.[a-z]{3,5})?\Z"
)
"""A date at the end of a path: `/2031/05/`, `/2031-05-17.html`. An article *below* a date does not match."""
_MAYBE_DATE: Final = re.compile("[/-](?:19|20|21|22)[0-9]{2}[/-]")
_CALENDAR: Final = re.compile("calend|kalend|agenda|/events?(?:/|$)", re.IGNORECASE)
_CALENDAR_DATE: Final = re.compile(r"[/-][0-9]{4}(?:[/-][0-9]{1,2}){1,2}(?![0-9])")


class Variant(NamedTuple):
    """A URL as one of the many that a path pattern may have."""

    pattern: int
    """63-bit key of host and path, digit runs folded."""
    value: int
    """63-bit key of what varies: the digits and the query."""


def trap_problem(parts: UrlParts, limits: TrapLimits) -> str | None:
    """Return in words which limit the URL alone breaks, or None."""
    length = len(parts.url)
    if length > limits.url_length:
        return f"URL of {length} characters, over {limits.url_length}"
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > limits.path_segments:
        return f"{len(segments)} path segments, over {limits.path_segments}"
    if len(set(segments)) < len(segments):
        problem = _repetition(segments, limits)
        if problem:
            return problem
    parameters = parts.query.count("&") + 1 if parts.query else 0
    if parameters > limits.query_parameters:
        return f"{parameters} query parameters, over {limits.query_parameters}"
    return None


def _repetition(segments: list[str], limits: TrapLimits) -> str | None:
    """Return in words how often segments repeat, if it is too often."""
    for period in range(1, _CYCLE + 1):
        matches = 0  # segments in a row that equal the one a period before
        for i in range(period, len(segments)):
            matches = matches + 1 if segments[i] == segments[i - period] else 0
            if matches >= period * limits.segment_repeats:
                cycle = "/".join(segments[i - period + 1 : i + 1])
                return f"path repeats {cycle!r:.100} over {limits.segment_repeats} times in a row"
    words = [segment for segment in segments if not segment.isdecimal()]
    for segment in set(words):
        if words.count(segment) > limits.segment_total:
            return f"path holds {segment!r:.100} over {limits.segment_total} times"
    return None


def variant(parts: UrlParts, canonical: str) -> Variant | None:
    """Return which variant of which pattern a URL is, or None when its pattern may have any number of pages.

    Only queries and dates count: `/article/12345` is a page of its own, however many there are.
    """
    query = canonical.partition("?")[2]
    path = canonical.removesuffix(f"?{query}")[len(parts.scheme) + len("://") + len(parts.netloc) :]
    if not (query or _DATE_PATH.search(path) or (_CALENDAR.search(path) and _CALENDAR_DATE.search(path))):
        return None
    digits = ",".join(_DIGITS.findall(path))
    return Variant(_key(parts.site + _DIGITS.sub("0", path)), _key(f"{digits}?{query}"))


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1


class TrapGuard:
    """Judges the URLs of one crawl of one site; remembers, within bounds, which variants it let through.

    A URL that was let through once is let through again. A variant that turned out to be a page of its own
    (`credit`) does not count, and brings back one that was refused: a forum whose topics are queries is no trap.
    """

    def __init__(self, limits: TrapLimits | None = None) -> None:
        self.limits = limits or TrapLimits()
        self._variants: OrderedDict[int, set[int]] = OrderedDict()
        self._credits: dict[int, int] = {}
        self._held: dict[int, OrderedDict[int, str]] = {}
        self._held_size = 0
        self._size = 0

    def allows(self, url: str) -> str | None:
        """Return None when a URL may be fetched, else the reason in words."""
        parts = split_url(url)
        if parts is None:
            return "not a URL that can be fetched"
        return trap_problem(parts, self.limits) or self.admit(variant(parts, canonical_of(parts)))

    def admit(self, one: Variant | None) -> str | None:
        """Return None when one more variant of its pattern may be fetched, else the reason in words."""
        if one is None:
            return None
        values = self._variants.get(one.pattern)
        if values is None:
            values = self._variants[one.pattern] = set()
        self._variants.move_to_end(one.pattern)
        if one.value in values:
            return None
        if len(values) >= self.limits.query_variants + self._credits.get(one.pattern, 0):
            return f"over {self.limits.query_variants} variants of one path (queries or dates)"
        values.add(one.value)
        self._size += 1
        self._shrink()
        return None

    def hold(self, one: Variant, url_key: int, url: str) -> None:
        """Remember a refused variant, within bounds, for the time when its pattern has earned it."""
        held = self._held.setdefault(one.pattern, OrderedDict())
        if url_key not in held and self._held_size < MAX_HELD:
            held[url_key] = url
            self._held_size += 1

    def credit(self, url: str) -> list[str]:
        """Note that a URL's page holds main content of its own: its pattern may have one variant more.

        Returns the refused variant that may now be fetched, if one is held: it has been let through.
        """
        parts = split_url(url)
        one = variant(parts, canonical_of(parts)) if parts is not None else None
        if one is None or one.pattern not in self._variants:
            return []
        self._credits[one.pattern] = self._credits.get(one.pattern, 0) + 1
        held = self._held.get(one.pattern)
        if not held:
            return []
        _, released = held.popitem(last=False)
        self._held_size -= 1
        return [released] if self.allows(released) is None else []

    def replay(self, url: str, *, content: bool) -> None:
        """Take up a URL that an earlier run let through, and whether its page held main content of its own."""
        if "?" in url or _MAYBE_DATE.search(url):  # others have no variants
            parts = split_url(url)
            if parts is not None:
                self.admit(variant(parts, canonical_of(parts)))
                if content:
                    self.credit(url)

    def _shrink(self) -> None:
        while self._size > MAX_VARIANTS and len(self._variants) > 1:
            pattern, values = self._variants.popitem(last=False)
            self._credits.pop(pattern, None)
            self._size -= len(values)
