"""Indexes of the tables, for the migrations; nothing else reads this module.

They are apart from the tables because their conditions load SQLAlchemy's PostgreSQL, which a crawl on SQLite has no
use for.
"""

from typing import Any

from sqlalchemy import Index, text

from sitecrawl.storage.simhash_bands import BANDS
from sitecrawl.storage.tables.index import OutboxRow, RejectionRow, SearchRow
from sitecrawl.storage.tables.models import Base
from sitecrawl.storage.tables.pages import ContentRow, CrawlRow, LinkTextRow, PageRow, SiteRow


def _index(row: type[Base], name: str, *columns: str, where: str = "", **options: Any) -> None:
    """Add an index to the table of a row, of those rows for which a condition holds."""
    if where:
        options |= {"postgresql_where": text(where), "sqlite_where": text(where)}
    Index(name, *(row.__table__.c[column] for column in columns), **options)


def _partial(row: type[Base], name: str, *columns: str, of: str) -> None:
    """Add an index of the rows whose column `of` is set."""
    _index(row, name, *columns, where=f"{of} IS NOT NULL")


_partial(SiteRow, "ix_site_due", "next_crawl_at", of="next_crawl_at")
_index(CrawlRow, "ix_crawl_site_id", "site_id")
_index(PageRow, "ix_page_frontier", "site_id", "crawl_id", "priority", "discovery")
_partial(PageRow, "ix_page_due", "site_id", "next_fetch_at", of="next_fetch_at")
_partial(PageRow, "ix_page_deletion", "site_id", "deletion", of="deletion")
_index(ContentRow, "ix_content_digest", "site_id", "digest")
_partial(ContentRow, "ix_content_duplicate", "site_id", "duplicate_of", of="duplicate_of")
for _band in BANDS:
    _partial(ContentRow, f"ix_content_{_band}", "site_id", _band, "url_key", of=_band)
_index(ContentRow, "ix_content_emitted", "site_id", "crawl_id", "emit_order")
_index(LinkTextRow, "ix_link_text_text", "site_id", "text_key", "source")
_partial(LinkTextRow, "ix_link_text_source", "site_id", "source", of="source")
_index(LinkTextRow, "ix_link_text_fresh", "site_id", where="fresh")
_index(OutboxRow, "ix_outbox_sequence", "sequence")
_index(OutboxRow, "ix_outbox_unnumbered", "queued_at", where="numbered <> revision")
_partial(RejectionRow, "ix_rejection_retry", "sink", "retry_at", of="retry_at")
_index(SearchRow, "ix_search_page", "site_id", "url_key", unique=True)
_index(SearchRow, "ix_search_config", "config")
# empty in SQLite, where the column is not used
_index(SearchRow, "ix_search_vector", "vector", postgresql_using="gin", sqlite_where=text("vector IS NOT NULL"))
