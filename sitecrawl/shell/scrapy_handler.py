"""Loads Scrapy's HTTP handler without its search for the source of every loaded module.

Scrapy asks `inspect` for the whole stack to name the module that makes a deprecated class. `inspect` then looks for the
file of each loaded module. That is a twentieth of the CPU of a start.
"""

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

HANDLER = "scrapy.core.downloader.handlers.http11"


def load_handler() -> None:
    """Load Scrapy's HTTP handler; meanwhile `inspect.stack` names modules only."""
    namespace: Any = inspect
    whole = namespace.stack
    namespace.stack = _callers
    try:
        import_module(HANDLER)
    finally:
        namespace.stack = whole


def _callers(_context: int = 1) -> tuple[tuple[ModuleType], ...]:
    """Return the modules of the function that asks and of its caller; `inspect.getmodule` takes modules as well."""
    asking = sys._getframe(1)
    return tuple((sys.modules[one.f_globals["__name__"]],) for one in (asking, asking.f_back) if one is not None)
