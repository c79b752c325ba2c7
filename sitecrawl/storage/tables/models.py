"""All tables; `docs/schema.md` explains the columns. Only storage and the migrations import this module.

Natural composite keys begin with `site_id`: an upsert needs no look-up, the rows of a site are stored together (WITHOUT
ROWID in SQLite), and PostgreSQL can be partitioned by hash of `site_id` without changing a key.
"""

from sitecrawl.storage.tables.base import METADATA
from sitecrawl.storage.tables.index import OUTBOX, OUTBOX_CLOCK, REJECTION, SEARCH, SENT_CHUNKS, SINK
from sitecrawl.storage.tables.pages import (
    BODY,
    BODY_OF_PAGE,
    CLOSED,
    CONTENT,
    CONTENT_OF_PAGE,
    CRAWL,
    HOST,
    LINK_TEXT,
    LINKS,
    PAGE,
    ROBOTS,
    SITE,
    SITE_VALUE,
    SOURCE,
    SUSPENDED,
)
from sitecrawl.storage.tables.politeness import ADDRESS_SLOT
from sitecrawl.storage.tables.templates import (
    LABEL_LENGTH,
    SECOND_FETCH,
    TEMPLATE,
    TEMPLATE_BLOCK,
    TEMPLATE_NODE,
    TEMPLATE_PATH,
    TEMPLATE_STYLE,
)

__all__ = [
    "ADDRESS_SLOT",
    "BODY",
    "BODY_OF_PAGE",
    "CLOSED",
    "CONTENT",
    "CONTENT_OF_PAGE",
    "CRAWL",
    "HOST",
    "LABEL_LENGTH",
    "LINKS",
    "LINK_TEXT",
    "METADATA",
    "OUTBOX",
    "OUTBOX_CLOCK",
    "PAGE",
    "REJECTION",
    "ROBOTS",
    "SEARCH",
    "SECOND_FETCH",
    "SENT_CHUNKS",
    "SINK",
    "SITE",
    "SITE_VALUE",
    "SOURCE",
    "SUSPENDED",
    "TEMPLATE",
    "TEMPLATE_BLOCK",
    "TEMPLATE_NODE",
    "TEMPLATE_PATH",
    "TEMPLATE_STYLE",
]
