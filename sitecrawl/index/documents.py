"""What a search index holds of a page: one JSON object, described in `docs/search.md`."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sitecrawl.links.urls import url_id
from sitecrawl.storage.contents import Operation
from sitecrawl.storage.outbox import OutboxChange, PageKey
from sitecrawl.storage.search.repository import page_date


@dataclass(frozen=True, slots=True)
class Document:
    """One page. The names are stable API; null is left out when it is sent."""

    id: str
    url: str
    canonical_url: str | None
    site: str
    kind: str
    title: str | None
    description: str | None
    text: str
    html: str | None
    author: str | None
    published: str | None
    modified: str | None
    date: str
    """The day to filter by: published, else modified, else when this text was first seen."""
    language: str | None
    image: str | None
    section: tuple[str, ...]
    """Breadcrumbs, from the root."""
    anchors: tuple[str, ...]
    """Texts of links to the page."""
    words: int
    digest: str
    method: str
    confidence: float
    template_version: int | None
    http_status: int | None
    depth: int
    fetched_at: str | None
    updated_at: str
    """When the document last changed."""
    sequence: int
    """Number of the change; a higher one is newer, whatever the order of arrival."""

    def as_dict(self) -> dict[str, Any]:
        """Return what is sent: no nulls, no empty lists."""
        return {name: value for name, value in asdict(self).items() if value is not None and value != ()}


class Change(NamedTuple):
    """One page for a sink: to be stored as `document`, or deleted when that is None."""

    key: PageKey
    id: str
    url: str
    sequence: int
    document: Document | None


def change_of(queued: OutboxChange, kinds: tuple[str, ...]) -> Change:
    """Return what a sink is told; a page of a kind that is not wanted is deleted."""
    identifier = url_id(queued.url)
    content = queued.content
    wanted = queued.operation is Operation.UPSERT and content is not None and content.kind in kinds
    document = _document(queued, identifier) if wanted else None
    return Change(queued.key, identifier, queued.url, queued.sequence, document)


def _document(queued: OutboxChange, identifier: str) -> Document:
    content = queued.content
    assert content is not None
    return Document(
        id=identifier,
        url=queued.url,
        canonical_url=content.canonical_url,
        site=queued.site,
        kind=content.kind,
        title=content.title,
        description=content.description,
        text=content.text,
        html=content.html,
        author=content.author,
        published=content.published,
        modified=content.modified,
        date=page_date(content.published, content.modified, content.extracted_at).isoformat(),
        language=content.language,
        image=content.image,
        section=tuple(content.section.split(" > ")) if content.section else (),
        anchors=content.anchors,
        words=content.words,
        digest=content.digest,
        method=content.method,
        confidence=content.confidence,
        template_version=content.template_version,
        http_status=queued.http_status,
        depth=queued.depth,
        fetched_at=queued.fetched_at.isoformat(timespec="seconds") if queued.fetched_at else None,
        updated_at=queued.queued_at.isoformat(timespec="seconds"),
        sequence=queued.sequence,
    )
