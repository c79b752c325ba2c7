"""What is stored of a page before a visit is recorded: the row of the page and that of its content, read at once."""

from dataclasses import fields
from enum import IntEnum
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, select

from sitecrawl.scheduling import History
from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.records import RECORDED, ContentRecord, content_record
from sitecrawl.storage.tables.models import ContentRow, PageRow

GONE: Final = "gone"
"""`content.status` of a page that was deleted: the row stays, without text."""


class PageStatus(IntEnum):
    """What became of a URL."""

    DISCOVERED = 0
    FETCHED = 1
    UNCHANGED = 2
    REDIRECTED = 3
    ERROR = 4
    GONE = 5
    EXCLUDED = 6
    DEAD = 7
    """A dead link: no page was ever found there."""


class Known(NamedTuple):
    """What decides on a page beside what its fetch gave."""

    status: PageStatus = PageStatus.DISCOVERED
    reason: str | None = None
    strikes: int = 0
    row: str | None = None
    """Status of its last feed row: `new`, `changed`, `unchanged`, `gone`; None when it never had one."""
    indexed: bool = False
    """Whether a search index was told to hold it."""

    @property
    def live(self) -> bool:
        """Whether those who read the feed have this page."""
        return self.row is not None and self.row != GONE

    @property
    def deleted(self) -> bool:
        """Whether they had it, and were told that it is gone."""
        return self.row == GONE


class PageState(NamedTuple):
    """All that a visit needs of what is stored of its page."""

    known: Known = Known()
    stored: bool = False
    """Whether the page has a row."""
    errors: int = 0
    """Failures since its last good answer."""
    fetches: int = 0
    not_modified: int = 0
    """304 answers since its last body."""
    surveyed: bool = False
    """Whether the values that it declares are counted."""
    history: History = History()
    content: ContentRecord | None = None
    """Its content as last extracted, an empty record when it was deleted; None without `content` or a row."""


HISTORY: Final = (
    PageRow.fetch_interval,
    PageRow.visited_at,
    PageRow.comparisons,
    PageRow.changes,
    PageRow.changed_seconds,
    PageRow.unchanged_seconds,
    PageRow.streak,
    PageRow.misses,
)
"""The columns of a `History`, in the order of its fields."""
HISTORY_NAMES: Final = tuple("fetch_interval" if field.name == "interval" else field.name for field in fields(History))

_PAGE: Final = (
    *(PageRow.status, PageRow.reason, PageRow.strikes, ContentRow.status, ContentRow.indexed),
    *(PageRow.errors, PageRow.fetches, PageRow.not_modified, PageRow.surveyed, *HISTORY),
)


def _selecting(*more: Any) -> Prepared:
    return Prepared(
        select(*_PAGE, *more)
        .select_from(PageRow)
        .outerjoin(ContentRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
        .where(PageRow.site_id == bindparam("b_site"), PageRow.url_key == bindparam("b_key"))
    )


_STATE: Final = _selecting()
_WHOLE: Final = _selecting(*RECORDED)


def page_state(session: Session, site_id: int, url_key: int, *, content: bool = True) -> PageState:
    """Return the state of a page, without its `content` if that is off; that of a new page when it has no row."""
    row = (_WHOLE if content else _STATE).first(session, {"b_site": site_id, "b_key": url_key})
    if row is None:
        return PageState()
    status, reason, strikes, row_status, indexed, errors, fetches, not_modified, surveyed, *rest = row
    recorded = rest[len(HISTORY) :]
    return PageState(
        Known(PageStatus(status), reason, strikes, row_status, bool(indexed)),
        stored=True,
        errors=errors,
        fetches=fetches,
        not_modified=not_modified,
        surveyed=surveyed,
        history=History(*rest[: len(HISTORY)]),
        content=content_record(recorded) if recorded and recorded[0] is not None else None,
    )
