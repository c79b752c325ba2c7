"""Sends chunks of pages to a sink instead of pages: changed chunks, and deletions of chunks that no longer exist.

Before sending, the chunks that the sink may have afterwards are recorded; after sending, those that it has. If the
process is killed in between, uncertain chunks are sent again, and the sink keeps no chunk that its page no longer has.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from sqlalchemy import Engine

from sitecrawl.clock import now
from sitecrawl.dom.chunks import RULE, chunks
from sitecrawl.index.documents import Change, ChunkDocument, Document
from sitecrawl.index.sinks import Rejection, Sink, send_in_parts
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.outbox import PageKey
from sitecrawl.storage.sent_chunks import GONE, SentChunks, SentPage


class ChunkedSink:
    """A sink that receives chunks instead of pages."""

    def __init__(self, sink: Sink, engine: Engine, name: str) -> None:
        self._sink, self._engine, self._reader = sink, engine, reader_of(name)

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Deliver the chunks of changed pages; return the refused pages. A page is refused if one of its chunks is.

        Raises the exceptions of the sink, and StorageError.
        """
        with session_scope(self._engine, write=False) as session:
            before = SentChunks(session, self._reader).of([change.key for change in changes])
        plans = [(change, *_planned(change, before.get(change.key))) for change in changes]
        doubtful = [page for _, page, parts in plans if parts]
        if doubtful:
            with session_scope(self._engine) as session:
                SentChunks(session, self._reader).put(doubtful)
        parts = [part for _, _, parts in plans for part in parts]
        rejections = send_in_parts(self._sink, parts) if parts else []
        self._note(plans, {one.change.id for one in rejections})
        return _of_pages(plans, rejections)

    def close(self) -> None:
        """Close the sink."""
        self._sink.close()

    def _note(self, plans: "Sequence[tuple[Change, SentPage, list[Change]]]", refused: set[str]) -> None:
        """Record the chunks that the sink has now; those of refused changes stay uncertain."""
        moment = _milliseconds(now())
        kept, ended = [], []
        for _, page, parts in plans:
            if not parts and page.chunks:
                continue
            held = dict(page.chunks)
            for part in parts:
                if part.id in refused:
                    continue
                if part.document is None:
                    del held[part.id]
                else:
                    held[part.id] = moment
            if held:
                kept.append(page._replace(chunks=held))
            else:
                ended.append(page.key)
        with session_scope(self._engine) as session:
            sent = SentChunks(session, self._reader)
            sent.put(kept)
            sent.drop(ended)


def reader_of(name: str) -> str:
    """Return the name under which the chunks of a sink are recorded."""
    return f"sink {name}"


def send_again(engine: Engine, name: str) -> None:
    """Record that a sink may have none of its chunks, so that all are sent again. Raises StorageError."""
    after: PageKey | None = None
    while True:
        with session_scope(engine) as session:
            after = SentChunks(session, reader_of(name)).doubt(after)
        if after is None:
            return


def _planned(change: Change, before: SentPage | None) -> tuple[SentPage, list[Change]]:
    """Return the chunks of a page that the sink may have while sending, and the changes to send, deletions last."""
    old = before.chunks if before is not None else {}
    documents = {one.id: one for one in _documents(change.document, change)}
    fresh = [document for name, document in documents.items() if not old.get(name)]
    gone = [name for name in old if name not in documents]
    parts = [Change(change.key, one.id, change.url, change.sequence, one) for one in fresh]
    parts += [Change(change.key, name, change.url, change.sequence, None) for name in gone]
    doubt = {**{name: at for name, at in old.items() if name not in gone}, **dict.fromkeys(gone, 0)}
    doubt |= {one.id: 0 for one in fresh}
    site = change.document.site if isinstance(change.document, Document) else before.site if before is not None else ""
    return SentPage(change.key, site, change.url, _made_of(change.document), doubt, {}), parts


def _documents(page: Document | ChunkDocument | None, change: Change) -> Iterable[ChunkDocument]:
    if not isinstance(page, Document):
        return
    for one in chunks(page.id, page.text, page.html):
        yield ChunkDocument(
            id=one.id,
            page=page.id,
            url=page.url,
            site=page.site,
            title=page.title,
            headings=one.headings,
            text=one.text,
            tokens=one.tokens,
            kind=page.kind,
            language=page.language,
            author=page.author,
            published=page.published,
            modified=page.modified,
            date=page.date,
            updated_at=page.updated_at,
            sequence=change.sequence,
        )


def _of_pages(
    plans: "Sequence[tuple[Change, SentPage, list[Change]]]", rejections: Sequence[Rejection]
) -> list[Rejection]:
    """Return a rejection for each refused page: that of its first refused chunk, final if one of them is."""
    pages = {part.id: change for change, _, parts in plans for part in parts}
    refused: dict[PageKey, Rejection] = {}
    for one in rejections:
        change = pages[one.change.id]
        known = refused.get(change.key)
        reason = known.reason if known is not None else f"chunk {one.change.id}: {one.reason}"
        final = one.final or (known is not None and known.final)
        refused[change.key] = Rejection(change, reason, final)
    return list(refused.values())


def _made_of(document: Document | ChunkDocument | None) -> str:
    if document is None:
        return GONE
    return blake2b(f"{RULE}\0{document.text}\0{document.html or ''}".encode(), digest_size=16).hexdigest()


def _milliseconds(moment: dt.datetime) -> int:
    return int(moment.timestamp() * 1000)
