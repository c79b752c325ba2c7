"""Indexes of the tables, used only by the migrations.

They are separate from the tables because their conditions load SQLAlchemy's PostgreSQL dialect, which a crawl on SQLite
does not need.
"""

from typing import Any

from sqlalchemy import Index, text

from sitecrawl.storage.simhash_bands import BANDS
from sitecrawl.storage.tables.base import AnyTable
from sitecrawl.storage.tables.index import OUTBOX, REJECTION, SEARCH
from sitecrawl.storage.tables.pages import CONTENT, CRAWL, LINK_TEXT, PAGE, SITE


def _index(table: AnyTable, name: str, *columns: str, where: str = "", **options: Any) -> None:
    """Add an index to a table, for the rows that satisfy a condition."""
    if where:
        options |= {"postgresql_where": text(where), "sqlite_where": text(where)}
    Index(name, *(table.c[column] for column in columns), **options)


def _partial(table: AnyTable, name: str, *columns: str, not_null: str) -> None:
    """Add an index of the rows whose column `not_null` is not null."""
    _index(table, name, *columns, where=f"{not_null} IS NOT NULL")


_index(
    *(SITE, "ix_site_due", "next_crawl_at"),
    where="next_crawl_at IS NOT NULL AND lease_owner IS NULL AND paused_at IS NULL",
)
_partial(SITE, "ix_site_leased", "leased_until", not_null="lease_owner")
_index(CRAWL, "ix_crawl_site_id", "site_id")
_index(PAGE, "ix_page_frontier", "site_id", "crawl_id", "priority", "discovery")
# a narrow covering index: counts and lists of a large site need not read the rows. It begins with the primary key, so
# that the planner does not choose it for queries by status or layout that need other columns too
_index(PAGE, "ix_page_states", "site_id", "url_key", "status", "layout", "deletion")
_partial(PAGE, "ix_page_due", "site_id", "next_fetch_at", not_null="next_fetch_at")
_partial(PAGE, "ix_page_deletion", "site_id", "deletion", not_null="deletion")
_partial(PAGE, "ix_page_lastmod", "site_id", "lastmod_source", not_null="lastmod_source")
_index(CONTENT, "ix_content_digest", "site_id", "digest")
_partial(CONTENT, "ix_content_duplicate", "site_id", "duplicate_of", not_null="duplicate_of")
for _band in BANDS:
    _partial(CONTENT, f"ix_content_{_band}", "site_id", _band, "url_key", not_null=_band)
_index(CONTENT, "ix_content_emitted", "site_id", "crawl_id", "emit_order")
_index(LINK_TEXT, "ix_link_text_text", "site_id", "text_key", "source")
_partial(LINK_TEXT, "ix_link_text_source", "site_id", "source", not_null="source")
_index(LINK_TEXT, "ix_link_text_fresh", "site_id", where="fresh")
_index(OUTBOX, "ix_outbox_sequence", "sequence")
_index(OUTBOX, "ix_outbox_unnumbered", "queued_at", where="numbered <> revision")
_partial(REJECTION, "ix_rejection_retry", "sink", "retry_at", not_null="retry_at")
_index(SEARCH, "ix_search_page", "site_id", "url_key", unique=True)
_index(SEARCH, "ix_search_config", "config")
# empty in SQLite, where the column is not used
_index(SEARCH, "ix_search_vector", "vector", postgresql_using="gin", sqlite_where=text("vector IS NOT NULL"))
