"""The lifecycle of a page: decides its next status, and its rows in feed and index, from a fetch outcome.

`decide` is one pure function. 410 deletes the page. 404, and a robots.txt that forbids the page, delete it if the next
crawl finds the same. A permanent redirect moves it; a temporary one, or an error page with status 200, deletes it if it
lasts. noindex and a canonical URL elsewhere delete it, and so do a rule of the operator that leaves it out, and a
closed trap if another page has its text. Failures of server or network never delete a page, nor does the absence of
links to it. A URL that answers 404 or 410 and never had a row in the feed is a dead link: nothing is deleted, and it is
rarely requested again.
"""

import datetime as dt
import re
from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from sitecrawl.scheduling import History, Outcome
from sitecrawl.storage.page_state import GOOD, Known
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.records import CANONICAL, NOINDEX

LASTING: Final = dt.timedelta(days=14)
"""Minimum time since the first visit that missed a page, for a temporary redirect or an error page to last [OWN]."""
LASTING_VISITS: Final = 3
"""Minimum visits in a row, over LASTING, that found no page, for a temporary redirect or an error page to last [OWN].
The last two must have found the same, so that it does not follow from an outage.

Sites send readers of deleted articles to their front page by 302, or show an error page with status 200.
"""
STRIKES: Final = 2
"""Consecutive crawls that must find a page missing or forbidden before it is deleted."""
FIRST_TIME: Final = "for the first time"
MOVED: Final = re.compile(r"to (\S+) for good")
"""Matches the reason of a page that redirects permanently; the group is the target URL."""
UNTIL_NEXT: Final = "deleted if the next crawl finds the same"
"""End of the reason of a page that one crawl found missing or forbidden."""


class FetchResult(Enum):
    """The kind of a fetch outcome."""

    PAGE = "page"
    NOT_MODIFIED = "not modified"
    IDENTICAL = "identical"
    """A response whose body is the stored one."""
    MOVED = "moved"
    MOVED_FOR_NOW = "moved for now"
    NOT_FOUND = "not found"
    REMOVED = "removed"
    FORBIDDEN = "forbidden"
    """Forbidden by robots.txt."""
    REFUSED = "refused"
    """Not requested: the URL leads to a forbidden address."""
    TRAPPED = "trapped"
    """Not requested: the URL is in a closed trap."""
    OUT_OF_SCOPE = "out of scope"
    """Not requested: the operator's rules leave the URL out."""
    UNUSABLE = "unusable"
    """A response without a usable page: empty, too large, not HTML."""
    ERROR_PAGE = "error page"
    """An error page with status 200 (soft 404)."""
    FAILED = "failed"
    """No response, or a response that concerns the server and not the page."""


HTTP: Final[Mapping[int, FetchResult]] = {
    200: FetchResult.PAGE,
    201: FetchResult.PAGE,
    203: FetchResult.PAGE,
    204: FetchResult.UNUSABLE,
    205: FetchResult.UNUSABLE,
    206: FetchResult.FAILED,
    301: FetchResult.MOVED,
    302: FetchResult.MOVED_FOR_NOW,
    303: FetchResult.MOVED_FOR_NOW,
    304: FetchResult.NOT_MODIFIED,
    307: FetchResult.MOVED_FOR_NOW,
    308: FetchResult.MOVED,
    404: FetchResult.NOT_FOUND,
    410: FetchResult.REMOVED,
}
"""Fetch results by HTTP status; every other status is FAILED (401, 403, 429, 451 and 5xx among them)."""


def fetch_result(http_status: int) -> FetchResult:
    """Return the fetch result of an HTTP status."""
    return HTTP.get(http_status, FetchResult.FAILED)


OUTCOMES: Final[Mapping[FetchResult, Outcome]] = {
    FetchResult.NOT_MODIFIED: Outcome.UNCHANGED,
    FetchResult.IDENTICAL: Outcome.UNCHANGED,
    FetchResult.MOVED: Outcome.MOVED,
    FetchResult.MOVED_FOR_NOW: Outcome.MOVED,
    FetchResult.NOT_FOUND: Outcome.GONE,
    FetchResult.REMOVED: Outcome.GONE,
    FetchResult.FAILED: Outcome.ERROR,
}
"""Outcomes for the schedule by fetch result, before `decide` corrects some; any other result excludes the page."""
OURS: Final = frozenset((FetchResult.REFUSED, FetchResult.TRAPPED, FetchResult.OUT_OF_SCOPE))
"""Fetch results that are the crawler's own decision: the site did not withdraw the page."""


class FetchOutcome(NamedTuple):
    """The result of a fetch, and the facts of the page that its next status depends on."""

    result: FetchResult
    why: str = ""
    """Readable reason: `HTTP 404`, an error; for a redirect, its target."""
    noindex: bool = False
    canonical: str | None = None
    """The canonical URL that the page declares, if that is another page of the site."""
    canonical_indexed: bool = False
    """Whether the canonical page is in the index."""
    lasting: bool = False
    """Whether the visits before have not found the page either, for long."""


class Emit(Enum):
    """The kind of row that the feed gets for a page in this crawl."""

    CONTENT = "content"
    """A row whose status follows from the digest of the main text."""
    UNCHANGED = "unchanged"
    GONE = "gone"
    """A row at the end of the crawl, when all deletions are known."""
    NOTHING = "nothing"


class Decision(NamedTuple):
    """The new state of a page."""

    status: PageStatus
    reason: str | None
    """Readable reason."""
    strikes: int = 0
    emit: Emit = Emit.NOTHING
    delete: bool | None = None
    """True: delete the page; False: cancel an earlier deletion; None: no change."""
    indexable: bool = True
    """Whether an index may hold the page."""
    outcome: Outcome = Outcome.EXCLUDED
    """Outcome of the visit for the schedule; for a page with content the digest decides it."""


def decide(known: Known, fetch_outcome: FetchOutcome) -> Decision:
    """Return the new state of a page from what was `known` and the outcome of the fetch."""
    decision = _decide(known, fetch_outcome)
    outcome = OUTCOMES.get(fetch_outcome.result, Outcome.EXCLUDED)
    if fetch_outcome.result is FetchResult.NOT_FOUND and decision.status is PageStatus.ERROR:
        outcome = Outcome.MISSING
    elif decision.status is PageStatus.DEAD:
        outcome = Outcome.DEAD
    elif fetch_outcome.result is FetchResult.MOVED_FOR_NOW and known.live:
        outcome = Outcome.ERROR  # not confirmed by a second crawl yet, so the page may come back
    elif known.live and _withdrawn(fetch_outcome, decision):
        outcome = Outcome.WITHDRAWN
    return decision._replace(outcome=outcome)


def lasts(history: History, at: dt.datetime) -> bool:
    """Return whether a page that is not found at a visit has not been found for long (`LASTING`).

    The time counts from the first visit that did not find it, since the last one that did may be two weeks earlier.
    """
    if history.missing_since is None or history.misses + 1 < LASTING_VISITS:
        return False
    return at - history.missing_since >= LASTING


def _withdrawn(fetch_outcome: FetchOutcome, decision: Decision) -> bool:
    """Return whether the site has withdrawn a page that is in the feed."""
    if decision.status in GOOD:
        return decision.emit is Emit.GONE  # noindex, or a canonical URL elsewhere
    return decision.status is not PageStatus.ERROR and fetch_outcome.result not in OURS


def _decide(known: Known, fetch_outcome: FetchOutcome) -> Decision:
    why = fetch_outcome.why
    match fetch_outcome.result:
        case FetchResult.PAGE:
            return _found(known, fetch_outcome)
        case FetchResult.NOT_MODIFIED | FetchResult.IDENTICAL:
            emit = Emit.UNCHANGED if known.live else Emit.NOTHING
            return Decision(PageStatus.UNCHANGED, known.reason, emit=emit)
        case FetchResult.MOVED:
            return _ended(known, PageStatus.REDIRECTED, f"to {why} for good")
        case FetchResult.MOVED_FOR_NOW if fetch_outcome.lasting and known.status is PageStatus.REDIRECTED:
            return _ended(known, PageStatus.REDIRECTED, f"to {why} for now, for over two weeks")
        case FetchResult.MOVED_FOR_NOW:
            return Decision(PageStatus.REDIRECTED, f"to {why} for now", delete=False)
        case FetchResult.NOT_FOUND | FetchResult.REMOVED if known.row is None:
            return Decision(PageStatus.DEAD, f"{why}: a dead link, no page was ever found there")
        case FetchResult.REMOVED:
            return _ended(known, PageStatus.GONE, why)
        case FetchResult.NOT_FOUND:
            if known.status is PageStatus.GONE:
                return _ended(known, PageStatus.GONE, why)
            return _suspected(known, PageStatus.ERROR, PageStatus.GONE, why)
        case FetchResult.FORBIDDEN:
            return _suspected(known, PageStatus.EXCLUDED, PageStatus.EXCLUDED, why)
        case FetchResult.OUT_OF_SCOPE:
            return _ended(known, PageStatus.EXCLUDED, why)
        case FetchResult.ERROR_PAGE if fetch_outcome.lasting and known.status is PageStatus.EXCLUDED:
            return _ended(known, PageStatus.EXCLUDED, f"{why}, for over two weeks")
        case FetchResult.TRAPPED if known.duplicate:  # never requested again, its text would take the original's place
            return _ended(known, PageStatus.EXCLUDED, why)
        case FetchResult.REFUSED | FetchResult.TRAPPED | FetchResult.UNUSABLE | FetchResult.ERROR_PAGE:
            return Decision(PageStatus.EXCLUDED, why)
        case FetchResult.FAILED:
            kept = known.strikes if known.status in (PageStatus.ERROR, PageStatus.GONE) else 0
            return Decision(PageStatus.ERROR, why, kept)


def _found(known: Known, fetch_outcome: FetchOutcome) -> Decision:
    """Decide on a page that exists, by its noindex and canonical URL, and by whether it was in the index."""
    reason, index = None, True
    if fetch_outcome.noindex:
        reason, index = NOINDEX, False
    elif fetch_outcome.canonical is not None:
        # A page that is or was in the index leaves it only once its canonical page is in the index.
        reason = f"{CANONICAL}{fetch_outcome.canonical}"
        index = not fetch_outcome.canonical_indexed and (known.indexed or known.deleted)
    if not index and known.indexed:
        return Decision(PageStatus.FETCHED, reason, emit=Emit.GONE, delete=True, indexable=False)
    if not index and known.deleted:
        return Decision(PageStatus.FETCHED, reason, delete=False, indexable=False)
    return Decision(PageStatus.FETCHED, reason, emit=Emit.CONTENT, delete=False, indexable=index)


def _ended(known: Known, status: PageStatus, reason: str) -> Decision:
    """Decide on a page that certainly no longer exists: delete it if it was in the feed."""
    if not known.live:
        return Decision(status, reason, STRIKES)
    return Decision(status, reason, STRIKES, Emit.GONE, delete=True)


def _suspected(known: Known, suspect: PageStatus, ended: PageStatus, why: str) -> Decision:
    """Decide on a page that is deleted only if a second crawl finds the same; without a feed row it ends at once."""
    strikes = known.strikes + 1 if known.status is suspect else 1
    if not known.live or strikes >= STRIKES:
        return _ended(known, ended, why)
    return Decision(suspect, f"{why}, {FIRST_TIME}: {UNTIL_NEXT}", strikes)
