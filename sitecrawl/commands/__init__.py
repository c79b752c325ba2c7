"""The commands of the project, one per file."""

import gc
from typing import Final

# First, before the rest is loaded: it creates deprecated classes, each of which scans all loaded modules.
import scrapy.core.downloader.handlers.http11  # noqa: F401

_LOADING: Final = 100_000
"""Objects between cyclic garbage collections while commands are loaded: what a module makes stays, so collections there
look in vain at ever more objects, a twentieth of the CPU of a start."""
_RUNNING: Final = gc.get_threshold()

gc.set_threshold(_LOADING)


def collect_as_usual() -> None:
    """Let Python collect garbage as often as before the commands were loaded."""
    gc.set_threshold(*_RUNNING)
