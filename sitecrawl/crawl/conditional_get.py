"""Whether a known page may be asked for only if it changed."""

import datetime as dt
from typing import Final

from sitecrawl.links.dates import parse_date
from sitecrawl.storage.revisits import Validators

SETTLED: Final = dt.timedelta(seconds=60)
"""How much older than its answer a `Last-Modified` must be to serve as validator (RFC 7232 section 2.2.2).

RFC 9110 section 8.8.2.2 asks for one second; the longer time covers a page that is made while it changes.
"""


def dated_validator(last_modified: str | None, date: str | None, now: dt.datetime) -> str | None:
    """Return the `Last-Modified` of an answer if a later request may rely on it, else None.

    It may not when it is no date, lies in the future, or is as new as the answer itself (by its `Date`; by `now` where
    the server names none, or its clock is ahead): the page may change again in the same second, and nobody would see.
    """
    modified, answered = parse_date(last_modified or ""), parse_date(date or "")
    if modified is None:
        return None
    moment = now if answered is None else min(answered.first, now)
    return last_modified if modified.last <= moment - SETTLED else None


def may_ask(page_key: int, validators: Validators, every: int) -> bool:
    """Say whether a page may be asked for with validators; at least each `every`th fetch is a whole one, 0 for never.

    So validators that lie are found out. Keys spread the whole fetches over the second half of the time, so that
    pages fetched first on one day are not all fetched whole on one day later.
    """
    if not every:
        return True
    return validators.not_modified < every - 1 - page_key % max(every // 2, 1)
