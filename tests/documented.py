"""Reads the statements of the docs, for tests that compare them with the code."""

import datetime as dt
import re
from pathlib import Path

LIMITS = Path(__file__).parents[1] / "docs" / "limits.md"


def limits(package: str) -> dict[str, str]:
    """Return the limits of a package by the names of their constants, as docs/limits.md states them."""
    return dict(re.findall(rf"^\| `({package}\.[\w.]+)` \| ([^|]+?) \|", LIMITS.read_text(), re.MULTILINE))


def written(value: dt.timedelta | float) -> str:
    """Return a limit as the page writes it: seconds, or a number with commas."""
    if isinstance(value, dt.timedelta):
        return f"{value.total_seconds():,.0f} s"
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"
