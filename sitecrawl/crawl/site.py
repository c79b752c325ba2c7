"""The crawl of one site: opened, leased, resumed and closed here; fetched pages are learned, kept and extracted.

Longer than other modules: all that a crawl does to its database stands here, in the order of a page's life.
"""

import datetime as dt
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Final

from sqlalchemy.orm import Session

from sitecrawl.config import Config
from sitecrawl.crawl.content import content_record, feed_item
from sitecrawl.crawl.deletions import Conclusion, conclude
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.learning import Learning, Publication
from sitecrawl.crawl.life import Answer, Decision, Emit, Finding
from sitecrawl.crawl.outage import Hosts
from sitecrawl.crawl.recall import mark, recall, restore_or_relearn
from sitecrawl.crawl.revision import confirmed
from sitecrawl.crawl.revisit import decided, may_ask, record
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.crawl.survey import Survey
from sitecrawl.dom import twin
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Need, SiteContext, get_extractor
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.anchors import AnchorReader
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.traps import TrapGuard, TrapLimits
from sitecrawl.links.urls import fetchable_url, url_id, url_key
from sitecrawl.overrides import extraction as overrides
from sitecrawl.overrides.folders import Overrides
from sitecrawl.scheduling import Outcome
from sitecrawl.storage.contents import ContentRepository, StoredContent
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.duplicates import DuplicateRepository, Text
from sitecrawl.storage.engine import open_database
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.owners import new_owner
from sitecrawl.storage.pages import GOOD, DuePage, Fetch, PageRepository, PageStatus, StoredPage
from sitecrawl.storage.revisits import RevisitRepository, Validators
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.storage.writer import BatchWriter

logger = logging.getLogger(__name__)

HELD: Final = "held"
"""Reason of a crawl that is over, but whose deletions are so many that an operator has to agree."""
COMPLETE: Final = frozenset(("finished", "max_pages", HELD))
"""Reasons after which a crawl is over; after any other it is resumed by the next one."""


def now() -> dt.datetime:
    """Return the time, aware, in UTC."""
    return dt.datetime.now(dt.UTC)


class SiteCrawl:
    """One crawl of one site. Every change of the database goes through its writer, in order."""

    def __init__(
        self, config: Config, start_url: str, *, max_depth: int = 0, owner: str | None = None, due: bool = False
    ) -> None:
        """Open the database, lease the site and load what is known about it.

        `owner` is the holder of a lease that was taken for this crawl, which takes it over. With `due` only pages that
        are due are fetched.

        Raises ConfigError for a URL or setting that cannot be used, StorageError (SiteLeasedError when another
        process crawls the site) for the database.
        """
        fetchable = fetchable_url(start_url)
        self.scope = SiteScope.of(start_url, config.site_scope)
        if fetchable is None:
            raise ConfigError(f"{start_url!r} cannot be crawled; give a URL such as https://example.org/")
        self.config = config
        self.start_url = fetchable
        self.compiled = twin.choose(config.extension)
        self.extractor = get_extractor(config.extractor, **(config.extractor_options or {}))
        self.overrides = Overrides(config.overrides)
        self.overrides.load(self.scope)
        self.frontier = Frontier(config.frontier_window, config.max_pages, max_depth)
        limits = TrapLimits(
            path_segments=config.max_path_segments,
            segment_repeats=config.max_segment_repeats,
            query_parameters=config.max_query_parameters,
            query_variants=config.max_query_variants,
        )
        self.guard = TrapGuard(limits)
        self.anchors = AnchorReader(self.scope, self.guard)
        self.learning = Learning(config, learn_blocks=config.template_blocks or Need.BLOCKS in self.extractor.needs)
        self.waiting: deque[int] = deque()
        self.aliases: deque[int] = deque()
        self._sample: tuple[FlatDom, ...] = ()
        self.exhausted = False
        self.seconds: dict[str, float] = {"select": 0.0, "learn": 0.0, "extract": 0.0}
        self.failures: dict[str, int] = {}
        self.exclusions: list[str] = []
        self.retired: list[int] = []
        self.postponed: list[str] = []
        self.given_up = ""
        self.hosts = Hosts(config.outage_failures, config.outage_patience)
        self.conclusion = Conclusion(0, 0, 0, 0)
        self._asked: dict[int, Validators] = {}
        self._publication: Callable[[Session], None] | None = None
        self._fetch_order = self._emit_order = 0
        self.due = due
        self.owner, self.lent = new_owner(), owner
        self.engine = open_database(config.database_url)
        self.writer = BatchWriter(self.engine, batch=config.database_batch)
        try:
            self._load()
        except BaseException:
            self.writer.shutdown()
            raise

    def _load(self) -> None:
        run, moment, config = self.writer.run, now(), self.config
        self.site = run(lambda s: SiteRepository(s).get_or_add(self.scope.key, self.start_url, moment))
        site_id = self.site.id
        run(lambda s: SiteRepository(s).lease(site_id, self.owner, moment, config.lease_seconds, lent=self.lent))
        before = run(lambda s: CrawlRepository(s).latest(site_id))
        self.clock_back = (before.started_at - moment).total_seconds() if before is not None else 0.0
        self.crawl = run(lambda s: CrawlRepository(s).begin(site_id, moment))
        started = self.crawl.id
        self.survey = run(lambda s: Survey(s, site_id))
        self.schedule = run(lambda s: Schedule(s, self.config, site_id, started, due=self.due))
        frontier = self.frontier
        for key, status, crawl_id in run(lambda s: list(PageRepository(s).known(site_id))):
            frontier.known.add(key)
            if crawl_id == self.crawl.id:
                frontier.settled.add(key)
                frontier.pages += status in GOOD
        for url, content in run(lambda s: list(PageRepository(s).outcomes(site_id))):
            self.guard.replay(url, content=content)
        frontier.discovery = run(lambda s: PageRepository(s).last_discovery(site_id))
        restore_or_relearn(run, site_id, self.learning, self._page, self.crawl.id, moment)
        self.recalled = recall(run, site_id, self.learning, self._page, self.crawl.id)
        if self.crawl.resumed:
            self._resume()

    def _resume(self) -> None:
        """Learn again what an interrupted crawl had not yet added to the stored template, and find what waits."""
        run, site_id, crawl_id = self.writer.run, self.site.id, self.crawl.id
        self.waiting.extend(run(lambda s: PageRepository(s).waiting(site_id, crawl_id)))
        for key in run(lambda s: PageRepository(s).unlearned(site_id, crawl_id)):
            stored = run(partial(_stored, site_id=site_id, url_key=key))
            if stored is None or stored.html is None:
                continue
            layout = run(partial(_layout, site_id=site_id, url_key=key))
            if layout is None and self.learning.published:
                self.learning.recall(self._page(stored), key, learned=False)
            else:
                self.learning.learn(self._page(stored), key)
        self._fetch_order = len(self.frontier.known)
        self._emit_order = run(lambda s: ContentRepository(s).last_emitted(site_id, crawl_id))
        for links in run(lambda s: list(RevisitRepository(s).links(site_id, crawl_id))):
            self.frontier.seen.update(links)

    def _page(self, stored: StoredPage) -> Page:
        return Page.from_html(stored.html or "", stored.url, max_nodes=self.config.max_nodes)

    # Fetching -------------------------------------------------------------------------------------------------

    async def frontier_batch(self) -> list[DuePage]:
        """Return the pages to ask for next, most urgent first, and take them."""
        frontier, schedule = self.frontier, self.schedule
        room, taken = frontier.room, frontier.taken | frontier.postponed
        if not room:
            return []
        due = await self.writer.submit(lambda s: schedule.pages(s, now(), room, taken))
        return await self._conditional([page for page in due if frontier.take(page.url_key)])

    async def _conditional(self, pages: list[DuePage]) -> list[DuePage]:
        """Give pages their validators, where a 304 would be enough.

        It is not when the template was forgotten, or when a link of the page is not known any more.
        """
        if not self.learning.published:
            return pages
        site_id, keys = self.site.id, [page.url_key for page in pages]
        stored = await self.writer.submit(lambda s: RevisitRepository(s).validators(site_id, keys))
        asked = []
        for page in pages:
            found = stored.get(page.url_key)
            if (
                found is not None
                and may_ask(page.url_key, found, self.config.full_fetch_every)
                and self.frontier.known.issuperset(found.links)
            ):
                self._asked[page.url_key] = found
                asked.append(page._replace(etag=found.etag, last_modified=found.last_modified))
            else:
                asked.append(page)
        return asked

    async def settle(
        self, key: int, url: str, finding: Finding, http_status: int | None, depth: int
    ) -> Decision | None:
        """Record the end of a URL that gave no page; None when it had come to one before."""
        if not self.frontier.settle(key):
            return None
        self._asked.pop(key, None)
        if finding.answer is Answer.FAILED:
            self.failures[finding.why] = self.failures.get(finding.why, 0) + 1
        elif len(self.exclusions) < 10:
            self.exclusions.append(finding.why)
        fetch, site_id = self._fetch(key, url, http_status, depth), self.site.id

        def store(session: Session) -> Decision:
            decision = record(session, site_id, fetch, finding)
            self.schedule.visited(session, key, decision.outcome, fetch.fetched_at)
            return decision

        return await self.writer.submit(store)

    def postpone(self, key: int, why: str) -> None:
        """Leave a page as it is, and due, in this crawl."""
        self.frontier.postpone(key)
        self.postponed.append(why)

    def give_up(self, host: str, reason: str, why: str) -> None:
        """Ask nothing more of a host in this run; if the site has no other, the crawl ends, to be resumed."""
        self.hosts.of(host).given_up = self.given_up = why
        if self.scope.scope == "host":
            self.frontier.stopped = reason

    async def settle_suspended(self) -> int:
        """Settle the pages whose failures are understood now, since their host answered or was given up.

        Returns how many failed by themselves.
        """
        own, again, left = self.hosts.understood()
        for one in own:
            await self.settle(one.url_key, one.url, one.finding, one.http_status, one.depth)
        for one in again:
            self.frontier.taken.discard(one.url_key)
        for one in left:
            self.postpone(one.url_key, self.hosts.of(one.host).given_up)
        return len(own)

    async def not_modified(self, key: int, url: str, depth: int) -> ContentItem | None:
        """Record that a page is as it was: its links count as seen; return its row if unchanged pages have one."""
        self.frontier.settle(key, page=True)
        found = self._asked.pop(key, None)
        self.frontier.seen.update(found.links if found is not None else ())
        hub = depth == 0 or (found is not None and found.kind == "listing")
        self._emit_order += 1
        fetch, site_id, order = self._fetch(key, url, 304, depth), self.site.id, self._emit_order

        def note(session: Session) -> StoredContent | None:
            contents = ContentRepository(session)
            decision = record(session, site_id, fetch, Finding(Answer.NOT_MODIFIED))
            self.schedule.visited(session, key, decision.outcome, fetch.fetched_at, hub=hub)
            if decision.emit is not Emit.UNCHANGED:
                return None
            contents.unchanged(site_id, key, self.crawl.id, order)
            return contents.get(site_id, key) if self.config.emit_unchanged else None

        content = await self.writer.submit(note)
        return None if content is None else feed_item(content, self.site.host)

    async def discover(self, found: list[Discovered]) -> None:
        """Store URLs that were found outside pages: in a sitemap, as a start URL."""
        moment = now()
        await self.writer.submit(lambda s: PageRepository(s).discover(self.site.id, found, moment))

    def _fetch(self, key: int, url: str, http_status: int | None, depth: int, item: PageItem | None = None) -> Fetch:
        self._fetch_order += 1
        return Fetch(
            url_key=key,
            url=url,
            status=PageStatus.FETCHED,
            reason=None,
            http_status=http_status,
            depth=depth,
            crawl_id=self.crawl.id,
            fetch_order=self._fetch_order,
            etag=item.etag if item else None,
            last_modified=item.last_modified if item else None,
            fetched_at=item.fetched_at if item else now(),
            html=item.html if item else None,
            sample=item.sample if item else (),
            discovery=self.frontier.discovery,
            links=item.links if item else (),
        )

    def _finding(self, item: PageItem) -> Finding:
        """Return what decides on a page that was found."""
        canonical = self.canonical(item)
        return Finding(Answer.PAGE, noindex=item.noindex, canonical=canonical)

    def canonical(self, item: PageItem) -> str | None:
        """Return the URL of another page of the site that a page names as its canonical one."""
        declared = item.page.canonical_url
        url = fetchable_url(declared) if declared else None
        if url is None or not self.scope.contains(url) or url_key(url) == item.url_key:
            return None
        return url

    # Learning and extraction ------------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether waiting pages may be extracted now: their template is there, or nothing more will come."""
        return self.exhausted or not (self._needs_neighbours or self.learning.undecided)

    def ready_for(self, item: PageItem) -> bool:
        """Whether a page just fetched may be extracted now: strangers wait while they may become a layout."""
        return self.ready or (self.learning.template_of(item.layout) is not None and not self._needs_neighbours)

    @property
    def _needs_neighbours(self) -> bool:
        return Need.NEIGHBOURS in self.extractor.needs

    async def learn(self, item: PageItem) -> bool:
        """Find the layout of a fetched page and learn from it; publish what is due. True if the page was counted."""
        before = None
        if self.learning.doubtful(item.page):
            site_id, key = self.site.id, item.url_key
            before = await self.writer.submit(lambda s: LayoutRepository(s).earlier(site_id, key))
        started = perf_counter()
        flat = before and Page.from_html(before.html, before.url, max_nodes=self.config.max_nodes).flat
        placed = self.learning.learn(item.page, item.url_key, flat or None, before and before.layout)
        item.layout, item.counted = placed.layout, placed.counted
        item.learned_version = None if placed.learned or placed.layout is None else 0
        if placed.counted:
            item.learned_version = self.learning.version_of(placed.layout)
        for publication in self.learning.publish_due():
            self._publish(publication)
            if item.url_key in publication.keys:
                item.learned_version = publication.changes.version
                item.layout = publication.changes.layout
        self.seconds["learn"] += perf_counter() - started
        return placed.learned

    def _publish(self, publication: Publication) -> None:
        """Make a template the one in use; it is stored with the next page."""
        site_id, crawl_id, moment = self.site.id, self.crawl.id, now()
        before = self._publication

        def add(session: Session) -> None:
            if before is not None:
                before(session)
            TemplateRepository(session).add(site_id, publication.changes, moment, crawl_id=crawl_id)
            mark(session, site_id, [publication])

        self._publication = add

    async def exhaust(self) -> None:
        """Nothing is left to fetch: publish what was learned, so that the waiting pages can be extracted."""
        for publication in self.learning.publish_all():
            self._publish(publication)
        await self._publish_now()
        settled = self.frontier.settled
        recalled = [key for key in self.recalled if key not in settled]
        self.waiting.extend([key for key in recalled if await self._found_a_layout(key)])
        self.exhausted = True
        self.waiting.extend(self.aliases)
        self.aliases.clear()

    async def _found_a_layout(self, key: int) -> bool:
        """Say whether a stored page that no layout described has one now."""
        stored = await self.writer.submit(partial(_stored, site_id=self.site.id, url_key=key))
        return stored is not None and stored.html is not None and self.learning.find(self._page(stored)) is not None

    async def _publish_now(self) -> None:
        if self._publication is not None:
            publication, self._publication = self._publication, None
            await self.writer.submit(publication)

    async def keep(self, item: PageItem) -> None:
        """Store a page whose extraction waits for the template, with the URLs found on it."""
        (self.aliases if self.is_alias(item) else self.waiting).append(item.url_key)
        store, site_id, key = self._page_operation(item), self.site.id, item.url_key

        def put(session: Session) -> None:
            LayoutRepository(session).set_aside(site_id, key)
            store(session)

        await self.writer.submit(put)

    def is_alias(self, item: PageItem) -> bool:
        """Say whether a page waits because it names another as its canonical one, which may yet be found."""
        return not self.exhausted and self.canonical(item) is not None

    def _page_operation(self, item: PageItem) -> Callable[[Session], Decision]:
        """Return what stores a page, what was found on it, and a publication that is due: one transaction."""
        fetch = self._fetch(item.url_key, item.url, item.http_status, item.depth, item)
        finding = self._finding(item)
        publication, self._publication = self._publication, None
        site_id, sampled_out = self.site.id, item.learned_version == 0
        layout, counted, survey = item.layout, item.counted, self.survey.count(item)

        def store(session: Session) -> Decision:
            pages = PageRepository(session)
            decision = record(session, site_id, fetch, finding)
            survey(session)
            pages.discover(site_id, item.found, fetch.fetched_at)
            LayoutRepository(session).place(site_id, fetch.url_key, layout, counted=counted)
            if sampled_out:
                pages.mark_learned(site_id, [fetch.url_key], 0)
            if publication is not None:
                publication(session)
            return decision

        return store

    async def extract(self, item: PageItem) -> ContentItem | None:
        """Extract the main content of a page and store it; return its feed row, None for a page that has none now."""
        context = await self._context(item)
        started = perf_counter()
        overridden = overrides.extract(item.page, self.extractor, context, self.overrides.rule(item.url))
        item.override = overridden.outcome or ""
        self._emit_order += 1
        store = None if item.stored else self._page_operation(item)
        made = content_record(
            item,
            overridden.extraction,
            context.template,
            self.survey.values,
            self.config,
            self.crawl.id,
            self._emit_order,
            now(),
        )
        self.seconds["extract"] += perf_counter() - started
        finding = self._finding(item)
        site_id, key, keep_body = self.site.id, item.url_key, self.config.store_bodies
        keep_body = keep_body or self._needs_neighbours

        def put(session: Session) -> StoredContent | None:
            kept = confirmed(session, site_id, item, made, self.config)
            if store is not None:
                decision = store(session)
            else:
                decision = decided(session, site_id, key, finding)
                LayoutRepository(session).place(site_id, key, item.layout, counted=True)
                LayoutRepository(session).compared(site_id, key)
            if decision.emit is not Emit.CONTENT:
                self.schedule.visited(session, key, Outcome.EXCLUDED, item.fetched_at)
                return None
            contents, pages = ContentRepository(session), PageRepository(session)
            text = Text(key, kept.digest, kept.simhash, len(kept.text), kept.title)
            original = DuplicateRepository(session).original(site_id, text)
            if kept.text and finding.canonical is not None and not decision.indexable:
                held = contents.indexed(site_id, url_key(finding.canonical))
                original = url_id(finding.canonical) if held else None
            complete = replace(kept, duplicate_of=original)
            status = contents.put(site_id, complete, index=decision.indexable)
            hub = complete.kind == "listing" or item.depth == 0
            self.schedule.visited(session, key, Outcome(status), item.fetched_at, hub=hub)
            if not keep_body:
                pages.drop_body(site_id, key)
            return StoredContent(complete, status, item.url, item.http_status, item.depth, item.fetched_at)

        content = await self.writer.submit(put)
        if content is None:
            return None
        if content.record.text and content.record.duplicate_of is None:
            await self._release(self.guard.credit(item.url), item.depth)
        return feed_item(content, self.site.host)

    async def _release(self, urls: list[str], depth: int) -> None:
        """Put variants of a path that has proved to hold content into the frontier, as its least urgent pages."""
        found = [self.frontier.add(url_key(url), url, depth, 0) for url in urls]
        await self.discover([one for one in found if one is not None])

    async def _context(self, item: PageItem) -> SiteContext:
        template = self.learning.template_of(item.layout)
        version = item.learned_version
        learned = bool(version) and template is not None and (version or 0) <= template.version
        neighbours: tuple[FlatDom, ...] = ()
        if self._needs_neighbours:
            neighbours = await self._site_sample() or await self._flats(item.sample)
        return SiteContext(
            template=template, blocks=self.learning.blocks_of(item.layout), neighbours=neighbours, learned=learned
        )

    async def _site_sample(self) -> tuple[FlatDom, ...]:
        """Return the pages that methods with a `sample_size` compare all pages with: those that were fetched first."""
        size: int = getattr(self.extractor, "sample_size", 0)
        if size and not self._sample:
            site_id = self.site.id
            keys = await self.writer.submit(lambda s: PageRepository(s).first_fetched(site_id, size))
            self._sample = await self._flats(keys)
        return self._sample

    async def _flats(self, keys: Sequence[int]) -> tuple[FlatDom, ...]:
        """Return the columns of stored pages."""
        found = []
        for key in keys:
            stored = await self.writer.submit(partial(_stored, site_id=self.site.id, url_key=key))
            if stored is not None and stored.html is not None:
                found.append(self._page(stored).flat)
        return tuple(found)

    async def waiting_item(self, key: int) -> PageItem | None:
        """Return a page that waited in the database."""
        stored = await self.writer.submit(partial(_stored, site_id=self.site.id, url_key=key))
        if stored is None or stored.html is None:
            return None
        page = self._page(stored)
        layout = await self.writer.submit(partial(_layout, site_id=self.site.id, url_key=key))
        return PageItem(
            page=page,
            url_key=key,
            html=stored.html,
            http_status=stored.http_status or 0,
            depth=stored.depth,
            fetched_at=stored.fetched_at or now(),
            noindex=stored.reason == "noindex",
            sample=stored.sample,
            stored=True,
            learned_version=stored.learned_version,
            layout=layout if self.learning.template_of(layout) is not None else self.learning.find(page),
        )

    async def emitted_rows(self) -> list[ContentItem]:
        """Return the feed rows that an interrupted run of this crawl had made, so that the feed is whole."""
        return await self._emitted(0)

    async def _emitted(self, after: int) -> list[ContentItem]:
        site_id, crawl_id, unchanged = self.site.id, self.crawl.id, self.config.emit_unchanged
        rows = await self.writer.submit(
            lambda s: list(ContentRepository(s).emitted(site_id, crawl_id, after=after, unchanged=unchanged))
        )
        return [feed_item(row, self.site.host) for row in rows]

    async def conclude(self) -> list[ContentItem]:
        """Delete what was found to be gone, unless that is too much; return the rows that say so."""
        site_id, crawl_id, before, moment = self.site.id, self.crawl.id, self._emit_order, now()
        self.conclusion = await self.writer.submit(
            lambda s: conclude(s, site_id, crawl_id, before, self.config, moment)
        )
        self._emit_order = self.conclusion.emit_order
        return await self._emitted(before) if self._emit_order > before else []

    async def figures(self) -> dict[str, Any]:
        """Return the figures of the whole crawl, as its history keeps them."""
        site_id, crawl_id = self.site.id, self.crawl.id
        contents, urls = await self.writer.submit(
            lambda s: (ContentRepository(s).counts(site_id, crawl_id), PageRepository(s).counts(site_id, crawl_id))
        )
        rows: dict[str, int] = {}
        for (_, status), count in contents.items():
            rows[status] = rows.get(status, 0) + count
        return {
            "pages": self.frontier.pages,
            "urls": urls,
            "rows": rows,
            "held": self.conclusion.held,
            "unlinked": len(self.frontier.known - self.frontier.seen),
            "template_version": self.learning.version,
        }

    async def counts(self) -> tuple[dict[tuple[str, str], int], dict[str, int]]:
        """Return the pages of this crawl by (kind, status), and the URLs of the site by status."""
        site_id, crawl_id = self.site.id, self.crawl.id
        return await self.writer.submit(
            lambda s: (ContentRepository(s).counts(site_id, crawl_id), PageRepository(s).counts(site_id))
        )

    # Ending -------------------------------------------------------------------------------------------------------

    async def renew(self) -> bool:
        """Keep the lease; False when another process has taken it over."""
        return await self.writer.submit(
            lambda s: SiteRepository(s).renew(self.site.id, self.owner, now(), self.config.lease_seconds)
        )

    def outcome(self, reason: str) -> str:
        """Return how the crawl ended, by the reason why the engine closed it."""
        if reason != "finished":
            return reason
        if self.frontier.stopped:
            return self.frontier.stopped
        if self.conclusion.held:
            return HELD
        return "max_pages" if self.frontier.full else reason

    async def close(self, reason: str, stats: dict[str, Any]) -> None:
        """Store what is left, close or leave open the crawl, release the site."""
        await self._publish_now()
        if reason in COMPLETE:
            await self._retire()
            await self.writer.submit(lambda s: CrawlRepository(s).finish(self.crawl.id, now(), reason, stats))
        await self.writer.submit(lambda s: self.schedule.close(s, now()))
        await self.writer.submit(lambda s: SiteRepository(s).release(self.site.id, self.owner))
        await self.writer.close()
        self.engine.dispose()

    async def _retire(self) -> None:
        """Let go of layouts that no page has any more."""
        site_id, moment, live = self.site.id, now(), [layout.number for layout in self.learning.layouts.published]

        def retire(session: Session) -> list[int]:
            used = LayoutRepository(session).used(site_id)
            unused = [number for number in live if number not in used] if used else []
            if unused:
                TemplateRepository(session).retire(site_id, unused, moment)
            return unused

        for number in await self.writer.submit(retire):
            self.retired.append(number)
            self.learning.layouts.drop(number)
            logger.info("%s: no page has layout %d any more; its template is dropped", self.scope.key, number)


def _layout(session: Session, site_id: int, url_key: int) -> int | None:
    return LayoutRepository(session).layout(site_id, url_key)


def _stored(session: Session, site_id: int, url_key: int) -> StoredPage | None:
    return PageRepository(session).stored(site_id, url_key)
