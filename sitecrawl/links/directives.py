"""Robots directives of a page: `meta name=robots` and the `X-Robots-Tag` header."""

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sitecrawl.links.dates import parse_date

_NAMED: Final = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*:\s*(.*)", re.DOTALL)
_WITH_VALUE: Final = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
"""Directives that take a value; any other name before a colon is a crawler's name."""
_MAX_LENGTH: Final = 4096
"""Maximum characters read of one header or meta element."""


@dataclass(frozen=True, slots=True)
class Directives:
    """The robots directives for a page. If several sources differ, the strictest applies."""

    noindex: bool = False
    nofollow: bool = False
    expired: bool = False
    """`noindex` because the time of `unavailable_after` has passed."""
    expires: bool = False
    """The time of `unavailable_after` is in the future."""


def read_directives(
    metas: Iterable[tuple[str, str]], headers: Iterable[str], now: dt.datetime, agent: str = "sitecrawl"
) -> Directives:
    """Return the robots directives for this crawler in meta elements, as (name, content), and `X-Robots-Tag` headers.

    Elements and header parts that address another crawler (`<meta name=googlebot>`, `googlebot: noindex`) are ignored.
    Those that address `agent` add to the general ones.
    """
    agent, found = agent.lower(), set[str]()
    for name, content in metas:
        if name.strip().lower() in ("robots", agent):
            found |= _directives(content, agent, now)
    for header in headers:
        found |= _directives(header, agent, now)
    if "none" in found:
        found |= {"noindex", "nofollow"}
    expired, expires = "expired" in found, "expires" in found
    return Directives(expired or "noindex" in found, "nofollow" in found, expired, expires)


def _directives(text: str, agent: str, now: dt.datetime) -> set[str]:
    """Return the directives for this crawler in one value; those after a crawler's name are for that crawler."""
    found: set[str] = set()
    addressed = True
    parts = text[:_MAX_LENGTH].lower().split(",")
    for i, part in enumerate(parts):
        word = part.strip()
        named = _NAMED.fullmatch(part)
        if named and named[1] not in _WITH_VALUE:
            addressed = named[1] == agent
            word = named[2].strip()
            named = _NAMED.fullmatch(word)
        if not addressed:
            continue
        if named and named[1] == "unavailable_after":
            # `Fri, 25 Jun 2010 15:00:00 GMT` contains a comma
            dates = (named[2], ",".join([named[2], *parts[i + 1 : i + 2]]))
            ends = next((dated for dated in map(parse_date, dates) if dated is not None), None)
            if ends is not None:
                found.add("expired" if ends.last < now else "expires")
        else:
            found.add(word)
    return found
