"""Tables; `docs/schema.md` says what the columns mean. Only storage and the migrations import this module.

Natural composite keys are led by `site_id`: an upsert needs no look-up, the rows of a site lie together (WITHOUT
ROWID in SQLite), and PostgreSQL can be partitioned by hash of `site_id` without changing a key.
"""

from sitecrawl.storage.tables.base import Base
from sitecrawl.storage.tables.index import OutboxClockRow, OutboxRow, RejectionRow, SearchRow, SinkRow
from sitecrawl.storage.tables.pages import (
    BodyRow,
    ClosedRow,
    ContentRow,
    CrawlRow,
    HostRow,
    LinksRow,
    LinkTextRow,
    PageRow,
    RobotsRow,
    SiteRow,
    SiteValueRow,
    SourceRow,
    SuspendedRow,
)
from sitecrawl.storage.tables.templates import (
    LABEL_LENGTH,
    TemplateBlockRow,
    TemplateNodeRow,
    TemplatePathRow,
    TemplateRow,
    TemplateStyleRow,
)

__all__ = [
    "LABEL_LENGTH",
    "Base",
    "BodyRow",
    "ClosedRow",
    "ContentRow",
    "CrawlRow",
    "HostRow",
    "LinkTextRow",
    "LinksRow",
    "OutboxClockRow",
    "OutboxRow",
    "PageRow",
    "RejectionRow",
    "RobotsRow",
    "SearchRow",
    "SinkRow",
    "SiteRow",
    "SiteValueRow",
    "SourceRow",
    "SuspendedRow",
    "TemplateBlockRow",
    "TemplateNodeRow",
    "TemplatePathRow",
    "TemplateRow",
    "TemplateStyleRow",
]
