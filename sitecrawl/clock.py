"""The time, as all that runs in a crawl reads it."""

import datetime as dt


def now() -> dt.datetime:
    """Return the time, aware, in UTC."""
    return dt.datetime.now(dt.UTC)
