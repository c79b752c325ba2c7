"""The open state of a crawl of one site: the database, the lease, the frontier, and the site's stored data."""

import datetime as dt
from functools import partial
from typing import Any, NamedTuple

from sitecrawl import twins
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.changed_overrides import Marked, mark_pages
from sitecrawl.crawl.closed_traps import ClosedTraps, read_again
from sitecrawl.crawl.commit import Rules
from sitecrawl.crawl.counters import CrawlOrder, Numbers
from sitecrawl.crawl.crawl_report import CrawlReport
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.extraction import SiteExtraction, chosen_extractor, new_learning, site_overrides
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.host_health import BUSY
from sitecrawl.crawl.hosts import Hosts
from sitecrawl.crawl.site_options import site_options
from sitecrawl.crawl.spellings import Spellings, origin_of
from sitecrawl.crawl.stored_pages import HeldRows, StoredPages, stored_layout
from sitecrawl.crawl.stored_site import StoredSite, stored_site
from sitecrawl.crawl.waiting_pages import WaitingPages
from sitecrawl.crawl.warm_start import recall, restore_or_relearn
from sitecrawl.errors import ConfigError, UnknownSiteError
from sitecrawl.items import PageItem
from sitecrawl.links.anchors import AnchorReader
from sitecrawl.links.infinite_spaces import InfiniteSpaces
from sitecrawl.links.relations import canonical_page
from sitecrawl.links.same_answers import SameAnswers
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.traps import TrapGuard, TrapLimits
from sitecrawl.links.urls import fetchable_url
from sitecrawl.links.withheld_answers import WithheldAnswers
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRef, CrawlRepository, CrawlSummary
from sitecrawl.storage.db.engine import open_database
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import BatchWriter, ProcessDatabase
from sitecrawl.storage.hosts import HostRepository, netloc_of
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.leases import LeaseFence
from sitecrawl.storage.pages import GOOD, PageRepository
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.site_writer import SiteWriter
from sitecrawl.storage.sites import SiteRef, SiteRepository


class _Leased(NamedTuple):
    """A site whose lease was taken, with the crawl that begins or continues."""

    site: SiteRef
    epoch: int
    """The number of the lease."""
    before: CrawlSummary | None
    """The crawl before; None if there was none."""
    crawl: CrawlRef
    options: dict[str, Any]
    """The site's settings."""
    overridden: Marked


class CrawlState:
    """A site that is being crawled. Every change of the database goes through its writer, in order."""

    def __init__(
        self,
        config: Config,
        start: CrawlStart,
        database: ProcessDatabase | None = None,
        held: HeldRows | None = None,
    ) -> None:
        """Open the database, lease the site and load its stored data.

        `database` is shared by the crawls of a process; without it the crawl opens its own. `held` counts the rows that
        all these crawls hold in memory.

        Raises ConfigError for an unusable URL or setting, StorageError for the database (SiteLeasedError if another
        process crawls the site).
        """
        fetchable = fetchable_url(start.url)
        self.scope = SiteScope.of(start.url, config.site_scope)
        if fetchable is None:
            raise ConfigError(f"{start.url!r} cannot be crawled; give a URL such as https://example.org/")
        self.options = site_options(config, {}, start.given, fetchable)  # before anything is opened
        self.start, self.start_url = start, fetchable
        twins.choose(config.extension)
        self.frontier = Frontier(config.frontier_window, config.max_pages, config.selection_order)
        self.frontier.spellings = Spellings(origin_of(fetchable))
        self.guard = TrapGuard(trap_limits(config))
        self.infinite_spaces = InfiniteSpaces(config.trap_pages, self.start_url)
        self.anchors = AnchorReader(self.scope, self.guard)
        extractor, overrides = chosen_extractor(config), site_overrides(config, self.scope)
        self.learning = new_learning(config, extractor)
        self.waiting, self.order, self.report = WaitingPages(), CrawlOrder(), CrawlReport()
        self.reach: str | None = None
        """Addresses that the start host may resolve to (`addresses.Reach`); None until that is decided."""
        self._canonical: tuple[tuple[int, str], str | None] = (0, ""), None
        spread = self.scope.scope == "domain"
        self.hosts = Hosts(config.outage_failures, config.outage_patience, netloc_of(fetchable), spread=spread)
        self.owner = new_owner()
        self._shares_database = database is not None
        self._open(config, database)
        try:
            self.options = site_options(config, self._lease(overrides.digest), start.given, fetchable)
            config = self.config
            self.frontier.max_pages = config.max_pages
            self.bodies = StoredPages(config, self.writer, self.site_id, held)
            self.extraction = SiteExtraction(config, overrides, extractor, self.learning, self.bodies)
            self._load()
            self.rules = self._rules()
        except BaseException:
            self.writer.shutdown()
            raise

    @property
    def config(self) -> Config:
        """The settings of this crawl, with those of the site once it is leased."""
        return self.options.config

    @property
    def site_id(self) -> int:
        """Number of the site."""
        return self.site.id

    @property
    def crawl_id(self) -> int:
        """Number of the crawl."""
        return self.crawl.id

    def _rules(self) -> Rules:
        config = self.config
        return Rules(
            *(self.site_id, self.crawl_id, self.schedule, self.statistics.link_texts, config.max_nodes),
            store_bodies=config.store_bodies,
            keep_body=config.store_bodies or self.extraction.needs_neighbours,
            emit_unchanged=config.emit_unchanged,
        )

    def dispose(self) -> None:
        """Drop the pages held in memory; close the database connections, unless other crawls share them."""
        self.bodies.release()
        if not self._shares_database:
            self.engine.dispose()

    def canonical(self, item: PageItem) -> str | None:
        """Return the canonical URL that a page declares, if that is another page of the site; else None."""
        declared = item.page.canonical_url
        if not declared:
            return None
        (page, named), answer = self._canonical
        if (page, named) != (item.url_key, declared):  # called several times per page
            answer = canonical_page(item.url, declared, self.scope)
            self._canonical = (item.url_key, declared), answer
        return answer

    def _open(self, config: Config, database: ProcessDatabase | None) -> None:
        """Use the shared database, or open an own one."""
        if database is not None:
            self.engine, self.writer = database.engine, SiteWriter(database.writer, shared=True)
        else:
            self.engine = open_database(config.database_url, config.body_store)
            self.writer = SiteWriter(BatchWriter(self.engine, batch=config.database_batch))

    async def record_reach(self, reach: str) -> None:
        """Record the addresses that the start host may resolve to."""
        await self.writer.submit(lambda s: SiteRepository(s).set_reach(self.site_id, reach))
        self.reach = reach

    def _lease(self, digest: str) -> dict[str, Any]:
        """Take the lease of the site, and begin or resume its crawl, in one transaction; return the site's settings."""
        key, owner, moment, seconds = self.scope.key, self.owner, now(), self.config.lease_seconds

        def lease(session: Session) -> _Leased:
            sites, crawls = SiteRepository(session), CrawlRepository(session)
            if self.start.due and sites.get(key) is None:
                raise UnknownSiteError(f"{key}: the database holds nothing about this site; crawl it without due=1")
            site = sites.get_or_add(key, self.start_url, moment)
            BodyRepository(session).check_store(site.id)
            epoch = sites.lease(site.id, owner, moment, seconds, handed_over_from=self.start.owner)
            before, marked = crawls.latest(site.id), mark_pages(session, site.id, digest)
            return _Leased(site, epoch, before, crawls.begin(site.id, moment), sites.options(site.id), marked)

        leased = self.writer.run(lease)
        self.site, self.crawl, self.before = leased.site, leased.crawl, leased.before
        self.writer.fence(LeaseFence(self.site_id, leased.epoch, self.site.host))
        self.report.overridden, before = leased.overridden, leased.before
        self.clock_back = (before.started_at - moment).total_seconds() if before is not None else 0.0
        return leased.options

    def _load(self) -> None:
        run, site_id, crawl_id, frontier = self.writer.run, self.site_id, self.crawl_id, self.frontier
        config, due = self.config, self.start.due
        stored = run(lambda s: stored_site(s, config, site_id, crawl_id, frontier.keys, due=due))
        self.reach, self.answered = stored.reach, stored.answered
        self.statistics, self.schedule = stored.statistics, stored.schedule
        known = run(lambda s: list(PageRepository(s).known(site_id)))
        frontier.limit_depth(self.start.max_depth, config.depth_step)
        for key, status, last_crawl, depth in known:
            frontier.known.add(key)
            if last_crawl == crawl_id:
                frontier.settled.add(key)
                frontier.pages += status in GOOD
            elif frontier.is_far(depth):
                frontier.far[key] = depth
        for key, url, why in stored.unanswered:
            frontier.spellings.found(key, url)
            frontier.spellings.failed(key, why or "")
        same_answers = SameAnswers(self.start_url)
        withheld = WithheldAnswers(self.start_url)
        self.closed_traps = ClosedTraps(self.writer, site_id, self.guard, self.infinite_spaces, same_answers, withheld)
        self.closed_traps.load(stored.closed, config.trap_keep)
        frontier.discoveries = Numbers(stored.last_discovery)
        self._load_templates()
        self._load_hosts(stored)
        if self.crawl.resumed:
            self._resume()
        elif self.statistics.decided:
            self.statistics.take(run(partial(decide_values, site_id=site_id)))

    def _load_templates(self) -> None:
        """Load the stored templates, and learn from stored pages that have no layout yet."""
        run, site_id, crawl_id = self.writer.run, self.site_id, self.crawl_id
        restore_or_relearn(run, site_id, self.learning, self.bodies.read, crawl_id, now(), self.extraction.extractor)
        self.waiting.recalled = recall(run, site_id, self.learning, self.bodies.read, crawl_id)

    def learn_again(self) -> None:
        """Learn again from stored data: the templates, and the pages of this crawl that they do not count.

        Pages are parsed in the calling thread. That is rare: when a crawl is resumed, and after a failed store.
        """
        self.learning.reset()
        self._load_templates()
        self._learn_uncounted()

    def _load_hosts(self, stored: StoredSite) -> None:
        """Restore failing hosts and suspended pages of earlier runs."""
        site_id, hosts, moment = self.site_id, self.hosts, now()
        hosts.home = stored.home or hosts.home
        # pages of finished crawls, and pages settled before they were removed, are no longer suspended
        going_on, settled = self.crawl.resumed, self.frontier.settled
        waiting = [one for one in stored.suspended if going_on and one.url_key not in settled]
        over = [one.url_key for one in stored.suspended if one not in waiting]
        if over:
            self.writer.run(lambda s: HostRepository(s).understood(site_id, over))
        furthest = moment + dt.timedelta(seconds=self.schedule.bounds.maximum)
        hosts.restore(stored.hosts, waiting, moment, furthest)
        self.frontier.taken.update(one.url_key for one in waiting)
        home = hosts.of(hosts.home)
        if home.given_up:
            self.report.given_up = home.given_up
            if self.scope.scope == "host":
                self.frontier.stopped = BUSY

    def _resume(self) -> None:
        """Continue an interrupted crawl: load its waiting pages and counters, learn pages that no template counts."""
        run, site_id, crawl_id = self.writer.run, self.site_id, self.crawl_id
        self.waiting.pages.extend(run(lambda s: PageRepository(s).waiting(site_id, crawl_id)))
        self._learn_uncounted()
        self.order.fetched = len(self.frontier.known)
        self.order.emitted = Numbers(run(lambda s: ContentRepository(s).last_emitted(site_id, crawl_id)))
        self.order.emitted_before = self.order.emitted.last
        began = self.crawl.started_at
        self.frontier.seen.update(run(lambda s: read_again(s, self.infinite_spaces, site_id, crawl_id, began)))

    def _learn_uncounted(self) -> None:
        """Learn from the pages of this crawl that no stored template counts."""
        run, site_id, crawl_id = self.writer.run, self.site_id, self.crawl_id
        for key in run(lambda s: PageRepository(s).unlearned(site_id, crawl_id)):
            stored = self.bodies.read(key)
            if stored is None:
                continue
            layout = run(partial(stored_layout, site_id=site_id, url_key=key))
            if layout is None and self.learning.published:
                self.learning.recall(stored[1], key, learned=False)
            else:
                self.learning.learn(stored[1], key)


def decide_values(session: Session, site_id: int) -> SiteValues:
    """Decide which metadata values belong to the site and not to a page; return the counts that decided it."""
    values = SiteValueRepository(session)
    values.decide(site_id)
    return SiteValues(values.decided(site_id))


def trap_limits(config: Config) -> TrapLimits:
    """Return the trap limits of the settings."""
    return TrapLimits(
        path_segments=config.max_path_segments,
        segment_repeats=config.max_segment_repeats,
        query_parameters=config.max_query_parameters,
        query_variants=config.max_query_variants,
        folder_variants=config.max_folder_variants,
        pages=config.max_query_pages,
    )
