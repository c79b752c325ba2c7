"""Sink for LanceDB, a vector database in a folder, used through the library `lancedb` in this process.

Each call of the library writes one version of the table, so a killed process leaves the version before or after the
call. LanceDB has no versions of documents, so the sink skips a change if the table has a newer one.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sitecrawl.errors import ConfigError
from sitecrawl.index.documents import Change, ChunkDocument, Document
from sitecrawl.index.embedding import embedding_of
from sitecrawl.index.sinks import Rejection, SinkUnavailableError, newest_of_each
from sitecrawl.slices import slices

TEXTS: Final = (
    *("id", "url", "site", "page", "kind", "title", "description", "text", "language", "author", "published"),
    *("modified", "date", "updated_at"),
)
LISTS: Final = ("headings", "section", "anchors")
NUMBERS: Final = ("tokens", "words", "sequence")
"""Columns of the table by their type; there is also the column `vector`. Further fields are left out."""
NAMED_AT_ONCE: Final = 500
"""Maximum number of ids in one condition."""
SENDS: Final = 100
"""Number of deliveries after which the table is compacted, since each adds at least one file."""
KEPT: Final = dt.timedelta(hours=1)
"""Minimum age of the versions that are deleted then; readers may still use younger ones."""


class LanceDbSink:
    """Keeps a table equal to the database. The first document creates it, and sets the length of all vectors."""

    def __init__(self, folder: str, embedding: Mapping[str, Any], table: str = "pages") -> None:
        self._library = _library()
        self._embedding = embedding_of(embedding)
        self._folder, self._name = folder, table
        self._database: Any = None
        self._table: Any = None
        self._sends = 0

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Store documents with their vectors, and delete those of deleted pages; return the refused changes."""
        last = newest_of_each(changes)
        try:
            self._open()
            newest = self._newest([change.id for change in last])
            fresh = [change for change in last if change.sequence >= newest.get(change.id, 0)]
            documents = [change.document for change in fresh if change.document is not None]
            if documents:
                self._put(documents, self._embedding.vectors([embedded_text(one) for one in documents]))
            gone = [change.id for change in fresh if change.document is None and change.id in newest]
            for part in slices(gone, NAMED_AT_ONCE):
                self._table.delete(_named(part))
            self._sends += 1
            if self._sends % SENDS == 0:
                self._table.optimize(cleanup_older_than=KEPT)
        except (OSError, RuntimeError, ValueError) as error:
            self._table = None
            raise SinkUnavailableError(f"{self._folder}: {' '.join(str(error).split())[:300]}") from error
        return []

    def close(self) -> None:
        """Close the connection to the embedding."""
        self._embedding.close()

    def _open(self) -> None:
        if self._table is not None:
            return
        self._database = self._library.connect(self._folder)
        if self._name in self._database.list_tables().tables:
            self._table = self._database.open_table(self._name)

    def _newest(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sequence numbers of those documents that the table has, by id."""
        found: dict[str, int] = {}
        for part in slices(ids, NAMED_AT_ONCE) if self._table is not None else ():
            rows = self._table.search().where(_named(part)).select(["id", "sequence"]).limit(len(part)).to_arrow()
            found |= {row["id"]: row["sequence"] for row in rows.to_pylist()}
        return found

    def _put(self, documents: "Sequence[Document | ChunkDocument]", vectors: list[list[float]]) -> None:
        import pyarrow  # noqa: PLC0415

        schema = _schema(pyarrow, len(vectors[0]))
        if self._table is None:
            self._table = self._database.create_table(self._name, schema=schema, exist_ok=True)
        length = self._table.schema.field("vector").type.list_size
        if length != len(vectors[0]):
            raise SinkUnavailableError(
                f"{self._folder}: the vectors of the table {self._name} have {length} numbers, those of the model"
                f" {len(vectors[0])}; name another table, or delete this one, and then: index --resend"
            )
        names = schema.names[:-1]
        given = [one.as_dict() for one in documents]
        rows = [
            {**{name: fields.get(name) for name in names}, "vector": vector}
            for fields, vector in zip(given, vectors, strict=True)
        ]
        merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(pyarrow.Table.from_pylist(rows, schema=schema))


def embedded_text(document: Document | ChunkDocument) -> str:
    """Return the text to embed: the headings above a chunk, or the title of a page, followed by the text."""
    above = document.headings if isinstance(document, ChunkDocument) else (document.title or "",)
    return "\n".join(one for one in (*above, document.text) if one)


def _schema(pyarrow: Any, length: int) -> Any:
    columns = [(name, pyarrow.string()) for name in TEXTS]
    columns += [(name, pyarrow.list_(pyarrow.string())) for name in LISTS]
    columns += [(name, pyarrow.int64()) for name in NUMBERS]
    return pyarrow.schema([*columns, ("vector", pyarrow.list_(pyarrow.float32(), length))])


def _library() -> Any:
    """Return the module `lancedb`. Raises ConfigError if it is not installed."""
    try:
        import lancedb  # noqa: PLC0415
    except ImportError:
        raise ConfigError("LanceDB needs its library; install it: pip install 'sitecrawl[lancedb]'") from None
    return lancedb


def _named(ids: Sequence[str]) -> str:
    """Return an SQL condition that selects these ids; they are hexadecimal, but quotes are escaped anyway."""
    named = ", ".join("'" + one.replace("'", "''") + "'" for one in ids)
    return f"id IN ({named})"
