"""The entry point of the `sitecrawl` command. It handles signals during the second in which Scrapy is loaded."""

import gc
import os
import signal
import sys
from typing import Final

SETTINGS_MODULE: Final = "sitecrawl.settings"
CRAWLS: Final = ("crawl", "recrawl", "worker")


def main() -> None:
    """Run the command on the command line, and exit with its status."""
    if sys.argv[1:2] and sys.argv[1] in CRAWLS:  # until Scrapy's own handlers are installed
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
    os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS_MODULE
    gc.disable()  # loading modules creates no garbage, so searching for it would waste time
    from sitecrawl.commandline import run  # noqa: PLC0415

    gc.enable()
    sys.exit(run(sys.argv[1:]))


def _stop(number: int, _: object) -> None:
    """Exit with status 0: a stop before anything has begun loses nothing and is no failure."""
    os.write(2, b"sitecrawl: stopped by a signal before the crawl began\n")
    os._exit(0)
