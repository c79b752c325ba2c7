"""The `sitecrawl` command, until Scrapy is loaded: that takes a second, in which a signal may come."""

import os
import signal
import sys
from typing import Final

SETTINGS_MODULE: Final = "sitecrawl.settings"
CRAWLS: Final = ("crawl", "recrawl")


def main() -> None:
    """Run the command that was typed, and end with its exit status."""
    if sys.argv[1:2] and sys.argv[1] in CRAWLS:  # until Scrapy's own handlers are in place
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
    os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS_MODULE
    from sitecrawl.commandline import run  # noqa: PLC0415

    sys.exit(run(sys.argv[1:]))


def _stop(number: int, _: object) -> None:
    """End before anything has begun: told to stop, with nothing lost, is no failure (RELIABILITY P6)."""
    os.write(2, b"sitecrawl: stopped by a signal before the crawl began\n")
    os._exit(0)
