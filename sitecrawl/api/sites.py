"""Websites that were learned from pages in memory or by a crawl, and extract pages with their templates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Final

from sitecrawl.api.arguments import check
from sitecrawl.api.pages import Page, Settings, extracted, has, needs_in_words, read_settings
from sitecrawl.api.sources import Html, checked_url, parsed
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.extraction import (
    chosen_extractor,
    edition_decision,
    new_learning,
    site_overrides,
)
from sitecrawl.crawl.learning import Learning, Publication
from sitecrawl.dom.page import Page as HtmlPage
from sitecrawl.errors import ConfigError, ExtractorError, InputError, PageError, TemplateNotReadyError, UnknownSiteError
from sitecrawl.extractors.base import Need, SiteContext
from sitecrawl.extractors.layout_decision import deciding_keys
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import masked, url_key
from sitecrawl.metadata.describe import read
from sitecrawl.metadata.shared_values import SiteValues, Values
from sitecrawl.overrides.folders import Overrides
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.fetch_difference import FetchDifference, difference
from sitecrawl.templates.layouts import Layout as TemplateLayout
from sitecrawl.templates.views import ViewRow, template_rows
from sitecrawl.templates.volatile import volatile

PAIR: Final = 2
"""Length of (url, html)."""
SHARED: Final = 0.5
"""Minimum share of pages of a node that is shown as a part of the template."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout of the site's pages, with its own template."""

    number: int
    version: int
    """Version of its template; all layouts of a site share one sequence of version numbers."""
    pages: int
    """Number of pages that the template counts."""


@dataclass(frozen=True, slots=True)
class SkippedPage:
    """A page that could not be used for learning."""

    url: str | None
    reason: str


class Site:
    """A learned website. Extraction does not change it, so the results do not depend on the order of pages."""

    def __init__(
        self, host: str, config: Config, learning: Learning, values: SiteValues, overrides: Overrides | None = None
    ) -> None:
        self.host = host
        """Host of the site, without `www.`."""
        self._config = config
        self._learning = learning
        self._values = values
        self._overrides = overrides or Overrides()
        self._extractor = chosen_extractor(config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.host}: {len(self.layouts)} layouts>"

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts with a template, ordered by number."""
        published = self._learning.layouts.published
        return tuple(
            Layout(one.number, one.template.version, one.template.pages_seen) for one in published if one.template
        )

    def template(self, layout: int | None = None, *, min_share: float = SHARED) -> list[ViewRow]:
        """Return the nodes that pages of a layout share, as a tree in which each node precedes its children.

        By default, `layout` is the one with the most pages. Raises UnknownSiteError if it does not exist.
        """
        check("layout", layout, int, NoneType)
        check("min_share", min_share, int, float)
        numbers = {one.number: one.pages for one in self.layouts}
        number = layout if layout is not None else max(numbers, key=lambda one: numbers[one], default=None)
        template = self._learning.template_of(number)
        if template is None:
            raise UnknownSiteError(f"{self.host}: no layout {number}; there are {sorted(numbers) or 'none'}")
        return list(template_rows(template, min_share))

    def extract(self, html: Html, url: str | None = None) -> Page:
        """Return the main content of a page of the site, extracted with the template of its layout.

        Raises InputError, PageError, and ExtractorError if the method needs data that the site does not have.
        """
        page = parsed(html, url, self._config.max_nodes)
        counted = self._learning.counted_in(url_key(page.url))
        layout = self._learning.find(page) or counted or None
        context = SiteContext(
            template=self._learning.template_of(layout),
            blocks=self._learning.blocks_of(layout),
            learned=layout is not None and counted == layout,
            decision=self._learning.decision_of(layout),
            volatile=self._learning.volatile_of(layout),
        )
        if not all(has(context, need) for need in self._extractor.needs):
            raise ExtractorError(
                f"{self.host}: the method {self._extractor.name!r} needs {needs_in_words(self._extractor)} of the"
                " site; use `sitecrawl extract` on a crawled site, or the method 'combined'"
            )
        rule = self._overrides.rule(page.url)
        return extracted(page, self._extractor, self._config, context, self._values, rule)


class LearnedSite(Site):
    """A site learned from pages in memory. `save` writes it to a database file."""

    def __init__(self, host: str, start_url: str, config: Config, overrides: Overrides) -> None:
        learning = new_learning(config, chosen_extractor(config))
        super().__init__(host, config, learning, SiteValues(), overrides)
        self._start_url = start_url
        self._urls: dict[int, str] = {}
        self._counted: list[Values] = []
        self._publications: list[Publication] = []
        self._held: dict[int, tuple[Html, str | None]] = {}
        """Pages whose layout has not decided yet."""
        self._differences: dict[int, FetchDifference] = {}
        """Differences between two versions of a page, for pages that were given twice."""
        self._skipped: list[SkippedPage] = []

    @property
    def skipped(self) -> Sequence[SkippedPage]:
        """Pages that could not be used, with the reasons."""
        return tuple(self._skipped)

    def save(self, path: str | Path) -> None:
        """Write the site to a new SQLite file, readable by `sitecrawl.load`, `sitecrawl.open` and the commands.

        Raises ConfigError if the file exists, StorageError if it cannot be written.
        """
        check("path", path, str, Path)
        path = Path(path)
        if path.exists():
            raise ConfigError(f"{path}: exists; name a new file, or remove it first")
        engine = open_database(f"sqlite:///{path}")
        try:
            with session_scope(engine) as session:
                self._store(session)
        finally:
            engine.dispose()

    def _store(self, session: Session) -> None:
        moment = now()
        site_id = SiteRepository(session).get_or_add(self.host, self._start_url, moment).id
        found = (Discovered(key, url, 0, None, None, 0, n) for n, (key, url) in enumerate(self._urls.items(), 1))
        pages = PageRepository(session)
        pages.discover(site_id, found, moment)
        for publication in self._publications:
            TemplateRepository(session).add(site_id, publication.changes, moment)
            pages.mark_learned(site_id, publication.keys, publication.changes.version)
            for key in publication.keys:
                LayoutRepository(session).place(site_id, key, publication.layout.number, counted=True)
        for values in self._counted:
            SiteValueRepository(session).count(site_id, values)
        SiteValueRepository(session).decide(site_id)

    def _learn(self, html: Html, url: str | None) -> None:
        """Learn from one page; record a page that cannot be used. Raises InputError."""
        try:
            page = parsed(html, url, self._config.max_nodes)
            _ = page.flat
        except PageError as error:
            self._skipped.append(SkippedPage(url, error.reason))
            return
        key = url_key(page.url)
        if key in self._urls:
            self._compare(page, key)
            return
        values = read(page, now()).values
        self._urls[key] = page.url
        self._values.add(values)
        self._counted.append(values)
        self._learning.learn(page, key)
        if self._learning.is_unpublished(key):
            self._held[key] = html, url
        for layout in self._learning.due():
            self._publish(layout)

    def _compare(self, page: HtmlPage, key: int) -> None:
        """Record the differences between two fetches of a page whose layout has not decided yet."""
        if key in self._held and key not in self._differences:
            html, url = self._held[key]
            found = difference(parsed(html, url, self._config.max_nodes).flat, page.flat)
            if found is not None:
                self._differences[key] = found

    def _publish(self, layout: TemplateLayout) -> None:
        """Publish the template of a layout, with the decision of the layout from its pages."""
        publication = self._learning.prepare(layout)
        given = [self._held[key] for key in deciding_keys(publication.keys) if key in self._held]
        pages = [parsed(html, url, self._config.max_nodes) for html, url in given]
        places = volatile([self._differences[key] for key in sorted(publication.keys) if key in self._differences])
        decision = edition_decision(self._extractor, publication.edition, pages, places)
        publication = publication.deciding(decision, places)
        self._learning.accept(publication)
        self._publications.append(publication)
        for key in publication.keys:
            self._held.pop(key, None)

    def _end(self) -> None:
        """Make the remaining layouts decide. Raises TemplateNotReadyError if no layout has a template afterwards."""
        for layout in self._learning.remaining():
            self._publish(layout)
        self._held.clear()
        if not self._learning.published:
            reasons = "; ".join(f"{one.url}: {one.reason}" for one in self._skipped[:3])
            raise TemplateNotReadyError(
                f"no page was learned; give pages of one site{': ' + reasons if reasons else ''}"
            )


def learn(pages: Iterable[tuple[str, Html]], *, settings: Settings | None = None) -> LearnedSite:
    """Return a website learned from its pages, given as (url, html) pairs. Each page is kept until its layout decides.

    Thirty pages make a good template, 128 the best one; three are the minimum. Pages that cannot be parsed are in
    `skipped`. If a page is given twice, as fetched at two times, the differences are evidence of volatile blocks such
    as rotating advertisements and counters. All pages must be of one site, which the first URL determines.

    Raises:
        InputError: A page is not a pair or is of another site, or a URL or HTML has the wrong type or is malformed.
        TemplateNotReadyError: No page could be used for learning.
        ConfigError, ExtractorError: A setting is invalid, or the method compares pages with each other.
    """
    check("pages", pages, Iterable)
    config = read_settings(settings)
    extractor = chosen_extractor(config)
    if Need.NEIGHBOURS in extractor.needs:
        raise ExtractorError(
            f"the method {extractor.name!r} compares a page with others, which are not kept; crawl the site with"
            f" -s SITECRAWL_EXTRACTOR={extractor.name}"
        )
    site: LearnedSite | None = None
    for page in pages:
        url, html = _pair(page)
        if site is None:
            scope = SiteScope.of(checked_url(url), config.site_scope)
            site = LearnedSite(scope.key, url, config, site_overrides(config, scope))
        elif not scope.contains(checked_url(url)):
            raise InputError(
                f"{masked(url)!r:.200} is no page of {site.host}; give pages of one site"
                " (SITECRAWL_SITE_SCOPE=domain: of all hosts of a domain)"
            )
        site._learn(html, url)
    if site is None:
        raise TemplateNotReadyError("no pages were given; give (url, html) pairs of one site")
    site._end()
    return site


def _pair(page: object) -> tuple[str, Html]:
    """Return the URL and the HTML of a given page. Raises InputError if it is not a pair, or the URL is not a text."""
    if not isinstance(page, Sequence) or isinstance(page, str | bytes) or len(page) != PAIR:
        raise InputError(f"{page!r:.60} is not a pair; give (url, html) pairs of one site (of a dict: items())")
    check("url", page[0], str)
    return page[0], page[1]
