"""The Retry-After header (RFC 9110 section 10.2.3) of websites and of search servers."""

import datetime as dt
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = 366 * 86_400.0
"""Maximum seconds; a longer wait counts as this one, so that sums with it stay within the calendar."""
_DIGITS: Final = 12
"""More digits than these mean more seconds than `LONGEST`."""


def retry_after(value: str | None, now: dt.datetime) -> float | None:
    """Return the seconds from `now` that a Retry-After header asks for, from 0 to LONGEST.

    The header holds seconds or a date. The result is None without a header, and for any other text.
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
