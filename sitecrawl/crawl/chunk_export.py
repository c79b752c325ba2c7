"""The chunks of all stored pages, or those that changed since an export, with tombstones for those that are gone.

The database records, for each kind of pages, the chunks that exports have written, and the time of each. Pages are
exported in batches. A batch is recorded once the caller has taken its rows, so if an export fails, the next one writes
the unrecorded rows again. The time of the last finished export is recorded for all sites, or for each named site.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from sqlalchemy import Engine

from sitecrawl.dom.chunks import RULE, Chunk, chunks
from sitecrawl.links.urls import url_id
from sitecrawl.slices import slices
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.exports import READ, Chosen, ExportRepository, KeptContent, ListedPage
from sitecrawl.storage.outbox import PageKey
from sitecrawl.storage.records import ContentRecord
from sitecrawl.storage.sent_chunks import GONE, SentChunks, SentPage
from sitecrawl.storage.sites import SiteRef

KEPT: Final = dt.timedelta(days=90)
"""Time for which the tombstone of a chunk is kept [OWN]."""
_MARK: Final = PageKey(0, 0)
"""Key of the row that has the times of the last exports."""
_ALL: Final = "exported"
"""Name of the time of the last export of all sites in that row; the others are named by the number of their site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkItem:
    """One row of an export of chunks. The names are stable API."""

    id: str
    page: str
    """`id` of the page."""
    url: str
    site: str
    status: str
    """`new`, or `gone` for a tombstone, which has no further values."""
    title: str | None = None
    headings: tuple[str, ...] = ()
    text: str | None = None
    tokens: int | None = None
    kind: str | None = None
    language: str | None = None
    author: str | None = None
    published: str | None = None
    modified: str | None = None


@dataclass(frozen=True, slots=True)
class _Least:
    """The times in milliseconds from which chunks are written, by site; None for all chunks."""

    all: int | None
    sites: Mapping[int, int]

    def of(self, site_id: int) -> int | None:
        """Return the time of a site."""
        return self.sites.get(site_id, self.all)


class ChunkExport:
    """One export of chunks."""

    def __init__(self, engine: Engine, kind: str | None, moment: dt.datetime) -> None:
        self._engine, self._kind = engine, kind
        self._reader = f"export {kind or 'all'}"
        self._now = _milliseconds(moment)
        self._oldest = _milliseconds(moment - KEPT)
        self._sites: Sequence[int] | None = None

    def rows(
        self, sites: Sequence[SiteRef], *, since: dt.datetime | None = None, changed: bool = False, every: bool = False
    ) -> Iterator[ChunkItem]:
        """Yield the chunks of sites by host and URL.

        With `since`, only chunks that are new since that time, and tombstones of deleted ones; with `changed`, those
        since the last finished export of this kind and site. `every` means that `sites` are all sites, so that
        tombstones are written for forgotten sites too. Raises StorageError.
        """
        marks = self._marks()
        self._now = max(self._now, max(marks.values()) + 1)  # the clock may have been set back
        self._sites = None if every else [site.id for site in sites]
        least = _Least(_milliseconds(since) if since is not None else None, {})
        if changed:
            least = _Least(marks[_ALL] + 1, {int(name): at + 1 for name, at in marks.items() if name != _ALL})
        with session_scope(self._engine) as session:
            SentChunks(session, self._reader).adopt()
        for site in sorted(sites, key=lambda one: one.host):
            after = None
            while True:
                with session_scope(self._engine, write=False) as session:
                    pages = ExportRepository(session).pages(site.id, after)
                if not pages:
                    break
                after = pages[-1]
                for part in slices(pages, READ):
                    yield from self._part(site, part, least.of(site.id))
        yield from self._gone(self._sites, least)

    def finish(self) -> None:
        """Record that the export is written; the next one of its sites with `changed` starts from this time."""
        marks = {_ALL: self._now}
        if self._sites is not None:
            marks = self._marks() | {str(site_id): self._now for site_id in self._sites}
        with session_scope(self._engine) as session:
            SentChunks(session, self._reader).put([SentPage(_MARK, "", "", GONE, marks, {})])

    def _marks(self) -> dict[str, int]:
        """Return the time of the last export of all sites, 0 if there is none, and those of named sites after it."""
        with session_scope(self._engine, write=False) as session:
            found = SentChunks(session, self._reader).of([_MARK])
        return found[_MARK].chunks if found else {_ALL: 0}

    def _part(self, site: SiteRef, pages: Sequence[ListedPage], least: int | None) -> Iterator[ChunkItem]:
        with session_scope(self._engine, write=False) as session:
            kept = list(ExportRepository(session).contents(site.id, pages, Chosen(self._kind)))
            contents = [one for one in kept if one.record.duplicate_of is None and not one.noindex]
            keys = [PageKey(site.id, one.record.url_key) for one in contents]
            sent = SentChunks(session, self._reader).of(keys)
        noted = []
        for content, key in zip(contents, keys, strict=True):
            before, made_of = sent.get(key), made_of_record(content.record)
            same = before is not None and before.made_of == made_of
            if before is not None and same and least is not None and not _since(before, least):
                continue
            cut = chunks(url_id(content.url), content.record.text, content.record.html)
            page = (
                before if before is not None and same else self._page(key, site.host, content.url, made_of, cut, before)
            )
            if page is not before:
                noted.append(page)
            yield from (_row(content, site.host, one) for one in cut if least is None or page.chunks[one.id] >= least)
            if least is not None:
                yield from _tombstones(page, least)
        with session_scope(self._engine) as session:
            SentChunks(session, self._reader).put(noted)

    def _page(
        self, key: PageKey, site: str, url: str, made_of: str, cut: Sequence[Chunk], before: SentPage | None
    ) -> SentPage:
        """Return the record of a page after this export: its current chunks and its tombstones, each with its time."""
        old, gone = (before.chunks, before.gone) if before is not None else ({}, {})
        now = {one.id: old.get(one.id, self._now) for one in cut}
        left = {name: self._now for name in old if name not in now}
        stays = {name: at for name, at in gone.items() if name not in now and at >= self._oldest}
        return SentPage(key, site, url, made_of, now, {**stays, **left})

    def _gone(self, site_ids: Sequence[int] | None, least: _Least) -> Iterator[ChunkItem]:
        """Record the pages that have no chunks any more; yield the tombstones of all such pages since `least`."""
        while True:
            with session_scope(self._engine) as session:
                sent = SentChunks(session, self._reader)
                left = sent.left(self._kind, site_ids, READ)
                sent.put([self._page(page.key, page.site, page.url, GONE, (), page) for page in left])
            if len(left) < READ:
                break
        after: PageKey | None = None
        while least.all is not None:
            with session_scope(self._engine, write=False) as session:
                pages = SentChunks(session, self._reader).after(after, READ)
            for page in pages:
                at = least.of(page.key.site_id)
                chosen = site_ids is None or page.key.site_id in site_ids
                if at is not None and page.made_of == GONE and page.key != _MARK and chosen:
                    yield from _tombstones(page, at)
            if len(pages) < READ:
                return
            after = pages[-1].key


def made_of_record(record: ContentRecord) -> str:
    """Return a fingerprint of the text and HTML that the chunks of a page are cut from, and of the chunking rule."""
    return blake2b(f"{RULE}\0{record.text}\0{record.html or ''}".encode(), digest_size=16).hexdigest()


def _since(page: SentPage, least: int) -> bool:
    return any(at >= least for at in page.chunks.values()) or any(at >= least for at in page.gone.values())


def _row(content: KeptContent, site: str, chunk: Chunk) -> ChunkItem:
    record = content.record
    return ChunkItem(
        id=chunk.id,
        page=url_id(content.url),
        url=content.url,
        site=site,
        status="new",
        title=record.title,
        headings=chunk.headings,
        text=chunk.text,
        tokens=chunk.tokens,
        kind=record.kind,
        language=record.language,
        author=record.author,
        published=record.published,
        modified=record.modified,
    )


def _tombstones(page: SentPage, least: int) -> Iterator[ChunkItem]:
    for name, at in page.gone.items():
        if at >= least:
            yield ChunkItem(id=name, page=url_id(page.url), url=page.url, site=page.site, status=GONE)


def _milliseconds(moment: dt.datetime) -> int:
    return int(moment.timestamp() * 1000)
