"""The commands of the project, one per file."""

import gc
from typing import Final

from sitecrawl.shell.scrapy_handler import load_handler

_LOADING: Final = 200_000
"""Objects between cyclic garbage collections while commands are loaded: more than Scrapy and all modules make, 150,000.
These stay, so a collection looks at them in vain."""
_RUNNING: Final = gc.get_threshold()

gc.set_threshold(_LOADING)
load_handler()  # before a command imports it


def collect_as_usual() -> None:
    """Restore the garbage collection that was lowered while commands were loaded; loaded objects are never visited."""
    gc.freeze()
    gc.set_threshold(*_RUNNING)
