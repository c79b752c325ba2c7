"""Describes the problems of a site in words, with their urgency."""

import datetime as dt
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from sitecrawl.plurals import counted
from sitecrawl.storage.lease_owner import has_ended
from sitecrawl.storage.site_report import ContentSample, SiteState

LATE: Final = dt.timedelta(days=1)
"""A site that has been due for longer is late: `recrawl --due` does not run, or cannot keep up."""
UNSURE: Final = 0.6
"""Mean confidence of the sampled contents below which a site is doubtful [OWN]."""
EMPTY: Final = 0.3
"""Minimum share of sampled pages without main content for which a site is doubtful [OWN]."""
ENOUGH: Final = 5
"""Minimum number of sampled pages for a judgement."""
ENDED_WELL: Final = frozenset(("finished", "max_pages", "reextract", "release", "held"))


class Weight(IntEnum):
    """The urgency of a problem."""

    NONE = 0
    NOTE = 1
    """Nothing is lost; it is worth a look at some time."""
    WARNING = 2
    """The results may be wrong or outdated."""
    URGENT = 3
    """The user must make a decision."""


class Trouble(NamedTuple):
    """One problem of a site."""

    weight: Weight
    text: str
    to: str
    """Part of the site's page that shows it: `held`, `pages`, `crawls`, `layouts`, `refused`."""


def troubles(site: SiteState, sample: ContentSample | None, now: dt.datetime) -> list[Trouble]:
    """Return the problems of a site, most urgent first. `sample` is None until it has been read."""
    found = [*_decisions(site), *_crawl(site, now), *_contents(site, sample)]
    return sorted(found, key=lambda one: -one.weight)


def weight(found: Iterable[Trouble]) -> tuple[int, int]:
    """Return the key by which sites are sorted: their most urgent problem, then the sum of the urgencies."""
    weights = [int(one.weight) for one in found]
    return max(weights, default=0), sum(weights)


def _decisions(site: SiteState) -> Iterable[Trouble]:
    if site.held:
        text = f"{counted(site.held, 'deletion')} held as too many: release or keep them"
        yield Trouble(Weight.URGENT, text, "held")
    if site.refused:
        yield Trouble(Weight.URGENT, f"{counted(site.refused, 'document')} refused by an index", "refused")


def _crawl(site: SiteState, now: dt.datetime) -> Iterable[Trouble]:
    running = is_running(site, now)
    if site.crawl_id is None:
        if not running:
            yield Trouble(Weight.NOTE, "never crawled", "crawls")
        return
    if site.finished_at is None and not running:
        why = f": {site.ended}" if site.ended else ""
        yield Trouble(Weight.WARNING, f"its last crawl stopped and can be resumed{why}", "crawls")
    elif site.finished_at is not None and site.ended not in ENDED_WELL:
        yield Trouble(Weight.WARNING, f"its last crawl ended early: {site.ended}", "crawls")
    if site.failing:
        yield Trouble(Weight.WARNING, f"requests fail at {counted(site.failing, 'host')} of the site", "crawls")
    if site.next_crawl_at is not None and now - site.next_crawl_at > LATE and not running:
        days = (now - site.next_crawl_at).days
        yield Trouble(Weight.WARNING, f"due for {counted(days, 'day')}: recrawl --due does not run", "crawls")


def _contents(site: SiteState, sample: ContentSample | None) -> Iterable[Trouble]:
    if site.new_layouts:
        yield Trouble(
            Weight.WARNING, f"{counted(site.new_layouts, 'new look')} in the last crawl: redesigned?", "layouts"
        )
    if sample is None or sample.pages < ENOUGH:
        return
    if sample.empty / sample.pages >= EMPTY:
        text = f"{sample.empty} of {sample.pages} sampled pages yield no main content"
        yield Trouble(Weight.WARNING, text, "pages")
    if sample.confidence is not None and sample.confidence < UNSURE:
        yield Trouble(Weight.WARNING, f"low confidence: {sample.confidence:.2f} on average", "pages")


def is_running(site: SiteState, now: dt.datetime) -> bool:
    """Return whether a process is crawling a site: it has a lease, and is not known to have ended on this machine."""
    if site.crawled_by is None or site.leased_until is None or site.leased_until <= now:
        return False
    return not has_ended(site.crawled_by)
