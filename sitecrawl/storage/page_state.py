"""The stored state of a page before a visit: its row and its content, read in one statement."""

from dataclasses import fields
from enum import IntEnum
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, select

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.scheduling import History
from sitecrawl.storage.db.prepared import PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.records import RECORDED, ContentRecord, content_record
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE


class PageStatus(IntEnum):
    """Status of a URL."""

    DISCOVERED = 0
    FETCHED = 1
    UNCHANGED = 2
    REDIRECTED = 3
    ERROR = 4
    GONE = 5
    EXCLUDED = 6
    DEAD = 7
    """A dead link: the URL never was a page."""


GOOD: Final = (int(PageStatus.FETCHED), int(PageStatus.UNCHANGED))
"""Statuses of a page that was found, with a body or by a 304."""


class Known(NamedTuple):
    """The stored facts of a page that decide its next status, together with a fetch outcome."""

    status: PageStatus = PageStatus.DISCOVERED
    reason: str | None = None
    strikes: int = 0
    row: RowStatus | None = None
    """Status of its last feed row; None if it never had one."""
    indexed: bool = False
    """Whether the page is in the search indexes."""
    duplicate: bool = False
    """Whether another page of the site has its text, and is in the indexes instead."""

    @property
    def live(self) -> bool:
        """Whether the page is in the feed and not deleted."""
        return self.row is not None and self.row != RowStatus.GONE

    @property
    def deleted(self) -> bool:
        """Whether the last feed row of the page says that it is gone."""
        return self.row == RowStatus.GONE


class PageState(NamedTuple):
    """The stored state of a page, as a visit needs it."""

    known: Known = Known()
    stored: bool = False
    """Whether the page has a row."""
    errors: int = 0
    """Number of failures since its last good response."""
    fetches: int = 0
    not_modified: int = 0
    """Number of 304 responses since its last body."""
    surveyed: bool = False
    """Whether its metadata values are counted (`site_value`)."""
    history: History = History()
    content: ContentRecord | None = None
    """Its last extracted content, an empty record if it was deleted; None if it has none, or if none was read."""


HISTORY: Final = (
    PAGE.c.fetch_interval,
    PAGE.c.visited_at,
    PAGE.c.comparisons,
    PAGE.c.changes,
    PAGE.c.changed_seconds,
    PAGE.c.unchanged_seconds,
    PAGE.c.streak,
    PAGE.c.misses,
    PAGE.c.missing_since,
)
"""The columns of a `History`, in the order of its fields."""
HISTORY_NAMES: Final = tuple("fetch_interval" if field.name == "interval" else field.name for field in fields(History))

_PAGE: Final = (
    *(PAGE.c.status, PAGE.c.reason, PAGE.c.strikes, CONTENT.c.status, CONTENT.c.indexed),
    CONTENT.c.duplicate_of.is_not(None).label("duplicate"),
    *(PAGE.c.errors, PAGE.c.fetches, PAGE.c.not_modified, PAGE.c.surveyed, *HISTORY),
)


def _selecting(*more: Any) -> "PreparedSelect[*tuple[Any, ...]]":
    return PreparedSelect(
        select(*_PAGE, *more)
        .select_from(PAGE)
        .outerjoin(CONTENT, CONTENT_OF_PAGE)
        .where(PAGE.c.site_id == bindparam("b_site"), PAGE.c.url_key == bindparam("b_key"))
    )


_STATE: Final = _selecting()
_WHOLE: Final = _selecting(*RECORDED)


def page_state(session: Session, site_id: int, url_key: int, *, content: bool = True) -> PageState:
    """Return the state of a page, without its `content` if that is off; a page without a row has an empty state."""
    row = (_WHOLE if content else _STATE).first(session, {"b_site": site_id, "b_key": url_key})
    if row is None:
        return PageState()
    status, reason, strikes, row_status, indexed, duplicate, errors, fetches, not_modified, surveyed, *rest = row
    recorded = rest[len(HISTORY) :]
    return PageState(
        Known(PageStatus(status), reason, strikes, row_status, bool(indexed), bool(duplicate)),
        stored=True,
        errors=errors,
        fetches=fetches,
        not_modified=not_modified,
        surveyed=surveyed,
        history=History(*rest[: len(HISTORY)]),
        content=content_record(recorded) if recorded and recorded[0] is not None else None,
    )
