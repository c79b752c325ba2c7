"""The search document of a page: one JSON object, described in `docs/search.md`."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sitecrawl.links.urls import url_id
from sitecrawl.metadata.fields import MainContent, shared_fields
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.outbox import OutboxChange, PageKey
from sitecrawl.storage.search.repository import page_date


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(MainContent):
    """The document of one page. The names are stable API; null values are not sent."""

    id: str
    url: str
    site: str
    date: str
    """The day to filter by: of publication, else of modification, else of the first visit that found this text."""
    anchors: tuple[str, ...]
    """Texts of links to the page."""
    http_status: int | None
    depth: int
    fetched_at: str | None
    updated_at: str
    """Time of the document's last change."""
    sequence: int
    """Sequence number of the change. A higher number is newer, regardless of the order of arrival."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields to send, without nulls and empty lists; the section becomes a list from the root."""
        return _filled(asdict(self) | {"section": tuple(self.section.split(" > ")) if self.section else ()})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDocument:
    """The document of one chunk of a page. The names are stable API; null values are not sent."""

    id: str
    page: str
    """`id` of the page."""
    url: str
    site: str
    title: str | None
    headings: tuple[str, ...]
    """Headings above the chunk, the highest level first."""
    text: str
    """The text of the chunk, as Markdown."""
    tokens: int
    """Estimated tokens."""
    kind: str
    language: str | None
    author: str | None
    published: str | None
    modified: str | None
    date: str
    updated_at: str
    sequence: int

    @property
    def html(self) -> None:
        """None, since the text is Markdown."""
        return

    def as_dict(self) -> dict[str, Any]:
        """Return the fields to send, without nulls and empty lists."""
        return _filled(asdict(self))


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields whose value is neither None nor an empty tuple."""
    return {name: value for name, value in fields.items() if value is not None and value != ()}


class Change(NamedTuple):
    """One change for a sink: store `document`, or delete the page or chunk if it is None."""

    key: PageKey
    id: str
    url: str
    sequence: int
    document: Document | ChunkDocument | None


def change_of(queued: OutboxChange, kinds: tuple[str, ...]) -> Change:
    """Return the change to deliver for a queued page; a page of an unwanted kind is deleted."""
    identifier = url_id(queued.url)
    content = queued.content
    wanted = queued.operation is Operation.UPSERT and content is not None and content.kind in kinds
    document = _document(queued, identifier) if wanted else None
    return Change(queued.key, identifier, queued.url, queued.sequence, document)


def _document(queued: OutboxChange, identifier: str) -> Document:
    content = queued.content
    assert content is not None
    return Document(
        **shared_fields(content),
        id=identifier,
        url=queued.url,
        site=queued.site,
        date=page_date(content.published, content.modified, content.extracted_at).isoformat(),
        anchors=content.anchors,
        http_status=queued.http_status,
        depth=queued.depth,
        fetched_at=queued.fetched_at.isoformat(timespec="seconds") if queued.fetched_at else None,
        updated_at=queued.queued_at.isoformat(timespec="seconds"),
        sequence=queued.sequence,
    )
