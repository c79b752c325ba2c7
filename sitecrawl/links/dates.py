"""Parses the dates of sitemaps, feeds and robots directives, each into the interval of time that it may mean."""

import datetime as dt
import re
from email.utils import parsedate_tz
from typing import Final, NamedTuple

MAX_LENGTH: Final = 64
"""Maximum characters of a date that are parsed."""
FIRST_YEAR: Final = 1990
"""Earlier dates are default values of programs (`0001-01-01`, `1970-01-01`) and are ignored."""
SLACK: Final = dt.timedelta(days=1)
"""Maximum time that a date may lie in the future without being ignored: clocks and time zones differ."""

_EAST: Final = dt.timedelta(hours=14)
_WEST: Final = dt.timedelta(hours=12)
"""Possible offsets of a time without a zone: UTC+14 to UTC-12."""

_W3C: Final = re.compile(
    r"(\d{4})(?:[-/]?(\d\d?)(?:[-/]?(\d\d?)"
    r"(?:[T\s]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?",
    re.IGNORECASE,
)
"""ISO 8601 in the W3C profile (sitemaps.org, Atom), with its usual misspellings."""


class Dated(NamedTuple):
    """A date as an interval: a day without a time covers that day in every time zone."""

    first: dt.datetime
    """Earliest possible moment, in UTC with tzinfo."""
    last: dt.datetime
    """Latest possible moment, in UTC with tzinfo."""


def parse_date(text: str) -> Dated | None:
    """Parse a W3C or RFC 822 date; return None if it is unreadable or before 1990.

    Second 60 and hour 24 count as the end of the minute and of the day.
    """
    text = " ".join(text[: 2 * MAX_LENGTH].split())
    if not text or len(text) > MAX_LENGTH:
        return None
    found = _W3C.fullmatch(text)
    try:
        dated = _w3c(found) if found else _mail(text)
    except (ValueError, OverflowError):
        return None
    return dated if dated is not None and dated.first.year >= FIRST_YEAR else None


def parse_past_date(text: str, now: dt.datetime) -> Dated | None:
    """Like `parse_date`, but return None for a date in the future."""
    dated = parse_date(text)
    return dated if dated is not None and dated.first <= now + SLACK else None


def _w3c(found: re.Match[str]) -> Dated:
    year, month, day, hour, minute, second, zone = found.groups()
    start = dt.datetime(int(year), int(month or 1), int(day or 1), tzinfo=dt.UTC)
    if hour is not None:
        moment = start + dt.timedelta(hours=int(hour), minutes=int(minute), seconds=int(second or 0))
        if not (int(hour) <= 24 and int(minute) <= 59 and int(second or 0) <= 60):
            raise ValueError("no time of day")
        return Dated(moment - _EAST, moment + _WEST) if zone is None else _at(moment - _offset(zone))
    if day:
        end = start + dt.timedelta(days=1)
    elif month:
        end = (start + dt.timedelta(days=31)).replace(day=1)
    else:
        end = start.replace(year=start.year + 1)
    return Dated(start - _EAST, end + _WEST)


def _offset(zone: str) -> dt.timedelta:
    digits = zone[1:].replace(":", "")
    if not digits.isdigit():  # Z, UTC, GMT
        return dt.timedelta()
    offset = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return -offset if zone[0] == "-" else offset


def _mail(text: str) -> Dated | None:
    """Parse a date of RFC 822 or 850: `Fri, 25 Jun 2010 15:00:00 PST`, `25-Jun-10 15:00:00 GMT`."""
    parts = parsedate_tz(text)
    if parts is None:
        return None
    moment = dt.datetime(*parts[:6], tzinfo=dt.UTC)
    offset = parts[9]
    if offset is None:
        return Dated(moment - _EAST, moment + _WEST)
    return _at(moment - dt.timedelta(seconds=offset))


def _at(moment: dt.datetime) -> Dated:
    return Dated(moment, moment)
