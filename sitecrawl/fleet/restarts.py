"""Decides when an ended worker process is replaced, with pure functions."""

from typing import Final, NamedTuple

SHORT: Final = 30.0
"""A process that lived for fewer seconds counts as one that died at once."""
LONGEST: Final = 60.0
"""Maximum seconds until a process is replaced."""


class Restart(NamedTuple):
    """The pause before a process is started."""

    pause: float = 0.0

    def after(self, lived: float, status: int) -> "Restart":
        """Return the pause after a process that lived for some seconds and ended with a status.

        A process that ended properly is replaced at once, one that died after a while within a second, and one that
        died at once after a pause that doubles each time.
        """
        if status == 0:
            return Restart()
        if lived >= SHORT:
            return Restart(1.0)
        return Restart(min(max(2 * self.pause, 1.0), LONGEST))
