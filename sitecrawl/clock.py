"""The time, as all of the project reads it."""

import datetime as dt


def now() -> dt.datetime:
    """Return the time, aware, in UTC."""
    return dt.datetime.now(dt.UTC)
