"""The exit statuses of all commands."""

from typing import Final

from sitecrawl.errors import ConfigError, ExtractorError

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
"""Bad arguments or settings."""
PARTIAL: Final = 3
"""Partly done: the next run continues, or some of the work failed."""


def exit_status(error: BaseException) -> int:
    """Return the exit status of a command that ended with an error."""
    return USAGE if isinstance(error, ConfigError | ExtractorError) else FAILED
