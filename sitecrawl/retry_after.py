"""The Retry-After header of an answer (RFC 9110 section 10.2.3), of websites and of search servers alike."""

import datetime as dt
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = 366 * 86_400.0
"""Seconds; a server that asks for more is taken to ask for this, so that no sum with it leaves the calendar."""
_DIGITS: Final = 12
"""More digits mean more seconds than `LONGEST`, and need not be read."""


def retry_after(value: str | None, now: dt.datetime) -> float | None:
    """Return the seconds from `now` that a Retry-After header asks for, from 0 to LONGEST.

    It is given as seconds or as a date; None without a header, and for anything else.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text.lstrip("0")[: _DIGITS + 1] or 0), LONGEST)
    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC)
        seconds = (moment - now).total_seconds()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return min(max(0.0, seconds), LONGEST)
