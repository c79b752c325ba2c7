"""Formats sites for lists, as text and as JSON objects."""

import datetime as dt
import json
from collections.abc import Sequence
from typing import Final

from sitecrawl.scheduling import words
from sitecrawl.storage.site_register import DueSite, SiteLine

NUMBERS: Final = 50
"""Maximum ranges of line numbers that are listed."""


def site_line(site: SiteLine, now: dt.datetime) -> str:
    """Return one line about a site."""
    crawled = f"last crawl {site.last_crawl:%Y-%m-%d %H:%M} UTC" if site.last_crawl else "never crawled"
    known = f"{site.pages:8} URLs {site.contents:8} contents"
    return f"{site.host:40} {site.state(now):8} {known}  {crawled}  {site.start_url}"


def site_record(site: SiteLine, now: dt.datetime) -> dict[str, object]:
    """Return a site as a JSON object."""
    return {
        "host": site.host,
        "state": site.state(now),
        "start_url": site.start_url,
        "next_crawl_at": _text(site.next_crawl_at),
        "paused_at": _text(site.paused_at),
        "last_crawl": _text(site.last_crawl),
        "urls": site.pages,
        "contents": site.contents,
        "deaths": site.deaths,
        "options": dict(site.options or {}),
    }


def shown_site(site: SiteLine, now: dt.datetime) -> str:
    """Return several lines about a site."""
    state = site.state(now)
    lines = [site.host, f"  start URL   {site.start_url}", f"  state       {state}"]
    if state == "crawling":
        lines[-1] += f", leased by {site.lease_owner}"
    if site.paused_at is not None:
        lines.append(f"  paused      {site.paused_at:%Y-%m-%d %H:%M} UTC")
    if site.next_crawl_at is not None:
        lines.append(f"  next crawl  {site.next_crawl_at:%Y-%m-%d %H:%M} UTC")
    last = f"{site.last_crawl:%Y-%m-%d %H:%M} UTC" if site.last_crawl else "never"
    lines.append(f"  last crawl  {last}")
    if site.deaths:
        lines.append(f"  died        {site.deaths} crawls in a row, each with its process")
    lines.append(f"  known       {site.pages} URLs, {site.contents} contents")
    for name, value in sorted((site.options or {}).items()):
        lines.append(f"  {name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    return "\n".join(lines)


def due_line(site: DueSite, now: dt.datetime) -> str:
    """Return one line about a due site."""
    late = words(max((now - site.since).total_seconds(), 0))
    why = f"its crawl died {late} ago" if site.died else f"due for {late}"
    return f"{site.host:40} {why:30} {site.start_url}"


def due_record(site: DueSite) -> dict[str, object]:
    """Return a due site as a JSON object."""
    return {"host": site.host, "start_url": site.start_url, "since": _text(site.since), "died": site.died}


def dumped(record: dict[str, object]) -> str:
    """Return an object as a line of JSON."""
    return json.dumps(record, ensure_ascii=False)


def line_numbers(numbers: Sequence[int]) -> str:
    """Return line numbers in short form: `3, 7-9`."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    named = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges[:NUMBERS])
    return named + (f" and {len(ranges) - NUMBERS} more places" if len(ranges) > NUMBERS else "")


def _text(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
