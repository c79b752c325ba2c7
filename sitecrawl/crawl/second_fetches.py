"""Second fetches: a few pages of each layout are fetched twice in one crawl, to find its volatile blocks.

The second fetch of a page comes some time after the first: when its layout has half of the pages that its decision
needs, or when nothing else is left to fetch. It is compared with the stored body and then discarded. It does not count
as a visit or towards the page limit, and gives no feed row. The comparison is stored, so a resumed crawl does not fetch
these pages again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sitecrawl.clock import now
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.work_turns import pause
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, PageError
from sitecrawl.extractors.base import Extractor, SiteContext
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.second_fetches import SecondFetch, SecondFetchRepository
from sitecrawl.templates.fetch_difference import difference
from sitecrawl.templates.layouts import Layout
from sitecrawl.templates.representatives import COMMON, SHOWN, representatives
from sitecrawl.templates.volatile import VolatileBlocks, volatile

LEAST: Final = 10
"""Minimum pages of a layout for second fetches: with fewer they cost too much and show too little [OWN]."""
SHARE: Final = 0.2
"""Maximum share of the pages of a layout that are fetched twice [OWN]."""

NEW: Final = 0.5
"""Minimum share of the pages with an element that is new in the layout for which a layout is compared again."""
LEFT: Final = 0.5
"""Minimum share of the main content of a layout's pages that must remain without its volatile blocks [OWN]."""
SAMPLE: Final = 20
"""Number of pages that are examined for that."""


class TwiceFetched(NamedTuple):
    """A page that is to be fetched again."""

    layout: int
    url_key: int
    url: str


class SecondFetches:
    """The second fetches of a crawl."""

    def __init__(self, crawl: CrawlState) -> None:
        self.crawl = crawl
        self.budget = crawl.config.second_fetches
        self._begun: set[int] = set()
        """Layouts whose pages were chosen before the end of the crawl."""
        self._asked: set[int] = set()
        """Pages chosen in this run, whether their second fetch succeeded or not."""
        self._under_way: dict[int, int] = {}
        """Layout of each page whose second fetch is in progress."""

    @property
    def due(self) -> bool:
        """Whether an undecided layout now has enough pages to choose some for a second fetch."""
        return bool(self._halfway())

    def _halfway(self) -> list[Layout]:
        if not self.budget:
            return []
        half = max(LEAST, self.crawl.config.template_min_pages // 2)
        learning = self.crawl.learning
        return [
            one
            for one in learning.layouts
            if one.template is None and one.number not in self._begun and one.learner.template.pages_seen >= half
        ]

    async def choose(self, *, last: bool = False) -> list[TwiceFetched]:
        """Return the pages to fetch again now; `last` means that nothing else is left to fetch."""
        layouts = list(self.crawl.learning.layouts) if last and self.budget else self._halfway()
        chosen = []
        for layout in layouts:
            self._begun.add(layout.number)
            chosen += await self._pages(layout)
        return chosen

    async def _pages(self, layout: Layout) -> list[TwiceFetched]:
        learning, number = self.crawl.learning, layout.number
        keys = learning.pages_of(number)
        site_id, crawl_id, here = self.crawl.site_id, self.crawl.crawl_id, self.crawl.frontier.settled
        made = learning.second_fetches.get(number, {})
        known = {one.crawl_id for one in made.values()} - {crawl_id}
        under_way = [key for key, one in self._under_way.items() if one == number]
        spent = sum(one.crawl_id == crawl_id for one in made.values()) + len(under_way)
        room = min(self.budget, int(SHARE * len(keys))) - spent
        if room <= 0 or len(keys) < LEAST:
            return []
        arrived = [key for key in keys if key in here and key not in self._asked and key not in made]
        urls = await self.crawl.writer.submit(lambda s: SecondFetchRepository(s).candidates(site_id, crawl_id, arrived))
        shown = Counter(path for one in made.values() if one.difference is not None for path in one.difference.known())
        if known:  # places that earlier crawls compared are not tested again, however few pages showed them
            shown = Counter(dict.fromkeys(shown, SHOWN))
        shown.update(path for key in under_way for path in learning.shapes.get(key, ()))
        shapes = {key: learning.shapes[key] for key in keys if key in learning.shapes}
        found = [
            TwiceFetched(number, key, urls[key])
            for key in representatives(shapes, urls, shown, room, NEW if known else COMMON)
        ]
        self._asked.update(one.url_key for one in found)
        self._under_way.update({one.url_key: number for one in found})
        return found

    def unanswered(self, key: int) -> None:
        """Record that a page was not fetched again; the next run may try another."""
        self._under_way.pop(key, None)

    async def first(self, key: int, html: str) -> Page | None:
        """Return the page of the first fetch if its body equals `html`, which then need not be parsed; else None."""
        try:
            stored = await self.crawl.bodies.get(key)
            if stored is None or stored.html != html:
                return None
            return self.crawl.bodies.held(key) or self.crawl.bodies.parse(stored)
        except (DamagedBodyError, PageError) as error:
            self.crawl.bodies.pass_over(key, error)
            return None

    async def store(self, layout: int, key: int, page: Page | None, *, same: bool = False) -> None:
        """Compare the second fetch of a page with the first, and store the difference.

        `page` is None if the second fetch gave no page. `same` means that `page` is the page of the first fetch, since
        their bodies are equal (`first`).
        """
        first = page if same else self.crawl.bodies.held(key) or await self.crawl.bodies.page(key)
        found = None
        if page is not None and first is not None:
            await pause(page)
            found = difference(first.flat, page.flat)
        row = SecondFetch(layout, key, self.crawl.crawl_id, found)
        site_id, moment = self.crawl.site_id, now()
        extracted = self.crawl.learning.template_of(layout) is not None and key not in self.crawl.waiting.pages

        def add(session: Session) -> None:
            SecondFetchRepository(session).add(site_id, row, moment)
            if extracted and found is not None and found.texts:
                PageRepository(session).amend(site_id, [{"url_key": key, "unsettled": True}])

        try:
            await self.crawl.writer.submit(add)
            self.crawl.learning.fetched_twice(row)
        finally:
            self._under_way.pop(key, None)

    def volatile(self, layout: int, site: SiteContext, pages: Sequence[Page]) -> VolatileBlocks:
        """Return the volatile places of a layout, from all its second fetches.

        `site` and `pages` show what they would remove. If they hold most of the main content, nothing is removed: the
        site only rearranges its texts.
        """
        found = self._shown(layout)
        return (
            found
            if leaves_content(self.crawl.extraction.extractor, site, pages, found)
            else found.leaving_nothing_out()
        )

    def _shown(self, layout: int) -> VolatileBlocks:
        rows = sorted(self.crawl.learning.second_fetches.get(layout, {}).items())
        return volatile([one.difference for _, one in rows if one.difference is not None])

    async def revise(self, layout: Layout) -> None:
        """Replace the volatile places of a layout if second fetches since its decision show different ones.

        Its pages are then extracted again before the crawl ends.
        """
        site_id, number = self.crawl.site_id, layout.number
        shown = self._shown(number)
        if not self.crawl.learning.second_fetches.get(number) or layout.volatile in (
            shown,
            shown.leaving_nothing_out(),
        ):
            return
        keys = await self.crawl.writer.submit(lambda s: LayoutRepository(s).sample(site_id, number, SAMPLE))
        read = await self.crawl.bodies.pages(keys)
        site = SiteContext(layout.template, layout.blocks, decision=layout.decision)
        found = self.volatile(number, site, list(read.values()))
        if found == layout.volatile:
            return

        def revise(session: Session) -> None:
            SecondFetchRepository(session).revise(site_id, number, found)
            LayoutRepository(session).unsettle(site_id, number)

        await self.crawl.writer.submit(revise)
        layout.volatile = found

    async def forget(self, layout: int) -> None:
        """Delete the second fetches of outliers that form no layout; the layout's number will be reused."""
        if self.crawl.learning.second_fetches.pop(layout, None):
            site_id = self.crawl.site_id
            await self.crawl.writer.submit(lambda s: SecondFetchRepository(s).forget(site_id, [layout]))


def leaves_content(extractor: Extractor, site: SiteContext, pages: Iterable[Page], found: VolatileBlocks) -> bool:
    """Return whether pages keep at least the share `LEFT` of their main content without volatile blocks."""
    kept = left = 0
    for page in pages if found.paths or found.numbered else ():
        flat, blocks = page.flat, text_blocks(page.flat)
        chosen = [range(node, flat.end[node]) for node in extractor.extract(page, site).nodes]
        for first, chars, reason in zip(blocks.first, blocks.chars, found.reasons(flat, blocks), strict=True):
            if any(first in rows for rows in chosen):
                kept, left = kept + chars, left + (0 if reason else chars)
    return left >= LEFT * kept
