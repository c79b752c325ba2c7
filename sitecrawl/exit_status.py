"""The exit statuses of all commands, and the line about the error that ended one."""

import sys
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


def print_error(error: BaseException) -> int:
    """Print an error as one line on standard error; return the exit status of a command that it ends."""
    sys.stderr.write(f"sitecrawl: {error}\n")
    return exit_status(error)
