"""The clock of a crawl, which jumps if it is set or the machine was suspended."""

import datetime as dt
from time import monotonic


def now() -> dt.datetime:
    """Return the current time in UTC, with tzinfo."""
    return dt.datetime.now(dt.UTC)


class JumpWatch:
    """Detects jumps of the clock by comparing it with a monotonic clock."""

    def __init__(self, seconds: float) -> None:
        """Watch for jumps of more than `seconds`."""
        self._seconds = seconds
        self._ahead = _ahead()
        self._quiet_from = -float("inf")

    def quiet(self) -> bool:
        """Return whether no jump was detected within the last `seconds` of the monotonic clock."""
        before, self._ahead = self._ahead, _ahead()
        if abs(self._ahead - before) > self._seconds:
            self._quiet_from = monotonic() + self._seconds
        return monotonic() >= self._quiet_from


def _ahead() -> float:
    return now().timestamp() - monotonic()
