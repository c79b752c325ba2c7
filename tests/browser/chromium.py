"""Where the browser of the tests is, if there is one."""

import shutil
from importlib.util import find_spec

EXECUTABLE = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
MISSING = (
    "chromium is not installed: apt-get install chromium"
    if EXECUTABLE is None
    else "playwright is not installed: pip install 'sitecrawl[dev]'"
    if find_spec("playwright") is None
    else None
)
"""Why the browser tests cannot be run; None if they can."""
