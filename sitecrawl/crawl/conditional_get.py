"""Decides whether a known page may be requested conditionally."""

import datetime as dt
from typing import Final

from sitecrawl.links.dates import parse_date

SETTLED: Final = dt.timedelta(seconds=60)
"""Minimum age of a `Last-Modified`, relative to its response, for use as a validator (RFC 7232 section 2.2.2).

RFC 9110 section 8.8.2.2 asks for one second; the longer time covers a page that is generated while it changes.
"""


def dated_validator(last_modified: str | None, date: str | None, now: dt.datetime) -> str | None:
    """Return the `Last-Modified` of a response if a later request may rely on it, else None.

    It is rejected if it is no date, lies in the future, or is as new as the response itself (by its `Date`, or by `now`
    if the server sends none or its clock is fast): the page may change again within the same second, unnoticed.
    """
    modified, answered = parse_date(last_modified or ""), parse_date(date or "")
    if modified is None:
        return None
    moment = now if answered is None else min(answered.first, now)
    return last_modified if modified.last <= moment - SETTLED else None


def may_ask(page_key: int, not_modified: int, every: int) -> bool:
    """Return whether a page with so many unchanged responses in a row may be requested with validators, or skipped.

    At least one in `every` visits of a page is a full fetch, without validators, to detect servers with wrong
    validators and sitemaps with wrong dates; with `every` = 0, none has to be. The page key spreads the full fetches
    over the second half of the period, so that pages first fetched on one day are not all fetched in full on the same
    later day.
    """
    if not every:
        return True
    return not_modified < every - 1 - page_key % max(every // 2, 1)
