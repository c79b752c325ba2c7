"""The path of the Python with scrapy-poet; `.ci/poet` creates it."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".poet"
PYTHON = FOLDER / "bin" / "python"
MISSING = None if (FOLDER / "made").is_file() else f"scrapy-poet is not in {FOLDER}: run .ci/poet, which installs it"
"""Why the test with scrapy-poet cannot be run; None if it can."""
