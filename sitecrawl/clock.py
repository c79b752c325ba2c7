"""The clock of a crawl, which may jump: it is set, or its machine was suspended."""

import datetime as dt
from time import monotonic


def now() -> dt.datetime:
    """Return the time in UTC, with tzinfo."""
    return dt.datetime.now(dt.UTC)


class JumpWatch:
    """Notices jumps of the clock, by another that never jumps."""

    def __init__(self, seconds: float) -> None:
        """Watch for jumps of more than `seconds`."""
        self._seconds = seconds
        self._ahead = _ahead()
        self._quiet_from = -float("inf")

    def quiet(self) -> bool:
        """Return whether no jump was noticed within the last `seconds` of a clock that never jumps."""
        before, self._ahead = self._ahead, _ahead()
        if abs(self._ahead - before) > self._seconds:
            self._quiet_from = monotonic() + self._seconds
        return monotonic() >= self._quiet_from


def _ahead() -> float:
    return now().timestamp() - monotonic()
