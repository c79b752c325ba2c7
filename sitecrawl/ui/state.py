"""The state that the views share: settings, database, access, and caches between requests."""

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import thread_time
from typing import Final, TypeAlias

from sqlalchemy import Engine
from starlette.requests import HTTPConnection

from sitecrawl.config import Config
from sitecrawl.errors import UnknownSiteError
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.site_report import ContentSample, SiteReportRepository, SiteState
from sitecrawl.storage.sites import SiteRef, SiteRepository
from sitecrawl.ui.access import Access
from sitecrawl.ui.jobs import Jobs
from sitecrawl.ui.knowledge import KnowledgeCache
from sitecrawl.ui.responses import Pages

Reading: TypeAlias = tuple[int | None, dt.datetime | None]
"""The last crawl of a site and its end, which identify a sample: one read during a crawl is read again after it."""
BUDGET: Final = 0.05
"""Maximum CPU seconds that one view of all sites spends on reading samples."""


@dataclass(slots=True)
class Ui:
    """The state of one run of the UI."""

    config: Config
    engine: Engine
    access: Access
    pages: Pages
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings given on the command line, by name, for the processes that the UI starts."""
    jobs: Jobs = field(default_factory=Jobs)
    knowledge: KnowledgeCache = field(init=False)
    samples: dict[int, tuple[Reading, ContentSample]] = field(default_factory=dict)
    """The sample of each site by number, with the state of the site when it was read."""

    def __post_init__(self) -> None:
        self.knowledge = KnowledgeCache(self.config)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a transaction that only reads. Raises StorageError."""
        with session_scope(self.engine, write=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction that writes, and commit it at the end. Raises StorageError."""
        with session_scope(self.engine) as session:
            yield session

    def sampled(self, session: Session, site: SiteState) -> ContentSample:
        """Return the sample of a site; it is read once after each of its crawls."""
        known = self.samples.get(site.id)
        if known is None or known[0] != _reading(site):
            known = _reading(site), SiteReportRepository(session).sample(site.id)
            self.samples[site.id] = known
        return known[1]

    def sample_some(self, session: Session, sites: list[SiteState]) -> int:
        """Read samples of sites without a current one, for at most BUDGET; return the number of sites still without."""
        fresh = [one for one in sites if one.id not in self.samples or self.samples[one.id][0] != _reading(one)]
        until = thread_time() + BUDGET
        for done, site in enumerate(fresh):
            if thread_time() > until:
                return len(fresh) - done
            self.sampled(session, site)
        return 0


def _reading(site: SiteState) -> Reading:
    return site.crawl_id, site.finished_at


def ui_of(request: HTTPConnection) -> Ui:
    """Return the state of the UI that serves a request."""
    found: Ui = request.app.state.ui
    return found


def known_site(session: Session, host: str) -> SiteRef:
    """Return the site with a host. Raises UnknownSiteError."""
    site = SiteRepository(session).get(host)
    if site is None:
        raise UnknownSiteError(f"{host}: the database holds nothing about this site; choose another one")
    return site
