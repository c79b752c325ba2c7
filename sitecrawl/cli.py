"""The `sitecrawl` command: Scrapy's command line with the project's settings, from any directory."""

import os
import signal
import sys

SETTINGS_MODULE = "sitecrawl.settings"
CRAWLS = ("crawl", "recrawl")


def main() -> None:
    """Hand over to Scrapy."""
    if sys.argv[1:2] and sys.argv[1] in CRAWLS:  # until Scrapy's own handlers are in place
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
    from scrapy.cmdline import execute  # noqa: PLC0415  (takes a second, in which a signal may come)

    os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS_MODULE
    execute([sys.argv[0], *sys.argv[1:]])


def _stop(number: int, _: object) -> None:
    """End before anything has begun: told to stop, with nothing lost, is no failure (RELIABILITY P6)."""
    os.write(2, b"sitecrawl: stopped by a signal before the crawl began\n")
    os._exit(0)
