"""Loads Scrapy's HTTP handler without a search for the source file of every loaded module.

Scrapy calls `inspect.stack` to find the module that creates a deprecated class, and `inspect` then searches for the
file of each loaded module. That takes a twentieth of the CPU time of a start.
"""

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

HANDLER = "scrapy.core.downloader.handlers.http11"


def load_handler() -> None:
    """Load Scrapy's HTTP handler; meanwhile `inspect.stack` is replaced by `_callers`."""
    namespace: Any = inspect
    whole = namespace.stack
    namespace.stack = _callers
    try:
        import_module(HANDLER)
    finally:
        namespace.stack = whole


def _callers(_context: int = 1) -> tuple[tuple[ModuleType], ...]:
    """Return the modules of the calling function and of its caller, which `inspect.getmodule` accepts."""
    asking = sys._getframe(1)
    return tuple((sys.modules[one.f_globals["__name__"]],) for one in (asking, asking.f_back) if one is not None)
