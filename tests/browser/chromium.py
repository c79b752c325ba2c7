"""The path of the browser for the tests, if there is one."""

import shutil
from importlib.util import find_spec

NAMES = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"
"""The first takes less than half of the CPU of the others: it has no windows."""
EXECUTABLE = next(filter(None, map(shutil.which, NAMES)), None)
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
MISSING = (
    "chromium is not installed: apt-get install chromium-headless-shell, or chromium"
    if EXECUTABLE is None
    else "playwright is not installed: pip install 'sitecrawl[dev]'"
    if find_spec("playwright") is None
    else None
)
"""Why the browser tests cannot be run; None if they can."""
