"""The commands of the project, one per file."""

import gc
from typing import Final

from sitecrawl.shell.scrapy_handler import load_handler

_LOADING: Final = 200_000
"""New objects between cyclic garbage collections while commands are loaded; Scrapy and all modules create 150,000.
None of these is ever garbage, so a collection would be wasted."""
_RUNNING: Final = gc.get_threshold()

gc.set_threshold(_LOADING)
load_handler()  # before a command imports it


def collect_as_usual() -> None:
    """Restore the usual thresholds of garbage collection, and exempt the loaded objects from it."""
    gc.freeze()
    gc.set_threshold(*_RUNNING)
