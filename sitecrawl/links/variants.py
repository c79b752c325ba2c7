"""Variants of a path: URLs that differ only in their query, or in the date at the end of their path.

Each variant is counted in two groups: its path, and its parameter set within its folder. A group may have a base number
of variants, and more for its pages with main content. For these, not the pages are counted, but the values of one
parameter: the one that has the most values with content. The topics of a forum (`t=1`, `t=2`, ...) have as many values
as pages. Filters have few values in many combinations, each of which may show another text.
"""

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, NamedTuple

from sitecrawl.links.urls import UrlParts, canonical_of, split_url

PLACE_LENGTH: Final = 300
"""Maximum characters of a readable place name."""
LEADS: Final = 3
"""Pages of main content that a listing must be the first to link to for one more variant of its path. Own choice: each
combination of a filter links to the same pages, each page of an archive to new ones."""
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
    """One variant of a path."""

    path: int
    """63-bit key of host and path, runs of digits folded."""
    folder: int
    """63-bit key of host, folder (runs of digits folded) and parameter names."""
    value: int
    """63-bit key of the varying parts: the digits of the path and the query."""


class Description(NamedTuple):
    """A variant in detail, for a page that was read."""

    variant: Variant
    values: tuple[tuple[str, int], ...]
    """(parameter, hash of its value); the digits of the path are parameters without a name."""
    path: str
    """Readable path: `example.org/shop/list?`."""
    folder: str
    """Readable folder and parameters: `example.org/shop/*?colour&size`."""


def variant(parts: UrlParts, canonical: str) -> Variant | None:
    """Return the variant of a URL; None if its path may have any number of pages.

    Only queries and dates make variants: `/article/12345` is a separate page, however many such pages there are.
    """
    query = canonical.partition("?")[2]
    path = canonical.removesuffix(f"?{query}")[len(parts.scheme) + len("://") + len(parts.netloc) :]
    if not (query or _DATE_PATH.search(path) or (_CALENDAR.search(path) and _CALENDAR_DATE.search(path))):
        return None
    digits = ",".join(_DIGITS.findall(path))
    folded = parts.site + _DIGITS.sub("0", path)
    folder = f"{folded[: folded.rstrip('/').rfind('/') + 1]}*?{'&'.join(_names(query))}"
    return Variant(_key(folded), _key(folder), _key(f"{digits}?{query}"))


def describe(url: str) -> Description | None:
    """Return the description of a variant, or None for any other URL."""
    if "?" not in url and not _MAYBE_DATE.search(url):
        return None
    parts = split_url(url)
    if parts is None:
        return None
    canonical = canonical_of(parts)
    one = variant(parts, canonical)
    if one is None:
        return None
    path, _, query = canonical.partition("?")
    path = path[len(parts.scheme) + len("://") :]
    digits = ((f"/{place}", number) for place, number in enumerate(_DIGITS.findall(path[len(parts.netloc) :])))
    pairs = (pair.partition("=")[::2] for pair in query.split("&") if pair)
    values = tuple((name, hash_of(value)) for name, value in (*digits, *pairs))
    folder = path[: path.rstrip("/").rfind("/") + 1]
    names = "&".join(_names(query))
    return Description(one, values, f"{path}?"[:PLACE_LENGTH], f"{folder}*?{names}"[:PLACE_LENGTH])


def _names(query: str) -> list[str]:
    return sorted({pair.partition("=")[0] for pair in query.split("&") if pair})


def _key(text: str) -> int:
    return hash_of(text) >> 1


def hash_of(text: str) -> int:
    """Return a 64-bit hash of a text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


@dataclass(slots=True)
class Group:
    """The variants of one path, or of one parameter set in one folder."""

    base: int
    """Number of variants that are allowed without regard to their content."""
    credit: int
    """Further variants for each value of the best parameter."""
    most: int
    """Maximum number of variants."""
    count: int = 0
    """Number of allowed variants."""
    refused: bool = False
    """Whether a variant was refused."""
    first: dict[str, dict[int, int]] = field(default_factory=dict)
    """By parameter and value: the first variant that had main content."""
    led: dict[int, int] = field(default_factory=dict)
    """By variant without main content: the number of pages of main content that it was the first to link to."""
    leading: int = 0
    """Number of variants that lead to main content."""
    through: set[int] = field(default_factory=set)
    """For a path: the variants that were allowed."""

    @property
    def size(self) -> int:
        """Number of remembered entries."""
        return 1 + len(self.through) + len(self.led) + sum(map(len, self.first.values()))

    @property
    def best(self) -> dict[int, int]:
        """For the parameter with the most values with content: the first variant with content, by value."""
        return max(self.first.values(), key=len, default={})

    @property
    def limit(self) -> int:
        """Number of variants allowed now."""
        return min(self.base + self.credit * len(self.best) + self.leading, self.most)

    def leads(self, value: int) -> bool:
        """Return whether a variant leads to main content."""
        return self.led.get(value, 0) >= LEADS

    def holds(self, value: int) -> bool:
        """Return whether a variant leads to content, or was the first with content for a value of `best`."""
        return value in self.best.values() or self.leads(value)

    def lead(self, value: int) -> None:
        """Record that a variant was the first to link to one more page of main content."""
        self.led[value] = self.led.get(value, 0) + 1
        self.leading += self.led[value] == LEADS

    @property
    def spent(self) -> bool:
        """Whether a variant was refused and the limit is reached."""
        return self.refused and self.count >= self.limit

    def note(self, value: int, values: tuple[tuple[str, int], ...]) -> int:
        """Record that a variant had main content; return how many of its values are new."""
        new = 0
        for name, one in values:
            known = self.first.setdefault(name, {})
            new += one not in known
            known.setdefault(one, value)
        return new
