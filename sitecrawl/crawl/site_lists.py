"""Reads lists of websites to be added: one start URL a line, or CSV with a header.

The columns of CSV are `url`, and any of `every`, `max_pages`, `include`, `exclude`. An unusable line
is reported with its number and the reason; the other lines are used.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sitecrawl.crawl.schedule import MAXIMUM, MINIMUM, parse_every
from sitecrawl.errors import ConfigError
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import fetchable_url

COLUMNS: Final = ("url", "every", "max_pages", "include", "exclude")
MOST_PAGES: Final = 10**9
UNDECODED: Final = re.compile("[\ud800-\udfff]")
"""Matches a byte that is not UTF-8, as `surrogateescape` reads it."""
SEPARATORS: Final = {";": "semicolons", "\t": "tabs"}
"""Characters that other programs write between cells instead of commas, with their names."""
CACHED: Final = 1024
"""Maximum lines whose parsed options are cached: most lines of a list have the same options."""


class ListedSite(NamedTuple):
    """A website of a list."""

    line: int
    host: str
    start_url: str
    options: Mapping[str, Any]
    """The `site.options` of the site."""


class BadLine(NamedTuple):
    """A line of a list that cannot be used."""

    line: int
    reason: str


def read_sites(lines: Iterable[str], site_scope: str, given: Mapping[str, Any]) -> Iterator[ListedSite | BadLine]:
    """Yield the site of each line, or the problem with it; blank lines and comments (`#`) are skipped.

    `given` are the default `site.options`; a line may override them. `lines` are read with `surrogateescape`: a line
    with bytes that are not UTF-8 is a problem. Raises ConfigError for an unusable header.
    """
    numbered = ((number, line.lstrip("\ufeff").strip()) for number, line in enumerate(lines, 1))
    filled = ((number, line) for number, line in numbered if line and not line.startswith("#"))
    header: list[str] | None = None
    for position, (number, line) in enumerate(filled):
        if not position and (header := _header(line)) is not None:
            continue
        try:
            if UNDECODED.search(line):
                raise ConfigError("not text in UTF-8; save the list in this encoding, or write the URL with %XX")
            row = {"url": line} if header is None else _row(header, line)
            url, options = row.pop("url", ""), {**given, **_row_options(row)}
            yield ListedSite(number, SiteScope.of(url, site_scope).key, _start_url(url), options)
        except ConfigError as error:
            yield BadLine(number, str(error))


def site_options(every: str | None, max_pages: str | None, include: str | None, exclude: str | None) -> dict[str, Any]:
    """Return `site.options` from the texts of the command line or of CSV cells; None or an empty text sets no option.

    Raises ConfigError for an unusable text.
    """
    options: dict[str, Any] = {}
    if every:
        options[MINIMUM], options[MAXIMUM] = parse_every(every)
    if max_pages:
        if not max_pages.strip().isdecimal() or int(max_pages) > MOST_PAGES:
            raise ConfigError(f"max_pages {max_pages!r:.50} cannot be used: a whole number from 0 to {MOST_PAGES}")
        options["max_pages"] = int(max_pages)
    for name, text in (("include", include), ("exclude", exclude)):
        if patterns := (text or "").split():  # separated as in the settings of these names
            options[name] = [_pattern(name, one) for one in patterns]
    return options


def _header(line: str) -> list[str] | None:
    """Return the columns of a header; None if the line is no header.

    Raises ConfigError for an unknown or repeated column, and for other separators than commas.
    """
    for separator, word in SEPARATORS.items():
        cells = [cell.strip(' "').lower() for cell in line.split(separator)]
        if len(cells) > 1 and "url" in cells and "://" not in line:
            raise ConfigError(f"the columns are separated by {word}; separate the cells of the list by commas")
    names = [name.strip().lower() for name in next(csv.reader([line]), [])]
    if "url" not in names:
        return None
    if unknown := [name for name in names if name not in COLUMNS]:
        raise ConfigError(f"the column {unknown[0]!r:.50} is unknown; the columns are {', '.join(COLUMNS)}")
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"the column {repeated[0]!r} is there twice; leave one of them out")
    return names


def _row(header: list[str], line: str) -> dict[str, str]:
    try:
        cells = next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise ConfigError(f"not CSV ({error})") from None
    if len(cells) > len(header):
        raise ConfigError(f"{len(cells)} cells for {len(header)} columns; quote a cell with commas")
    return dict(zip(header, (cell.strip() for cell in cells), strict=False))


def _row_options(row: Mapping[str, str]) -> Mapping[str, Any]:
    return _options_of(*(row.get(name, "") for name in COLUMNS[1:])) if row else {}


@lru_cache(CACHED)
def _options_of(every: str, max_pages: str, include: str, exclude: str) -> Mapping[str, Any]:
    return site_options(every, max_pages, include, exclude)


def _start_url(url: str) -> str:
    found = fetchable_url(url)
    assert found is not None  # SiteScope.of has refused others
    return found


def _pattern(name: str, text: str) -> str:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(f"{name} {text!r:.100} is not a regular expression ({error})") from None
    return text
