"""Charts of the figures of a site's crawls, with the oldest crawl first."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from sitecrawl.page_kind import Kind
from sitecrawl.storage.crawls import CrawlSummary
from sitecrawl.storage.pages import PageStatus
from sitecrawl.ui.charts import stacked_bars


class Group(NamedTuple):
    """Figures of a crawl that are drawn in one chart."""

    title: str
    keys: tuple[str, ...]
    """Names in the stored figures; the first one that a crawl has is used."""
    parts: tuple[str, ...]
    """Names of the parts of a bar, the lowest first."""


GROUPS: Final = (
    # earlier versions stored only the URLs that the crawl requested
    Group("URLs of the site by status", ("known", "urls"), tuple(status.name.lower() for status in PageStatus)),
    Group("Pages that were read, by kind", ("kinds",), tuple(Kind)),
    Group("Rows of the feed", ("rows",), ("unchanged", "changed", "new", "gone")),
)
"""The charts, in order."""


class HistoryChart(NamedTuple):
    """The chart of one group of figures over time."""

    title: str
    chart: Markup
    parts: list[str]
    """Names of the parts that are not zero in all crawls."""
    highest: int
    """Sum of the highest bar."""


class History(NamedTuple):
    """The figures of past crawls, as charts with a bar for each crawl."""

    charts: list[HistoryChart]
    crawls: int
    first: dt.datetime | None
    last: dt.datetime | None


def history(crawls: Sequence[CrawlSummary]) -> History:
    """Return the charts of crawls, which are given newest first. Crawls without figures have no bar."""
    drawn = [one for one in reversed(crawls) if any(_figures(one, group) for group in GROUPS)]
    found = []
    for group in GROUPS:
        bars = [(f"{one.started_at:%Y-%m-%d %H:%M}", _figures(one, group)) for one in drawn]
        chart = stacked_bars(bars, group.parts, group.title)
        if chart:
            parts = [name for name in group.parts if any(figures.get(name) for _, figures in bars)]
            highest = max(sum(figures.get(name, 0) for name in group.parts) for _, figures in bars)
            found.append(HistoryChart(group.title, chart, parts, highest))
    first, last = (drawn[0].started_at, drawn[-1].started_at) if drawn else (None, None)
    return History(found, len(drawn), first, last)


def _figures(crawl: CrawlSummary, group: Group) -> dict[str, int]:
    """Return the figures of a crawl in one group; empty if it stored none, as a run that only extracted again."""
    stored = crawl.stats or {}
    for key in group.keys:
        found = stored.get(key)
        if isinstance(found, Mapping) and found:
            return {str(name): int(count) for name, count in found.items()}
    return {}
