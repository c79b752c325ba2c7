"""Reads the JSON-LD of a page within limits: the schema.org objects that describe the page itself."""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

from lxml.etree import _Element

MAX_SCRIPTS: Final = 20
MAX_CHARS: Final = 300_000
"""Maximum characters of all scripts of a page; a script that exceeds it is skipped."""
MAX_THINGS: Final = 500
MAX_STRINGS: Final = 20
MAX_LENGTH: Final = 2_000
"""Maximum characters of one value."""

_BEFORE: Final = re.compile(r"(?:<!--|(?://|/\*)?\s*<!\[CDATA\[(?:\s*\*/)?)")
_BEHIND: Final = re.compile(r"(?:-->|(?://|/\*)?\s*\]\]>(?:\s*\*/)?);?$")
_ENDS: Final = 40
"""Characters at both ends in which comment marks are searched."""
_INTO: Final = ("@graph", "mainEntity", "mainEntityOfPage")
"""Properties with objects about the page itself; other nested objects (reviews, comments, teasers) are about something
else."""
ARTICLES: Final = frozenset((
    "article", "newsarticle", "blogposting", "techarticle", "scholarlyarticle", "reportagenewsarticle",
    "analysisnewsarticle", "opinionnewsarticle", "backgroundnewsarticle", "reviewnewsarticle",
    "advertisercontentarticle", "report", "satiricalarticle", "socialmediaposting", "liveblogposting",
    "discussionforumposting", "creativework", "recipe", "howto", "review", "question", "qapage",
    "videoobject", "podcastepisode", "book", "course", "event", "jobposting", "product", "dataset",
    "softwareapplication", "learningresource", "claimreview", "medicalwebpage", "apireference",
))  # fmt: skip
"""Types of the main subject of a page."""
PAGES: Final = frozenset(
    ("webpage", "itempage", "aboutpage", "contactpage", "profilepage", "faqpage", "collectionpage")
)
"""Types of the page itself, which rank after those of its subject."""
TRAILS: Final = frozenset(("breadcrumblist",))

Thing = dict[str, Any]
Described = tuple[frozenset[str], Thing]
"""Types in lower case, and the JSON object."""


def things(scripts: Iterable[_Element]) -> list[Described]:
    """Return the objects that describe the page itself, with their types in lower case, in document order.

    `scripts` are its `script` elements. Invalid or oversized JSON is skipped.
    """
    found: list[Described] = []
    for data in _documents(scripts):
        waiting = deque([data])
        while waiting and len(found) < MAX_THINGS:
            one = waiting.popleft()
            if isinstance(one, list):
                waiting.extendleft(reversed(one[:MAX_THINGS]))
            elif isinstance(one, dict):
                found.append((_types(one), one))
                waiting.extend(one[name] for name in _INTO if isinstance(one.get(name), dict | list))
    return found


def strings(value: Any, name: str = "name") -> list[str]:
    """Return the strings in a value; objects are replaced by their values of `name`, and other types are skipped."""
    found: list[str] = []
    waiting, looked = deque([value]), 0
    while waiting and looked < MAX_THINGS and len(found) < MAX_STRINGS:
        one = waiting.popleft()
        looked += 1
        if isinstance(one, str):
            if one.strip() and len(one) <= MAX_LENGTH:
                found.append(one)
        elif isinstance(one, list):
            waiting.extendleft(reversed(one[:MAX_STRINGS]))
        elif isinstance(one, dict) and isinstance(inner := one.get(name), str | list):
            waiting.appendleft(inner)
    return found


def trail(thing: Thing) -> list[tuple[str, str]]:
    """Return (name, URL or "") of the steps of a BreadcrumbList, ordered by position."""
    steps = thing.get("itemListElement")
    found: list[tuple[float, int, str, str]] = []
    for order, step in enumerate(steps[:MAX_STRINGS] if isinstance(steps, list) else []):
        if not isinstance(step, dict):
            continue
        item = step.get("item")
        names = strings(step.get("name")) or strings(item if isinstance(item, dict) else None)
        urls = strings(item, "@id") or strings(item, "url")
        if names:
            found.append((_position(step.get("position"), order), order, names[0], urls[0] if urls else ""))
    return [(name, url) for _, _, name, url in sorted(found)]


def _position(raw: Any, order: int) -> float:
    return float(raw) if isinstance(raw, str) and raw.isascii() and raw.isdigit() and len(raw) < 6 else float(order)


def _documents(every: Iterable[_Element]) -> Iterator[Any]:
    room, scripts = MAX_CHARS, 0
    for script in every:
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        raw = script.text or ""
        scripts += 1
        if scripts > MAX_SCRIPTS:
            return
        if len(raw) > room:
            continue
        room -= len(raw)
        try:  # numbers stay strings: converting a million digits takes minutes
            yield json.loads(_uncommented(raw.strip()), strict=False, parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            continue


def _uncommented(script: str) -> str:
    """Return a script without the comment marks that hide it from old browsers."""
    head, tail = _BEFORE.match(script[:_ENDS]), _BEHIND.search(script[-_ENDS:])
    return script[head.end() if head else 0 : len(script) - (len(tail[0]) if tail else 0)]


def _types(thing: Thing) -> frozenset[str]:
    return frozenset(name.rpartition("/")[2].lower() for name in strings(thing.get("@type")))
