"""Keeps screenshots of the views, to be looked at by people."""

import os
from pathlib import Path

FOLDER = os.environ.get("SITECRAWL_TEST_SCREENSHOTS")
"""The folder for screenshots; without it, no screenshots are taken."""


def keep(page, *names):
    """Write a screenshot of a whole view, if there is a folder for it."""
    if FOLDER:
        page.screenshot(path=Path(FOLDER, "-".join(map(str, names)) + ".png"), full_page=True)
