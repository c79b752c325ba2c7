"""URLs that the rules of a crawl refuse: they are not requested, and counted by reason.

Stored pages that a rule of the settings or of the site refuses are removed from feed and indexes like deleted pages: if
they are too many, they are held. Pages that only this crawl leaves out (by its arguments, or by a list of URLs) keep
their state, and stay due.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from sitecrawl.clock import now
from sitecrawl.crawl.commit import store
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.visit_decision import Visit
from sitecrawl.links.anchors import Anchor
from sitecrawl.links.crawl_rules import OUT_OF_SCOPE, REASONS, CrawlRules, Refusal
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import GOOD, PageRepository, PageStatus, ScopedPage

MOST: Final = 200_000
"""Maximum refused URLs that are remembered, to count each once (about 10 MB); later ones are not counted."""
BATCH: Final = 500
"""Pages stored in one transaction."""


class _Parts(NamedTuple):
    excluded: list[ScopedPage]
    """Pages to be removed from feed and indexes now."""
    again: list[ScopedPage]
    """Pages that an earlier crawl already excluded."""
    passed: list[ScopedPage]
    """Pages that only this crawl leaves out."""


class OutOfScope:
    """The URLs that one crawl leaves out."""

    def __init__(self, crawl: SiteCrawl) -> None:
        self.crawl = crawl
        self.rules: CrawlRules = crawl.options.rules
        self.counts: dict[Refusal | str, int] = {}
        """Number of URLs by the rule that refused them."""
        self._counted: set[int] = set()

    def refusal(self, url: str, key: int | None = None) -> Refusal | None:
        """Return the rule that refuses a URL, and count it once; None if it may be requested."""
        refusal = self.rules.refusal(url)
        if refusal is not None:
            self._count(refusal, url_key(url) if key is None else key)
        return refusal

    def followed(self, anchors: Sequence[Anchor]) -> list[Anchor]:
        """Return the links of a page that may be requested."""
        if not self.follows_links:
            return []
        if not self.rules.any:
            return list(anchors)
        return [one for one in anchors if self.refusal(one.url, one.url_key) is None]

    @property
    def follows_links(self) -> bool:
        """Whether links of pages are followed."""
        return not self.crawl.config.sitemap_only and self.rules.listed is None

    async def leave_out(self) -> None:
        """Settle the stored pages that are out of scope, before any page is requested."""
        if not self.rules.any:
            return
        crawl, site_id = self.crawl, self.crawl.site_id
        after, more = None, True
        while more:
            pages, after = await crawl.writer.submit(partial(_addresses, site_id=site_id, after=after))
            more = after is not None
            await self._settle(self._sorted(pages))

    def _sorted(self, pages: Iterable[ScopedPage]) -> _Parts:
        parts, frontier = _Parts([], [], []), self.crawl.frontier
        for page in pages:
            refusal = self.refusal(page.url, page.url_key)
            if refusal is None:
                continue
            if page.url_key in frontier.settled:
                frontier.pages -= page.status in GOOD  # a resumed crawl has counted it
            elif self.crawl.options.standing.refusal(page.url) is None:
                parts.passed.append(page)
            elif page.status is PageStatus.EXCLUDED and (page.reason or "").startswith(OUT_OF_SCOPE):
                parts.again.append(page)
            else:
                parts.excluded.append(page)
        return parts

    async def _settle(self, parts: _Parts) -> None:
        crawl, moment = self.crawl, now()
        if not any(parts):
            return
        visits = [self._visit(page) for page in parts.excluded]
        later = moment + dt.timedelta(seconds=crawl.schedule.bounds.maximum)  # due pages would keep the site due

        def settle(session: Session) -> None:
            for visit in visits:
                store(session, crawl.rules, visit)
            _pass(session, crawl.site_id, crawl.crawl_id, parts.passed, moment)
            again = [
                {"url_key": page.url_key, "crawl_id": crawl.crawl_id, "next_fetch_at": later} for page in parts.again
            ]
            PageRepository(session).amend(crawl.site_id, again)

        await crawl.writer.submit(settle)
        for page in (*parts.excluded, *parts.again, *parts.passed):
            crawl.frontier.settle(page.url_key)

    def _visit(self, page: ScopedPage) -> Visit:
        refusal = self.crawl.options.standing.refusal(page.url) or "include"
        fetch = self.crawl.visits.fetch(page.url_key, page.url, None, page.depth)._replace(requested=False)
        return Visit(fetch, FetchOutcome(FetchResult.OUT_OF_SCOPE, REASONS[refusal]))

    def _count(self, refusal: Refusal, key: int) -> None:
        if key not in self._counted and len(self._counted) < MOST:
            self._counted.add(key)
            self.counts[refusal] = self.counts.get(refusal, 0) + 1


def _addresses(session: Session, site_id: int, after: int | None) -> tuple[list[ScopedPage], int | None]:
    return PageRepository(session).addresses(site_id, after, BATCH)


def _pass(session: Session, site_id: int, crawl_id: int, pages: Sequence[ScopedPage], now: dt.datetime) -> None:
    """Settle pages in a crawl without a visit; those that were never fetched become due now, for the next crawl."""
    repository = PageRepository(session)
    rows = [{"url_key": page.url_key, "crawl_id": crawl_id} for page in pages]
    new = [one for one, page in zip(rows, pages, strict=True) if page.status is PageStatus.DISCOVERED]
    repository.amend(site_id, [one for one in rows if one not in new])
    repository.amend(site_id, [{**one, "next_fetch_at": now} for one in new])
