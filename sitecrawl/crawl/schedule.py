"""When the pages of one site are visited again, by the settings and what was set for this site alone."""

from collections.abc import Mapping
from typing import Any, Final

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.scheduling import Bounds

MINIMUM: Final = "recrawl_min_interval"
MAXIMUM: Final = "recrawl_max_interval"
"""Keys of `site.options`: seconds, in place of the settings of the same name."""


def site_bounds(config: Config, options: Mapping[str, Any] | None = None) -> Bounds:
    """Return the intervals of a site whose `site.options` are given. Raises ConfigError when they contradict."""
    own = options or {}
    return Bounds(
        minimum=int(own.get(MINIMUM, config.recrawl_min_interval)),
        maximum=int(own.get(MAXIMUM, config.recrawl_max_interval)),
        initial=config.recrawl_initial_interval,
        error=config.recrawl_error_interval,
        worth=config.recrawl_worth,
    )


_UNITS: Final = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}


def parse_every(text: str) -> tuple[int, int]:
    """Return the shortest and the longest interval of `6h-30d`, in seconds; `1d` alone is both.

    Raises ConfigError for anything else.
    """
    shortest, _, longest = text.partition("-")
    found = (_seconds(shortest), _seconds(longest or shortest))
    Bounds(minimum=found[0], maximum=found[1])
    return found


def _seconds(text: str) -> int:
    number = text.strip().rstrip("smindh")
    unit = text.strip()[len(number) :]
    if unit not in _UNITS or not number.isdecimal() or len(number) > 9:
        raise ConfigError(f"{text!r} is no interval; give one as 30min, 6h or 30d, or two as 6h-30d")
    return int(number) * _UNITS[unit]
