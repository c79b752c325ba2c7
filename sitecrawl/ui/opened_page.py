"""Opens a stored page: parses and extracts it as a crawl would now, with the verdict on each block."""

from dataclasses import dataclass

from sitecrawl.clock import now
from sitecrawl.crawl.content import content_record
from sitecrawl.dom.page import Page
from sitecrawl.errors import StorageError, UnknownSiteError
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.explanation import BlockVerdict, explain
from sitecrawl.items import PageItem
from sitecrawl.overrides.extraction import Overridden
from sitecrawl.overrides.folders import Overrides
from sitecrawl.overrides.rules import Rule
from sitecrawl.storage.bodies import BodyRepository, StoredPage
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.records import ContentRecord
from sitecrawl.storage.sites import SiteRef
from sitecrawl.ui.knowledge import SiteKnowledge
from sitecrawl.ui.state import Ui


class NoBodyError(StorageError):
    """The page is known, but its HTML is not stored."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """A stored page with its current extraction."""

    site: SiteRef
    stored: StoredPage
    page: Page
    knowledge: SiteKnowledge
    context: SiteContext
    rule: Rule | None
    found: Overridden

    @property
    def verdicts(self) -> list[BlockVerdict]:
        """The verdict on each text block, in document order."""
        method = self.knowledge.extractor
        with self.knowledge.lock:
            chances = method.chances(self.page, self.context) if isinstance(method, Combined) else None
        return explain(self.page, self.found.extraction, self.context, chances, self.found.marks)

    def record(self) -> ContentRecord:
        """Return the content that a crawl would store for the page now."""
        item = PageItem(self.page, self.stored.url_key, "", 200, self.stored.depth, self.stored.fetched_at or now())
        item.content_language = self.stored.content_language
        made, config = self.found.extraction, self.knowledge.config
        return content_record(item, made, self.context.template, self.knowledge.values, config, 0, 0, item.fetched_at)


def open_page(ui: Ui, session: Session, site: SiteRef, key: int) -> OpenedPage:
    """Return a stored page of a site.

    Raises UnknownSiteError for an unknown page, NoBodyError, DamagedBodyError, PageError, and ConfigError for an
    unreadable override.
    """
    stored = BodyRepository(session).stored(site.id, key)
    if stored is None:
        raise UnknownSiteError(f"{site.host}: the database has no such page; it may have been deleted meanwhile")
    if stored.html is None:
        raise NoBodyError(f"{stored.url}: its HTML is not stored: it was not fetched, is gone, or bodies are not kept")
    page = Page.from_html(stored.html, stored.url, max_nodes=ui.config.max_nodes)
    knowledge = ui.knowledge.of(session, site.id)
    context = knowledge.context(session, site.id, stored, page)
    rule = Overrides(ui.config.overrides).rule(stored.url)
    return OpenedPage(site, stored, page, knowledge, context, rule, knowledge.extract(page, context, rule))


def read_key(text: str) -> int:
    """Return the page key in an address. Raises UnknownSiteError for a malformed key."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise UnknownSiteError(f"{text[:40]}: is not a page; pages are named by their key")
    return int(text)
