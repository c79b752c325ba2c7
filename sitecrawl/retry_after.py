"""Reads the Retry-After header (RFC 9110 section 10.2.3) of websites and search servers."""

import datetime as dt
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = 366 * 86_400.0
"""Maximum seconds of a wait; longer waits are shortened to it, so that resulting dates stay valid."""
_DIGITS: Final = 12
"""A number with more digits than these is larger than `LONGEST`."""


def retry_after(value: str | None, now: dt.datetime) -> float | None:
    """Return the seconds from `now` that a Retry-After header asks for, from 0 to LONGEST.

    The header contains seconds or a date. The result is None without a header and for any other text.
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
