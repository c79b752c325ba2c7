"""Stored pages of one site, read from the database and parsed again."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.metadata.describe import Reading
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.duplicates import NOINDEX
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository, StoredPage

HELD: Final = 64_000
"""Rows of pages that are held in memory while they wait, some 24 MB; others are parsed again."""


def stored_page(session: Session, site_id: int, url_key: int) -> StoredPage | None:
    """Return a page with its body."""
    return PageRepository(session).stored(site_id, url_key)


def stored_layout(session: Session, site_id: int, url_key: int) -> int | None:
    """Return the layout of a page."""
    return LayoutRepository(session).layout(site_id, url_key)


class Bodies:
    """The bodies that are stored of one site, a page at a time."""

    def __init__(self, config: Config, writer: BatchWriter, site_id: int) -> None:
        self.config = config
        self.writer = writer
        self.site_id = site_id
        self._held: dict[int, tuple[Page, Reading | None]] = {}
        self._room = HELD

    def hold(self, item: PageItem) -> None:
        """Hold what was read of a page that is stored, if there is room, until it is asked for as an item."""
        rows = len(item.page.flat)
        if rows <= self._room and item.url_key not in self._held:
            self._room -= rows
            self._held[item.url_key] = item.page, item.reading

    def held(self, key: int) -> Page | None:
        """Return a page that is held, and go on holding it."""
        page, _ = self._held.get(key, (None, None))
        return page

    def _take(self, stored: StoredPage) -> tuple[Page | None, Reading | None]:
        """Return what is held of a page, and let go of it."""
        page, reading = self._held.pop(stored.url_key, (None, None))
        if page is not None:
            self._room += len(page.flat)
            if page.url != stored.url:
                page = reading = None
        return page, reading

    def parse(self, stored: StoredPage) -> Page:
        """Return a stored page, parsed. Raises PageError when it is over a limit that was higher once."""
        return Page.from_html(stored.html or "", stored.url, max_nodes=self.config.max_nodes)

    async def get(self, key: int) -> StoredPage | None:
        """Return a page whose body is stored, else None."""
        stored = await self.writer.submit(partial(stored_page, site_id=self.site_id, url_key=key))
        return stored if stored is not None and stored.html is not None else None

    async def item(self, stored: StoredPage) -> PageItem:
        """Return a stored page as it stood when it was fetched, with its layout. Raises PageError as `parse` does."""
        key, (page, reading) = stored.url_key, self._take(stored)
        return PageItem(
            page=page or self.parse(stored),
            url_key=key,
            html=stored.html or "",
            http_status=stored.http_status or 0,
            depth=stored.depth,
            fetched_at=stored.fetched_at or now(),
            noindex=stored.reason == NOINDEX,
            sample=stored.sample,
            content_language=stored.content_language,
            stored=True,
            learned_version=stored.learned_version,
            reading=reading,
            layout=await self.writer.submit(partial(stored_layout, site_id=self.site_id, url_key=key)),
        )

    async def flats(self, keys: Sequence[int]) -> tuple[FlatDom, ...]:
        """Return the columns of those of these pages that are stored."""
        found = [await self.get(key) for key in keys]
        return tuple(self.parse(stored).flat for stored in found if stored is not None)
