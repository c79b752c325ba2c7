"""Records the visits of a crawl that give no new page: errors, redirects, 304, suspended hosts."""

import asyncio
import datetime as dt
import logging
from collections.abc import Iterable

from sitecrawl.clock import now
from sitecrawl.crawl.commit import store
from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.host_health import GOOD_URLS, HostHealth, time_text
from sitecrawl.crawl.hosts import Suspended
from sitecrawl.crawl.known_pages import KnownPages
from sitecrawl.crawl.page_lifecycle import Decision, FetchOutcome, FetchResult
from sitecrawl.crawl.visit_decision import Visit
from sitecrawl.errors import StorageError, WritingEndedError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.urls import url_key
from sitecrawl.page_kind import Kind
from sitecrawl.printable import visible
from sitecrawl.scheduling import retried_after
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.hosts import HostRepository
from sitecrawl.storage.page_report import LEFT
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus

logger = logging.getLogger(__name__)


class Visits:
    """Stores the outcomes of requests without a new page."""

    def __init__(self, crawl: CrawlState) -> None:
        self.crawl = crawl
        self.known = KnownPages(crawl)
        self._settling = asyncio.Lock()

    async def settle(
        self,
        key: int,
        url: str,
        fetch_outcome: FetchOutcome,
        http_status: int | None,
        depth: int,
        *,
        not_before: dt.datetime | None = None,
        requested: bool = True,
    ) -> Decision | None:
        """Store the outcome of a URL that gave no page; return the decision, None if the URL already had an outcome.

        The URL is not requested before `not_before`, in this crawl or later. `requested` tells whether a request was
        sent.
        """
        frontier = self.crawl.frontier
        if not frontier.arrive(key):
            return None
        if not_before is not None:
            fetch_outcome = fetch_outcome._replace(
                why=f"{fetch_outcome.why}; not asked again before {time_text(not_before)}"
            )
        moved = fetch_outcome.result in (FetchResult.MOVED, FetchResult.MOVED_FOR_NOW)
        if moved and key == url_key(self.crawl.start_url) and not self.crawl.scope.contains(fetch_outcome.why):
            self.crawl.report.elsewhere = visible(fetch_outcome.why)
        fetch = self.fetch(key, url, http_status, depth)._replace(not_before=not_before, requested=requested)
        rules = self.crawl.rules
        visit = Visit(fetch, fetch_outcome, hub=depth == 0)
        try:
            decision, _ = await self.crawl.writer.submit(lambda s: store(s, rules, visit))
        except Exception:
            frontier.give_back(key)
            raise
        frontier.settle(key)
        self.known.asked.pop(key, None)
        if fetch_outcome.result is FetchResult.FAILED:
            self.crawl.report.failures[fetch_outcome.why] = self.crawl.report.failures.get(fetch_outcome.why, 0) + 1
        else:
            self.exclude(fetch_outcome.why)
        return decision

    def exclude(self, why: str) -> None:
        """Record the reason of an excluded page for the report, unless it has ten already."""
        if len(self.crawl.report.exclusions) < 10:
            self.crawl.report.exclusions.append(why)

    async def postpone(self, key: int, why: str) -> None:
        """Leave a page to the next run: its stored state stays, and a page that was never fetched gets the reason."""
        self.crawl.frontier.postpone(key)
        self.crawl.report.postponed.append(why)
        site_id = self.crawl.site_id
        await self.crawl.writer.submit(lambda s: PageRepository(s).left(site_id, key, f"{LEFT}: {why}"))

    async def give_up(self, netloc: str, reason: str, why: str) -> None:
        """Stop sending requests to a host in this run.

        If it is a host of the site's pages, the crawl ends, to be resumed later, and no page changes its status. For
        any other host, its pages fail, and the host is tried again after a time that grows from run to run.
        """
        hosts = self.crawl.hosts
        host, moment = hosts.of(netloc), now()
        if host.given_up:
            return
        bounds, not_before, home = self.crawl.schedule.bounds, None, hosts.is_home(netloc)
        if host.waits:
            not_before = self.not_before(min(host.waits.values()))
        elif not home:
            not_before = self.not_before(moment + dt.timedelta(seconds=retried_after(bounds, host.given_up_before)))
        host.give_up(why, not_before)
        if home:
            self.crawl.report.given_up = why
            if self.crawl.scope.scope == "host":
                self.crawl.frontier.stopped = reason
        await self.note(host)

    def not_before(self, asked: dt.datetime) -> dt.datetime:
        """Return the time until which a page or host is left alone, at most the longest interval from now."""
        return min(asked, now() + dt.timedelta(seconds=self.crawl.schedule.bounds.maximum))

    async def good_urls(self, netloc: str) -> list[str]:
        """Return URLs of a host to probe it with: stored good pages outside closed traps, latest first."""
        site_id, moment, host = self.crawl.site_id, now(), self.crawl.hosts.of(netloc)
        found = await self.crawl.writer.submit(lambda s: HostRepository(s).good_urls(site_id, netloc, moment))
        # the latest pages may all be in a trap that was just closed
        asked = [url for url in host.candidates(found) if url not in host.good_urls]
        return [url for url in asked if self.crawl.closed_traps.refusal(url) is None][:GOOD_URLS]

    async def note(self, host: HostHealth) -> None:
        """Store the state of a failing host."""
        site_id, row, host.stored = self.crawl.site_id, host.row(), True
        await self.crawl.writer.submit(lambda s: HostRepository(s).put(site_id, row))

    async def suspend(self, suspended: Suspended) -> None:
        """Suspend a page whose failure cannot be attributed yet, and store that, so that it outlives a killed run."""
        site_id, host = self.crawl.site_id, self.crawl.hosts.of(suspended.host)
        state, failure = host.row(), suspended.row()

        def store(session: Session) -> None:
            hosts = HostRepository(session)
            hosts.put(site_id, state)
            hosts.suspend(site_id, failure)

        await self.crawl.writer.submit(store)
        host.stored = True
        self.crawl.hosts.suspended.append(suspended)

    async def settle_suspended(self) -> int:
        """Settle the suspended pages whose failures can be attributed now: their host answered or was given up.

        Return the number of failures that concerned the pages alone.
        """
        hosts, failed = self.crawl.hosts, 0
        async with self._settling:
            found = hosts.understood()
            for one in found.own:
                failed += await self._settle_suspended(one, one.fetch_outcome, one.not_before)
            for one in found.left:
                host = hosts.of(one.host)
                if hosts.is_home(one.host):
                    await self.postpone(one.url_key, host.given_up)
                else:
                    fetch_outcome = one.fetch_outcome._replace(why=host.given_up)
                    failed += await self._settle_suspended(one, fetch_outcome, host.not_before)
            await self._forget([one.url_key for group in found for one in group], hosts.recovered())
            hosts.let_go(found)
            self.crawl.frontier.taken.difference_update(one.url_key for one in found.again)
        return failed

    async def _settle_suspended(
        self, suspended: Suspended, fetch_outcome: FetchOutcome, not_before: dt.datetime | None
    ) -> bool:
        """Settle a suspended page; return whether that was stored.

        A page that cannot be stored does not stop the others: it is requested once more, then left to the next run.
        """
        try:
            settled = await self.settle(
                suspended.url_key,
                suspended.url,
                fetch_outcome,
                suspended.http_status,
                suspended.depth,
                not_before=not_before,
            )
        except WritingEndedError:
            raise
        except StorageError as error:
            logger.warning("%s: its outcome could not be stored: %s", suspended.url, error)
            self.crawl.report.unsettled.append(suspended.url)
            return False
        if suspended.http_status is None and settled is not None:
            self.crawl.frontier.spellings.failed(suspended.url_key, settled.reason or "")
        return settled is not None

    async def _forget(self, url_keys: list[int], recovered: list[HostHealth]) -> None:
        """Delete the stored failures that are settled, and the rows of recovered hosts."""
        if not url_keys and not recovered:
            return
        site_id = self.crawl.site_id

        def forget(session: Session) -> None:
            hosts = HostRepository(session)
            hosts.understood(site_id, url_keys)
            for host in recovered:
                hosts.forget(site_id, host.name)

        for host in recovered:
            host.stored, host.given_up_before = False, 0
        await self.crawl.writer.submit(forget)

    async def identical(
        self, key: int, url: str, depth: int, http_status: int, etag: str | None, last_modified: str | None
    ) -> ContentItem | None:
        """Store the visit of a page with an unchanged body, and its new validators; return as `not_modified` does."""
        fetch = self.fetch(key, url, http_status, depth)._replace(etag=etag, last_modified=last_modified)
        return await self._unchanged(fetch, FetchOutcome(FetchResult.IDENTICAL))

    async def not_modified(self, key: int, url: str, depth: int) -> ContentItem | None:
        """Store the visit of an unmodified page; return its row if the feed has unchanged pages. Its links are seen."""
        return await self._unchanged(self.fetch(key, url, 304, depth), FetchOutcome(FetchResult.NOT_MODIFIED))

    async def _unchanged(self, fetch: Fetch, fetch_outcome: FetchOutcome) -> ContentItem | None:
        key, frontier = fetch.url_key, self.crawl.frontier
        found = self.known.asked.get(key)
        if not frontier.arrive(key, page=True):
            return None
        hub = fetch.depth == 0 or (found is not None and found.kind == Kind.LISTING)
        rules, order = self.crawl.rules, self.crawl.order.emitted.next()
        visit = Visit(fetch, fetch_outcome, hub, emit_order=order)
        try:
            _, content = await self.crawl.writer.submit(lambda s: store(s, rules, visit))
        except Exception:
            self.crawl.order.emitted.give_back(order)
            frontier.give_back(key)
            raise
        frontier.settle(key)
        if key in self.crawl.waiting.recalled:
            self.crawl.waiting.unread.add(key)
        frontier.seen.update(found.links if found is not None else ())
        self.known.asked.pop(key, None)
        if content is None:
            return None
        return feed_item(content, self.crawl.site.host, with_markdown=self.crawl.config.content_markdown)

    async def discover(self, found: list[Discovered]) -> None:
        """Store URLs found outside pages: start URLs and those of sitemaps."""
        if not found:
            return
        moment, frontier = now(), self.crawl.frontier
        try:
            await self.crawl.writer.submit(lambda s: PageRepository(s).discover(self.crawl.site_id, found, moment))
        except Exception:
            frontier.release(found)
            raise
        frontier.stored(found)

    async def bring_near(self, named: Iterable[int], depth: int) -> int:
        """Store `depth` for linked pages that were found at a greater depth only; return their number."""
        site_id, frontier = self.crawl.site_id, self.crawl.frontier
        keys, priority = frontier.farther(named, depth), frontier.link_priority(depth)
        if keys:
            await self.crawl.writer.submit(lambda s: PageRepository(s).bring_near(site_id, keys, depth, priority))
            frontier.bring_near(keys, depth)
        return len(keys)

    def fetch(self, key: int, url: str, http_status: int | None, depth: int, item: PageItem | None = None) -> Fetch:
        """Return the fetch of a visit; fetches of a crawl are numbered."""
        self.crawl.order.fetched += 1
        return Fetch(
            url_key=key,
            url=url,
            status=PageStatus.FETCHED,
            reason=None,
            http_status=http_status,
            depth=depth,
            crawl_id=self.crawl.crawl_id,
            fetch_order=self.crawl.order.fetched,
            etag=item.etag if item else None,
            last_modified=item.last_modified if item else None,
            fetched_at=item.fetched_at if item else now(),
            html=item.html if item else None,
            sample=item.sample if item else (),
            discovery=self.crawl.frontier.discoveries.last,
            links=item.links if item else (),
            content_language=item.content_language if item else None,
        )

    def fetch_outcome(self, item: PageItem) -> FetchOutcome:
        """Return the fetch outcome of a page."""
        canonical = self.crawl.canonical(item)
        return FetchOutcome(FetchResult.PAGE, noindex=item.noindex, canonical=canonical)
