"""Reads the stored pages of one site and parses them again; holds some parsed pages in memory."""

import logging
from collections.abc import Iterable
from functools import partial
from typing import Final

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.work_turns import work_turns
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.invisible import invisible
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, DatabaseLostError, PageError, StorageError
from sitecrawl.items import PageItem
from sitecrawl.metadata.describe import Reading
from sitecrawl.storage.bodies import BodyRepository, StoredPage
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import Writer
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.records import NOINDEX

logger = logging.getLogger(__name__)

HELD: Final = 192_000
"""Maximum rows of waiting pages that a crawl holds in memory, without trees some 25 MB; others are parsed again."""
HELD_BY_ALL: Final = 768_000
"""The same limit for all crawls of a process together, some 100 MB."""
DECIDING_ROOM: Final = 128_000
"""Rows beyond the limit for the pages from which a layout decides: they are all in memory then in any case."""
TREE: Final = 3
"""Memory that a page takes with its tree, as a multiple of the memory of its columns."""
AHEAD: Final = 1_000_000
"""Characters of waiting pages that are read in one operation, since an operation costs more than a short page."""
READINGS: Final = 1_000
"""Maximum pages of which only the metadata is held: a few kilobytes each."""


def stored_page(session: Session, site_id: int, url_key: int) -> StoredPage | None:
    """Return a page with its body."""
    return BodyRepository(session).stored(site_id, url_key)


def stored_layout(session: Session, site_id: int, url_key: int) -> int | None:
    """Return the layout of a page."""
    return LayoutRepository(session).layout(site_id, url_key)


def _readable(session: Session, site_id: int, keys: Iterable[int]) -> dict[int, StoredPage | None]:
    """Return the first of these pages, up to `AHEAD` characters, by key; the value is None without a readable body."""
    found, chars, bodies = dict[int, StoredPage | None](), 0, BodyRepository(session)
    for key in keys:
        try:
            stored = bodies.stored(site_id, key)
        except DamagedBodyError:
            stored = None
        if stored is None or stored.html is None:
            found[key] = None
            continue
        found[key], chars = stored, chars + len(stored.html)
        if chars >= AHEAD:
            break
    return found


class HeldRows:
    """Counts down the rows that the crawls of a process may hold in memory while pages wait."""

    def __init__(self, left: int = HELD_BY_ALL) -> None:
        self.left = left


class StoredPages:
    """Reads the stored bodies of one site, one page at a time."""

    def __init__(self, config: Config, writer: Writer, site_id: int, of_all: HeldRows | None = None) -> None:
        """`of_all` counts what all crawls of the process hold; None if there is only one."""
        self.config = config
        self.writer = writer
        self.site_id = site_id
        self._held: dict[int, tuple[Page, Reading | None]] = {}
        self._readings: dict[int, tuple[str, Reading]] = {}
        """URL and metadata of pages that were not held."""
        self._ahead: dict[int, StoredPage] = {}
        self._room = HELD
        self._of_all = of_all or HeldRows()
        self.unreadable: set[int] = set()
        """Pages whose body cannot be read: it is missing, damaged, or exceeds a limit that was higher before."""
        self._damaged: set[int] = set()

    def hold(self, item: PageItem, *, parsed: bool = True) -> None:
        """Hold the metadata of a stored page until it becomes an item, and its parsed form too, if there is room.

        Without `parsed`, only the metadata is held: for a page that waits until the crawl ends.
        """
        rows = self._rows(item.page)
        if parsed and rows <= min(self._room, self._of_all.left) and item.url_key not in self._held:
            self._count(rows)
            self._slim(item.url_key, item.page)
            self._held[item.url_key] = item.page, item.reading
        elif item.reading is not None and len(self._readings) < READINGS:
            self._readings[item.url_key] = item.url, item.reading

    def hold_parsed(self, key: int, page: Page) -> None:
        """Hold a waiting page that was parsed again for the decision of its layout, until it becomes an item."""
        rows = self._rows(page)
        if key not in self._held and rows <= min(self._room, self._of_all.left) + DECIDING_ROOM:
            self._count(rows)
            self._slim(key, page)
            _, reading = self._readings.pop(key, (None, None))
            self._held[key] = page, reading

    def release(self) -> None:
        """Drop all held pages, at the end of the crawl."""
        self._count(-sum(self._rows(page) for page, _ in self._held.values()))
        self._held.clear()

    def _count(self, rows: int) -> None:
        self._room -= rows
        self._of_all.left -= rows

    def held(self, key: int) -> Page | None:
        """Return a held page, without dropping it; None if it is not held."""
        page, _ = self._held.get(key, (None, None))
        return page

    @property
    def _needs_trees(self) -> bool:
        """Whether extraction needs the tree of every page, because its HTML or Markdown is made from it."""
        return self.config.content_html or self.config.content_markdown

    def _rows(self, page: Page) -> int:
        """Return the rows that a held page counts for."""
        return len(page.flat) * (TREE if self._needs_trees else 1)

    def _slim(self, key: int, page: Page) -> None:
        """Free the tree of a held page, unless extraction needs it; a later use of the tree parses the body again."""
        if not self._needs_trees:
            invisible(page)  # cached on the page: extraction needs it, and computes it from the tree
            page.release(partial(self._html, key))

    def _html(self, key: int) -> str:
        """Return the stored body of a page. Blocks the calling thread until the database answers."""
        stored = self.writer.run(partial(stored_page, site_id=self.site_id, url_key=key))
        return (stored.html if stored is not None else None) or ""

    def _take(self, stored: StoredPage) -> tuple[Page | None, Reading | None]:
        """Remove a held page and its metadata, and return both; None for what is not held."""
        url, metadata = self._readings.pop(stored.url_key, (stored.url, None))
        page, reading = self._held.pop(stored.url_key, (None, metadata if url == stored.url else None))
        if page is not None:
            self._count(-self._rows(page))
            if page.url != stored.url:
                page = reading = None
            elif not self._needs_trees:
                page.release(lambda: stored.html or "")
        return page, reading

    def parse(self, stored: StoredPage) -> Page:
        """Return a stored page, parsed. Raises PageError if it exceeds a limit that was higher before."""
        page = Page.from_html(stored.html or "", stored.url, max_nodes=self.config.max_nodes)
        len(page.flat)  # counts the nodes
        return page

    def read(self, key: int) -> tuple[StoredPage, Page] | None:
        """Return a stored page and its parsed form; None if its body is not stored or cannot be read.

        Blocks the calling thread until the database answers.
        """
        try:
            stored = self.writer.run(partial(stored_page, site_id=self.site_id, url_key=key))
            return None if stored is None or stored.html is None else (stored, self.parse(stored))
        except (DamagedBodyError, PageError) as error:
            self.pass_over(key, error)
            return None

    async def page(self, key: int) -> Page | None:
        """Return the parsed form of a stored page; None if its body is not stored or cannot be read."""
        try:
            stored = await self.get(key)
            return None if stored is None else self.parse(stored)
        except (DamagedBodyError, PageError) as error:
            self.pass_over(key, error)
            return None

    async def pages(self, keys: Iterable[int]) -> dict[int, Page]:
        """Return the parsed pages by key, in the order of `keys`; pages neither held nor readable are left out.

        Many bodies are read in one operation. All these pages are in memory at once.
        """
        order = list(keys)
        found = {key: page for key in order if (page := self.held(key)) is not None}
        left = [key for key in order if key not in found]
        while left:
            read = await self.writer.submit(partial(_readable, site_id=self.site_id, keys=left))
            for key, stored in read.items():
                await work_turns().of_parsed()
                page = self._parsed(stored) if stored is not None else await self.page(key)  # reports the error
                if page is not None:
                    found[key] = page
            left = left[len(read) :]
        return {key: found[key] for key in order if key in found}

    def _parsed(self, stored: StoredPage) -> Page | None:
        try:
            return self.parse(stored)
        except PageError as error:
            self.pass_over(stored.url_key, error)
            return None

    def pass_over(self, key: int, error: DamagedBodyError | PageError) -> None:
        """Log that the body of a page cannot be read, once; damaged bodies are noted for `fetch_damaged_again`."""
        if key not in self.unreadable:
            self.unreadable.add(key)
            logger.warning("%s", error)
            if isinstance(error, DamagedBodyError):
                self._damaged.add(key)

    async def fetch_damaged_again(self) -> None:
        """Delete the validators of pages with a damaged or missing body; the next visit then fetches them in full."""
        rows = [{"url_key": key, "etag": None, "last_modified": None} for key in sorted(self._damaged)]
        self._damaged.clear()
        if rows:
            await self.writer.submit(lambda s: PageRepository(s).amend(self.site_id, rows))

    async def read_ahead(self, keys: Iterable[int]) -> None:
        """Read the first of these pages in one operation, up to `AHEAD` characters; `taken` then returns them."""
        self._ahead = {}
        try:
            read = await self.writer.submit(partial(_readable, site_id=self.site_id, keys=tuple(keys)))
            self._ahead = {key: stored for key, stored in read.items() if stored is not None}
        except DatabaseLostError:
            raise
        except StorageError as error:  # each is read on its own later, and reports its error
            logger.debug("pages could not be read ahead: %s", error)

    async def taken(self, key: int) -> StoredPage | None:
        """Return a page as `get` does, without a second reading if it was read ahead."""
        return self._ahead.pop(key, None) or await self.get(key)

    async def get(self, key: int) -> StoredPage | None:
        """Return a page whose body is stored, else None. Raises DamagedBodyError."""
        stored = await self.writer.submit(partial(stored_page, site_id=self.site_id, url_key=key))
        return stored if stored is not None and stored.html is not None else None

    def item(self, stored: StoredPage) -> PageItem:
        """Return a stored page as a fetched item, with its layout. Raises PageError as `parse` does."""
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
            layout=stored.layout,
        )

    async def first(self, keys: Iterable[int], most: int) -> tuple[tuple[int, ...], tuple[FlatDom, ...]]:
        """Return the first `most` of these pages that are stored and can be read: their keys, and their columns."""
        found: dict[int, FlatDom] = {}
        for key in keys:
            if len(found) == most:
                break
            page = await self.page(key)
            if page is not None:
                found[key] = page.flat
        return tuple(found), tuple(found.values())
