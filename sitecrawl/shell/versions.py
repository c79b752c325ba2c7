"""Checks the versions of the libraries that read untrusted bytes, since older ones have known vulnerabilities."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import Final

from sitecrawl.errors import ConfigError

FLOORS: Final[Mapping[str, str]] = {
    "scrapy": "2.19",
    "twisted": "26.4",
    "lxml": "6.1",
    "protego": "0.6.2",
    "brotli": "1.2",
}
"""Oldest versions without a known advisory (docs/security.md), as in pyproject.toml; brotli is optional."""


@cache
def check_versions() -> None:
    """Check the installed versions, once in a process. Raises ConfigError naming each library that is too old."""
    for name, floor in FLOORS.items():
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        if _numbers(found) < _numbers(floor):
            raise ConfigError(
                f"{name} {found} is older than {floor}, which fixes known vulnerabilities; run: pip install --upgrade"
                f" '{name}>={floor}'"
            )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
