"""Plans the visits to the pages of one site, from the settings and the site's own options."""

import datetime as dt
from collections.abc import Collection, Mapping
from typing import Any, Final

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.scheduling import Bounds, History, Outcome, Plan, Visit, plan
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import DuePage, PageRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.visits import VisitRepository

MINIMUM: Final = "recrawl_min_interval"
MAXIMUM: Final = "recrawl_max_interval"
"""Keys of `site.options`: seconds that replace the settings of the same name."""


def site_bounds(config: Config, options: Mapping[str, Any] | None = None) -> Bounds:
    """Return the intervals of a site with these `site.options`. Raises ConfigError if they contradict each other."""
    own = options or {}
    return Bounds(
        minimum=int(own.get(MINIMUM, config.recrawl_min_interval)),
        maximum=int(own.get(MAXIMUM, config.recrawl_max_interval)),
        initial=config.recrawl_initial_interval,
        error=config.recrawl_error_interval,
        worth=config.recrawl_worth,
        batch=config.recrawl_batch,
        late=config.recrawl_late,
    )


class Schedule:
    """The visits of one crawl of a site: which pages are fetched, and when each is visited again."""

    def __init__(self, session: Session, config: Config, site_id: int, crawl_id: int, *, due: bool) -> None:
        """With `due`, only pages that were never fetched or are due are requested, else all.

        Dead links are requested only when they are due, other than a start page.

        Raises ConfigError if the intervals of the site and of the settings contradict each other.
        """
        self.site_id, self.crawl_id, self.due = site_id, crawl_id, due
        self.policy, self._config = config.recrawl_policy, config
        self.bounds = site_bounds(config, SiteRepository(session).options(site_id))

    def pages(
        self, session: Session, now: dt.datetime, limit: int, excluded: Collection[int], *, limited: bool = False
    ) -> list[DuePage]:
        """Return the pages to request, most urgent first, without those settled in this crawl.

        `limited`: whether the crawl may not fetch all pages, so that known ones take turns from crawl to crawl.
        """
        if self.due or limited:
            visits = VisitRepository(session)
            return visits.upcoming(self.site_id, self.crawl_id, now, limit, excluded, due=self.due, limited=limited)
        return PageRepository(session).frontier(self.site_id, self.crawl_id, now, limit, excluded)

    def known(
        self, session: Session, now: dt.datetime, limit: int, excluded: Collection[int], *, hubs: bool
    ) -> list[DuePage]:
        """Return the pages to request that earlier crawls visited; with `hubs` the start page and listings only."""
        visits = VisitRepository(session)
        return visits.known(self.site_id, self.crawl_id, now, limit, excluded, due=self.due, hubs=hubs)

    def plan(
        self,
        history: History,
        outcome: Outcome,
        at: dt.datetime,
        url_key: int,
        *,
        hub: bool = False,
        not_before: dt.datetime | None = None,
    ) -> Plan:
        """Return the plan of a page after a visit, with the time of its next one; a repeated visit counts once."""
        pause = max(0.0, (not_before - at).total_seconds()) if not_before is not None else 0.0
        return plan(self.policy, self.bounds, history, Visit(outcome, at, url_key, hub, pause))

    def close(
        self, session: Session, now: dt.datetime, not_before: dt.datetime | None = None, *, stopped: bool = False
    ) -> None:
        """Set the time of the site's next crawl, at the end of a crawl: now, if the crawl was `stopped` early.

        That time is never before `not_before`, which the site asked for. The intervals are read from the database
        again, since they may have changed meanwhile.
        """
        bounds = site_bounds(self._config, SiteRepository(session).options(self.site_id))
        VisitRepository(session).close(self.site_id, now, bounds, not_before, stopped=stopped)


def bring_back(session: Session, config: Config, now: dt.datetime) -> None:
    """Bring forward the next crawl of sites that are planned later than the longest interval, by a fast clock."""
    sites, longest = SiteRepository(session), site_bounds(config).maximum
    for site in sites.planned_after(now + dt.timedelta(seconds=longest)):
        replan(session, config, site.id, now)


def replan(session: Session, config: Config, site_id: int, now: dt.datetime) -> None:
    """Bring the next crawl of a site forward to the latest time that its current intervals allow."""
    bounds = site_bounds(config, SiteRepository(session).options(site_id))
    VisitRepository(session).replan(site_id, now, bounds)


_UNITS: Final = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}


NO_INTERVAL: Final = "is not an interval; give one as 30min, 6h or 30d, or two as 6h-30d"


def parse_every(text: str) -> tuple[int, int]:
    """Return the shortest and the longest interval of `6h-30d` in seconds; `1d` alone is both.

    Raises ConfigError for anything else.
    """
    shortest, two, longest = text.partition("-")
    if not shortest.strip() or (two and not longest.strip()):  # one end of the range is missing
        raise ConfigError(f"{text!r} {NO_INTERVAL}")
    found = (_seconds(shortest), _seconds(longest or shortest))
    Bounds(minimum=found[0], maximum=found[1])
    return found


def _seconds(text: str) -> int:
    number = text.strip().rstrip("smindh")
    unit = text.strip()[len(number) :]
    if unit not in _UNITS or not number.isdecimal() or len(number) > 9:
        raise ConfigError(f"{text!r} {NO_INTERVAL}")
    return int(number) * _UNITS[unit]
