"""Computes the column values of a page's row that a visit changes. Runs no statement."""

import datetime as dt
from dataclasses import fields
from operator import attrgetter
from typing import Final, NamedTuple

from sitecrawl.dom.text import printable
from sitecrawl.scheduling import History, Plan
from sitecrawl.storage.page_state import HISTORY_NAMES, PageState, PageStatus

SMALL: Final = (1 << 15) - 1
"""Largest number of a SMALLINT column."""
REASON_LENGTH: Final = 500
"""Maximum characters stored of the reason of a page [OWN]."""
NO_BODY: Final = 304
"""HTTP status of a response that keeps the validators of the last body."""
_REMEMBERED: Final = attrgetter(*(field.name for field in fields(History)))
"""Returns the fields of a history as a tuple; `astuple` would also copy each value."""


class Fetch(NamedTuple):
    """The outcome of a URL in one crawl."""

    url_key: int
    url: str
    status: PageStatus
    reason: str | None
    http_status: int | None
    depth: int
    crawl_id: int
    fetch_order: int
    etag: str | None
    last_modified: str | None
    fetched_at: dt.datetime
    html: str | None
    sample: tuple[int, ...]
    discovery: int
    strikes: int = 0
    """Number of consecutive crawls that found the page missing or forbidden."""
    delete: bool | None = None
    """True: delete the page; False: cancel an earlier deletion; None: no change."""
    links: tuple[int, ...] = ()
    """`url_key`s of the page's same-site links."""
    content_language: str | None = None
    """The `Content-Language` header."""
    not_before: dt.datetime | None = None
    """Time before which the page is not requested, because the server asked for it or its host does not answer."""
    requested: bool = True
    """Whether a request was sent, so that it counts as a fetch."""


class Placement(NamedTuple):
    """The layout of a page, and the template version that counts it."""

    layout: int | None
    """None if no known layout matches."""
    version: int | None = None
    """0 for a page that is not counted, None for one that is not counted yet."""
    counted: bool = False
    """Whether a stored template already counts the page, so that the stored version stays."""


class PageChange(NamedTuple):
    """The change of a page's row by a visit, given its earlier state. The row is written once."""

    url_key: int
    state: PageState
    fetch: Fetch | None = None
    """The fetch; None if a stored page was extracted."""
    placement: Placement | None = None
    plan: Plan | None = None
    """Time of the next visit."""
    status: PageStatus | None = None
    """Status that replaces the status of the fetch; None to keep it."""
    changed_at: dt.datetime | None = None
    """Time at which its content was found changed."""
    surveyed: bool = False
    """Whether the metadata values of the page are counted in this transaction."""
    settled: bool = False
    """Whether the page need not be extracted again in this crawl."""


def new_columns(fetch: Fetch) -> dict[str, object]:
    """Return the columns that a fetch sets only for a page without a row."""
    return {
        "url": printable(fetch.url),
        "depth": small(fetch.depth),
        "discovered_at": fetch.fetched_at,
        "discovery": fetch.discovery,
        "priority": 0,
        "deletion": None,
    }


def changed_columns(change: PageChange) -> dict[str, object]:
    """Return the columns that a change sets in a page's row."""
    values = _fetched(change.fetch, change.state) if change.fetch is not None else {}
    placement, plan = change.placement, change.plan
    if placement is not None:
        values["layout"] = placement.layout
        if not placement.counted:
            values["learned_version"] = placement.version
    if plan is not None:
        values |= zip(HISTORY_NAMES, _REMEMBERED(plan.history), strict=True)
        values |= {"next_fetch_at": plan.next_fetch_at, "next_reason": plan.reason}
    if change.status is not None:
        values["status"] = int(change.status)
    if change.changed_at is not None:
        values["changed_at"] = change.changed_at
    if change.surveyed:
        values["surveyed"] = True
    if change.settled:
        values["unsettled"] = None
    return values


def _fetched(fetch: Fetch, state: PageState) -> dict[str, object]:
    """Return the columns that a fetch sets; `errors` counts failures since the last good response."""
    failed = fetch.status is PageStatus.ERROR
    values: dict[str, object] = {
        "status": int(fetch.status),
        "reason": printable(fetch.reason)[:REASON_LENGTH] if fetch.reason else None,
        "http_status": small(fetch.http_status),
        "crawl_id": fetch.crawl_id,
        "fetch_order": fetch.fetch_order,
        "fetched_at": fetch.fetched_at,
        "strikes": small(fetch.strikes),
        "errors": small(state.errors + 1) if failed else 0,
        "fetches": state.fetches + fetch.requested,
        "not_modified": state.not_modified,
        "not_before": fetch.not_before,
    }
    if fetch.url:
        values["url"] = printable(fetch.url)
    if fetch.delete is not None:
        values["deletion"] = fetch.crawl_id if fetch.delete else None
    if fetch.status is PageStatus.UNCHANGED:
        values["not_modified"] = small(state.not_modified + 1)
    if fetch.status is PageStatus.FETCHED or (fetch.status is PageStatus.UNCHANGED and fetch.http_status != NO_BODY):
        values |= {
            "etag": printable(fetch.etag) if fetch.etag else None,
            "last_modified": printable(fetch.last_modified) if fetch.last_modified else None,
        }
    if fetch.status is PageStatus.FETCHED:
        values |= {
            "not_modified": 0,
            "sample": list(fetch.sample),
            "content_language": printable(fetch.content_language) if fetch.content_language else None,
        }
    return values


def small(value: int | None) -> int | None:
    """Return a value limited to the range of SMALLINT, since PostgreSQL would refuse the row and its group."""
    return None if value is None else max(-SMALL - 1, min(value, SMALL))
