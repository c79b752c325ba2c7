"""The `sitecrawl` command: Scrapy's command line with the project's settings, from any directory."""

import os
import sys

from scrapy.cmdline import execute

SETTINGS_MODULE = "sitecrawl.settings"


def main() -> None:
    """Hand over to Scrapy."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS_MODULE
    execute([sys.argv[0], *sys.argv[1:]])
