"""All stored content of sites as feed rows, without fetching: the rows of `sitecrawl export`.

The row of a page is its last row in the feed with the status `new`. `fetched_at` is the visit that found the text, not
the last visit. So the export of an unchanged site is the same after each crawl.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Engine

from sitecrawl.crawl.content import feed_item
from sitecrawl.items import ContentItem
from sitecrawl.metadata.fields import METADATA_NAMES, RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.slices import slices
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.exports import READ, Chosen, ExportRepository, KeptContent
from sitecrawl.storage.records import StoredContent
from sitecrawl.storage.sites import SiteRef

WITH_A_PAGE: Final = (200, 201, 203)
"""HTTP statuses of responses with a page (`crawl.page_lifecycle`). A stored row with another status had it at a later
visit than the one that gave its text."""

_NO_TEXT: Final[Mapping[str, Any]] = {
    **dict.fromkeys((*METADATA_NAMES, "html", "duplicate_of")),
    **{"anchors": (), "digest": "", "simhash": 0, "kind": Kind.NONE, "text": "", "words": 0, "confidence": 0.0},
}
"""Fields of the row of a page that has left the chosen kind: the same as of a deleted page (`storage.deletions`)."""


def stored_rows(
    engine: Engine,
    sites: Iterable[SiteRef],
    chosen: Chosen | str | None = None,
    *,
    html: bool = False,
    markdown: bool = False,
) -> Iterator[ContentItem]:
    """Yield a row for each chosen page of sites, ordered by host and URL; HTML and Markdown only if asked for.

    `chosen` may be a kind of pages, or None for all live pages. Raises StorageError for the database.
    """
    choice = chosen if isinstance(chosen, Chosen) else Chosen(chosen)
    for site in sorted(sites, key=lambda one: one.host):
        after = None
        while True:
            with session_scope(engine, write=False) as session:
                pages = ExportRepository(session).pages(site.id, after)
            if not pages:
                break
            after = pages[-1]
            for part in slices(pages, READ):
                with session_scope(engine, write=False) as session:
                    contents = list(ExportRepository(session).contents(site.id, part, choice))
                for content in contents:
                    yield exported(content, site.host, html=html, markdown=markdown, chosen=choice)


def exported(
    content: KeptContent,
    host: str,
    *,
    html: bool,
    markdown: bool,
    chosen: Chosen = Chosen(),  # noqa: B008
) -> ContentItem:
    """Return the row of a stored content, with the date of this text.

    The date of a deleted page is that of its deletion. For a reader without earlier rows it is `new`. For one that has
    those before `chosen.since` it is `new`, `changed` or `gone`. A page of another kind than the chosen one is `gone`.
    """
    record = content.record if html or markdown else replace(content.record, html=None)
    if content.status != RowStatus.GONE and not chosen.has(record.kind):
        content = content._replace(status=RowStatus.GONE)
        record = replace(record, **_NO_TEXT, extracted_at=content.changed_at or record.extracted_at)
    http_status = content.http_status if content.http_status in WITH_A_PAGE else WITH_A_PAGE[0]
    since = record.extracted_at if content.status == RowStatus.GONE else content.changed_at or record.extracted_at
    stored = StoredContent(record, _status(content, chosen), content.url, http_status, content.depth, since)
    stored = stored._replace(noindex=content.noindex and content.status != RowStatus.GONE)
    row = feed_item(stored, host, with_markdown=markdown)
    return row if html else replace(row, html=None)


def _status(content: KeptContent, chosen: Chosen) -> RowStatus:
    if chosen.all_live:
        return RowStatus.NEW
    if content.status in (RowStatus.GONE, RowStatus.NEW) or chosen.since is None:
        return content.status
    found = content.discovered_at
    return RowStatus.NEW if found is not None and found >= chosen.since else RowStatus.CHANGED
