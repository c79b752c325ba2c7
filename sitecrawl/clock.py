"""The clock of a crawl."""

import datetime as dt


def now() -> dt.datetime:
    """Return the time in UTC, with tzinfo."""
    return dt.datetime.now(dt.UTC)
