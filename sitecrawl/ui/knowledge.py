"""Caches the stored data of sites that extraction uses, until their templates change."""

from dataclasses import dataclass
from threading import Lock
from typing import Final

from sitecrawl.config import Config
from sitecrawl.crawl.counted_blocks import with_blocks
from sitecrawl.crawl.extraction import chosen_extractor, new_learning
from sitecrawl.crawl.learning import Learning
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, PageError
from sitecrawl.extractors.base import Extractor, Need, SiteContext
from sitecrawl.links.comparison import site_sample
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.overrides.extraction import Overridden, extract
from sitecrawl.overrides.rules import Rule
from sitecrawl.storage.bodies import BodyRepository, StoredPage
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.second_fetches import SecondFetchRepository
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.templates import LayoutHead, TemplateRepository

HELD: Final = 8
"""Maximum number of sites whose knowledge is cached."""

Key = tuple[LayoutHead, ...]
"""The stored layouts in use, which identify a version of the knowledge."""


@dataclass(slots=True)
class SiteKnowledge:
    """The templates, values and method of a site. It extracts one page at a time, since methods have a cache."""

    key: Key
    config: Config
    extractor: Extractor
    learning: Learning
    values: SiteValues
    lock: Lock

    def context(self, session: Session, site_id: int, stored: StoredPage, page: Page) -> SiteContext:
        """Return the context of a stored page, for its layout at its last visit or else the layout that matches now."""
        layout = LayoutRepository(session).layout(site_id, stored.url_key)
        if self.learning.template_of(layout) is None:
            layout = self.learning.find(page)
        return SiteContext(
            template=self.learning.template_of(layout),
            blocks=self.learning.blocks_of(layout),
            neighbours=self._neighbours(session, site_id, stored),
            learned=bool(stored.learned_version),
            decision=self.learning.decision_of(layout),
            volatile=self.learning.volatile_of(layout, stored.url_key),
        )

    def extract(self, page: Page, context: SiteContext, rule: Rule | None) -> Overridden:
        """Extract a page, with the rule of an override if there is one."""
        with self.lock:
            return extract(page, self.extractor, context, rule)

    def _neighbours(self, session: Session, site_id: int, stored: StoredPage) -> tuple[FlatDom, ...]:
        """Return the stored ones of the pages with which the method compares a page."""
        if Need.NEIGHBOURS not in self.extractor.needs:
            return ()
        bodies = BodyRepository(session)
        size: int = getattr(self.extractor, "sample_size", 0)
        found = []
        for key in site_sample(bodies.fetched(site_id))[:size] if size else stored.sample:
            try:
                other = bodies.stored(site_id, key)
                if other is not None and other.html is not None:
                    found.append(Page.from_html(other.html, other.url, max_nodes=self.config.max_nodes).flat)
            except (DamagedBodyError, PageError):
                continue  # the page is compared with the others
        return tuple(found)


class KnowledgeCache:
    """Caches the knowledge of the sites that were viewed last."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._held: dict[int, SiteKnowledge] = {}
        self._lock = Lock()

    def of(self, session: Session, site_id: int) -> SiteKnowledge:
        """Return the knowledge of a site, read again if a layout has changed. Raises LabelRuleError."""
        heads = TemplateRepository(session).layouts(site_id)
        key = tuple(head for head in heads if head.retired_at is None)
        known = self._held.get(site_id)
        if known is None or known.key != key:
            known = self._read(session, site_id, heads, key)
        with self._lock:
            self._held.pop(site_id, None)
            self._held[site_id] = known
            while len(self._held) > HELD:
                self._held.pop(next(iter(self._held)))
        return known

    def _read(self, session: Session, site_id: int, heads: list[LayoutHead], key: Key) -> SiteKnowledge:
        """Return the knowledge of a site, read from the database.

        The lists of pages that the templates count are not read, since the row of each page contains that.
        """
        extractor = chosen_extractor(self._config)
        learning, templates = new_learning(self._config, extractor), TemplateRepository(session)
        stored = [one for head in heads if (one := templates.template(site_id, head)) is not None]
        learning.restore(heads, stored, {}, None, SecondFetchRepository(session).all(site_id))
        for one in stored if learning.learns_blocks else ():
            learning.layouts.add_blocks(with_blocks(session, site_id, one, self._config))
        values = SiteValues(SiteValueRepository(session).used(site_id))
        return SiteKnowledge(key, self._config, extractor, learning, values, Lock())
