"""Extracts the main content of pages of one site, by the chosen method, the site's templates and its override."""

from collections.abc import Iterable
from time import perf_counter

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.content import content_record
from sitecrawl.crawl.learning import Learning
from sitecrawl.crawl.stored_pages import StoredPages
from sitecrawl.crawl.work_turns import pause
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extractor, Need, SiteContext, get_extractor, page_selection, set_size
from sitecrawl.extractors.layout_decision import layout_decision
from sitecrawl.items import PageItem
from sitecrawl.links.anchors import anchors
from sitecrawl.links.comparison import Comparison, StoredKeys, site_sample
from sitecrawl.links.scope import SiteScope
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.overrides.extraction import extract as overridden_extract
from sitecrawl.overrides.folders import Overrides
from sitecrawl.overrides.unused import OverrideUses
from sitecrawl.storage.bodies import BodyRepository, StoredPage
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.records import ContentRecord
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.learner import Edition
from sitecrawl.templates.volatile import VolatileBlocks


def chosen_extractor(config: Config) -> Extractor:
    """Return the method named by the settings. Raises ConfigError."""
    return get_extractor(config.extractor, **(config.extractor_options or {}))


def new_learning(config: Config, extractor: Extractor) -> Learning:
    """Return an empty `Learning` that counts atomic blocks too if the method needs them."""
    return Learning(config, learn_blocks=config.template_blocks or Need.BLOCKS in extractor.needs)


def site_overrides(config: Config, scope: SiteScope) -> Overrides:
    """Return the overrides of the settings, with those of the site loaded. Raises ConfigError for an invalid file."""
    overrides = Overrides(config.overrides)
    overrides.load(scope)
    return overrides


def page_comparison(
    page: Page, key: int, site_url: str, config: Config, extractor: Extractor, stored: StoredKeys
) -> Comparison:
    """Return the comparison of a page with stored pages for a method; `site_url` is any URL of the site."""
    found = anchors(page, SiteScope.of(site_url, config.site_scope)).found
    size, selection = set_size(extractor, config.sample_pages), page_selection(extractor)
    return Comparison(page, key, found, stored, size, selection, config.selection_order)


def edition_context(edition: Edition, volatile: VolatileBlocks | None) -> SiteContext:
    """Return the context for extracting a page of a layout with an edition of its template that counts the page."""
    return SiteContext(template=edition.template, blocks=edition.blocks, learned=True, volatile=volatile)


def edition_decision(
    extractor: Extractor, edition: Edition, pages: Iterable[Page], volatile: VolatileBlocks | None = None
) -> LayoutDecision | None:
    """Return the decision of a layout, from pages that an edition of its template counts (`layout_decision`).

    `volatile` are the volatile places of the layout.
    """
    return layout_decision(extractor, edition_context(edition, volatile), pages)


class SiteExtraction:
    """Extracts pages of one site."""

    def __init__(
        self, config: Config, overrides: Overrides, extractor: Extractor, learning: Learning, bodies: StoredPages
    ) -> None:
        self.config = config
        self.extractor = extractor
        self.learning = learning
        self.bodies = bodies
        self.overrides = overrides
        self.uses = OverrideUses()
        self.seconds = 0.0
        self._sample: tuple[FlatDom, ...] = ()
        self._stored: StoredKeys | None = None

    @property
    def needs_neighbours(self) -> bool:
        """Whether the method compares a page with other pages, whose bodies it needs."""
        return Need.NEIGHBOURS in self.extractor.needs

    @property
    def set_size(self) -> int:
        """Size of the n-SET: that of the setting, or more if the method reads more pages."""
        return set_size(self.extractor, self.config.sample_pages)

    def item(self, stored: StoredPage) -> PageItem:
        """Return a stored page as an item; if its stored layout has no template, with the layout that matches it now.

        Raises PageError if the page exceeds a limit that was higher when it was fetched.
        """
        item = self.bodies.item(stored)
        if self.learning.template_of(item.layout) is None:
            item.layout = self.learning.find(item.page)
        return item

    async def record(self, item: PageItem, values: SiteValues, crawl_id: int, order: int) -> ContentRecord:
        """Extract a page and return its record; set the outcome of an override and `counting` on the item."""
        context = await self._context(item)
        await pause(item.page)
        started = perf_counter()
        rule = self.overrides.rule(item.page.url)
        overridden = overridden_extract(item.page, self.extractor, context, rule)
        self.uses.add(rule, overridden.uses)
        item.override = overridden.outcome or ""
        extraction, config = overridden.extraction, self.config
        if context.volatile:
            item.counting = context.volatile.counting(item.page.flat, text_blocks(item.page.flat))
        await pause(item.page)
        made = content_record(item, extraction, context.template, values, config, crawl_id, order, now())
        self.seconds += perf_counter() - started
        return made

    def cut(self, page: Page, site: SiteContext) -> tuple[int, ...]:
        """Return the nodes of a page's main content, extracted in a given context."""
        return overridden_extract(page, self.extractor, site, self.overrides.rule(page.url)).extraction.nodes

    async def _context(self, item: PageItem) -> SiteContext:
        template = self.learning.template_of(item.layout)
        version = item.learned_version or 0
        return SiteContext(
            template=template,
            blocks=self.learning.blocks_of(item.layout),
            neighbours=await self._neighbours(item) if self.needs_neighbours else (),
            learned=template is not None and 0 < version <= template.version,
            decision=self.learning.decision_of(item.layout),
            volatile=self.learning.volatile_of(item.layout, item.url_key),
        )

    async def _neighbours(self, item: PageItem) -> tuple[FlatDom, ...]:
        """Return the columns of the pages with which a page is compared.

        A method with a `sample_size` gets random pages of the site, the same ones for all pages. Any other method gets
        the page's n-SET, in which the next link replaces a member that is not a page or cannot be read. The n-SET is
        stored as the method got it.
        """
        size: int = getattr(self.extractor, "sample_size", 0)
        site_id, writer = self.bodies.site_id, self.bodies.writer
        if self._stored is None:
            self._stored = StoredKeys.of(await writer.submit(lambda s: BodyRepository(s).fetched(site_id)))
        if size:
            self._sample = self._sample or (await self.bodies.first(site_sample(self._stored.known), size))[1]
            return self._sample
        compared = page_comparison(item.page, item.url_key, item.page.url, self.config, self.extractor, self._stored)
        links: dict[int, tuple[int, ...]] = {}
        if needed := compared.needed_links:
            links = await writer.submit(lambda s: RevisitRepository(s).links_of(site_id, needed))
        members, flats = await self.bodies.first(compared.keys(links), self.set_size)
        if members != item.sample:
            item.sample = members
            row = {"url_key": item.url_key, "sample": list(members)}
            await writer.submit(lambda s: PageRepository(s).amend(site_id, [row]))
        return flats
