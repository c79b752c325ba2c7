"""Shows the progress of running crawls, which the pages of a site and of all sites reload every few seconds."""

import datetime as dt
from collections.abc import Collection
from enum import StrEnum
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from sitecrawl.clock import now
from sitecrawl.storage.crawl_progress import SAMPLED, CrawlProgress, CrawlProgressRepository, CrawlState
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.lease_owner import described, has_ended
from sitecrawl.ui.paging import numbers
from sitecrawl.ui.state import known_site, ui_of

SAMPLED_OF_MANY: Final = 1_000
"""Maximum pages sampled per site for the list of sites: a 3 % standard error of the size of a larger site."""
MOST: Final = 50
"""Maximum number of sites in one response, the number that the list of sites shows."""


class Phase(StrEnum):
    """The state of the last crawl of a site."""

    NEVER = "never"
    """The site has never been crawled."""
    BUSY = "busy"
    """A process has leased the site, but no crawl is running: one is about to begin, or pages are extracted again."""
    RUNNING = "running"
    """A process is crawling the site."""
    DIED = "died"
    """The crawl is unfinished, and its process has ended or has not renewed its lease."""
    STOPPED = "stopped"
    """The crawl is unfinished, and no process has leased the site."""
    ENDED = "ended"
    """The crawl is finished."""


LIVE: Final = (Phase.BUSY, Phase.RUNNING)
"""Phases in which the page reloads the progress."""


class ProgressView(NamedTuple):
    """The last crawl of a site, as shown in the UI."""

    state: CrawlState
    phase: Phase
    progress: CrawlProgress | None
    """The progress; None if there was no crawl, or if it is not running and was not requested."""
    took: dt.timedelta | None
    """Duration of the crawl, up to now if it is running."""

    @property
    def live(self) -> bool:
        """Whether the progress can still change, so that a page should reload it."""
        return self.phase in LIVE

    @property
    def holder(self) -> str:
        """The process that has leased the site, in words; empty if there is none."""
        return described(self.state.owner) if self.state.owner else ""


def phase(state: CrawlState, moment: dt.datetime) -> Phase:
    """Return the phase of the last crawl of a site."""
    unfinished = state.crawl_id is not None and state.finished_at is None
    if state.owner is not None and state.leased_until is not None:
        if state.leased_until > moment and not has_ended(state.owner):
            return Phase.RUNNING if unfinished else Phase.BUSY
        if unfinished:
            return Phase.DIED
    if state.crawl_id is None:
        return Phase.NEVER
    return Phase.STOPPED if unfinished else Phase.ENDED


def progress_views(
    session: Session, site_ids: Collection[int], *, sampled: int = SAMPLED, ended: bool = False
) -> list[ProgressView]:
    """Return the last crawls of sites by host, with the progress of running ones or, with `ended`, of all."""
    moment, repository = now(), CrawlProgressRepository(session)
    found = []
    for state in repository.states(site_ids):
        at, progress, took = phase(state, moment), None, None
        if state.crawl_id is not None and state.started_at is not None:
            until = state.finished_at or moment
            took = max(until - state.started_at, dt.timedelta())
            if at is Phase.RUNNING or ended:
                progress = repository.progress(state.site_id, state.crawl_id, state.started_at, until, sampled)
        found.append(ProgressView(state, at, progress, took))
    return found


def site_progress(request: Request) -> Response:
    """Return the fragment with the progress of one site's crawl. Raises UnknownSiteError."""
    ui, host = ui_of(request), request.path_params["host"]
    with ui.reading() as session:
        (view,) = progress_views(session, [known_site(session, host).id], ended=True)
    return ui.pages.page("progress.html", view=view)


def sites_progress(request: Request) -> Response:
    """Return the fragment with the progress of several crawls; `sites` contains the sites' numbers with commas."""
    ui = ui_of(request)
    wanted = numbers(request.query_params.get("sites", ""))[:MOST]
    with ui.reading() as session:
        views = progress_views(session, wanted, sampled=SAMPLED_OF_MANY)
    return ui.pages.page("progress_of_many.html", views=views)
