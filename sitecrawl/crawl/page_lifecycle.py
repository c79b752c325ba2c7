"""The life of a page: what its state becomes by what a fetch gave, and what follows for feed and index.

One pure function, `decide`. The policy of deletions is ECOSYSTEM C.4: 410 deletes; 404, and a robots.txt that forbids
the page, delete when the next crawl finds the same; a permanent redirect moves; noindex and a canonical URL elsewhere
delete; failures of server or network, and pages that merely were not seen, never do. A URL that answers 404 or 410 and
of which the feed never had a row is a dead link: nothing is deleted, and it is tried again rarely.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from sitecrawl.scheduling import Outcome
from sitecrawl.storage.duplicates import CANONICAL, NOINDEX
from sitecrawl.storage.page_state import Known
from sitecrawl.storage.pages import PageStatus

STRIKES: Final = 2
"""Crawls in a row that must find a page missing or forbidden before it is deleted (ECOSYSTEM C.4)."""
FIRST_TIME: Final = "for the first time"
UNTIL_NEXT: Final = "deleted if the next crawl finds the same"
"""How the reason ends of a page that one crawl found missing or forbidden."""


class Answer(Enum):
    """What a fetch gave."""

    PAGE = "page"
    NOT_MODIFIED = "not modified"
    MOVED = "moved"
    MOVED_FOR_NOW = "moved for now"
    NOT_FOUND = "not found"
    REMOVED = "removed"
    FORBIDDEN = "forbidden"
    """By robots.txt."""
    REFUSED = "refused"
    """Never sent: the URL leads where a crawl may not go."""
    UNUSABLE = "unusable"
    """An answer that holds no page: empty, too large, no HTML."""
    FAILED = "failed"
    """No answer, or one that speaks of the server and not of the page."""


HTTP: Final[Mapping[int, Answer]] = {
    200: Answer.PAGE,
    201: Answer.PAGE,
    203: Answer.PAGE,
    204: Answer.UNUSABLE,
    205: Answer.UNUSABLE,
    206: Answer.FAILED,
    301: Answer.MOVED,
    302: Answer.MOVED_FOR_NOW,
    303: Answer.MOVED_FOR_NOW,
    304: Answer.NOT_MODIFIED,
    307: Answer.MOVED_FOR_NOW,
    308: Answer.MOVED,
    404: Answer.NOT_FOUND,
    410: Answer.REMOVED,
}
"""What an HTTP status says of a page; every other one is FAILED (401, 403, 429, 451 and 5xx among them)."""


def answer(http_status: int) -> Answer:
    """Return what an HTTP status says of a page."""
    return HTTP.get(http_status, Answer.FAILED)


OUTCOMES: Final[Mapping[Answer, Outcome]] = {
    Answer.NOT_MODIFIED: Outcome.UNCHANGED,
    Answer.MOVED: Outcome.MOVED,
    Answer.MOVED_FOR_NOW: Outcome.MOVED,
    Answer.NOT_FOUND: Outcome.GONE,
    Answer.REMOVED: Outcome.GONE,
    Answer.FAILED: Outcome.ERROR,
}
"""What a fetch is for the schedule, unless `decide` knows better; every other answer excludes the page."""


class Finding(NamedTuple):
    """What a fetch gave, with what decides beside it."""

    answer: Answer
    why: str = ""
    """For people: `HTTP 404`, an error; of a redirect, where it leads."""
    noindex: bool = False
    canonical: str | None = None
    """The URL that the page names as its canonical one, when that is another page of the site."""
    canonical_indexed: bool = False
    """Whether that one is in the index."""


class Emit(Enum):
    """What the feed says of a page in this crawl."""

    CONTENT = "content"
    """A row whose status the digest of the main text gives."""
    UNCHANGED = "unchanged"
    GONE = "gone"
    """At the end of the crawl, when all deletions are known."""
    NOTHING = "nothing"


class Decision(NamedTuple):
    """What becomes of a page."""

    status: PageStatus
    reason: str | None
    """For people."""
    strikes: int = 0
    emit: Emit = Emit.NOTHING
    delete: bool | None = None
    """True: delete it; False: an earlier decision to delete it no longer holds; None: that stays as it was."""
    indexable: bool = True
    """Whether an index may hold it."""
    outcome: Outcome = Outcome.EXCLUDED
    """What the visit is for the schedule; of a page with content, that is for its digest to say."""


def decide(known: Known, finding: Finding) -> Decision:
    """Return what becomes of a page that was `known` in some state, and of which a fetch gave `finding`."""
    decision = _decide(known, finding)
    outcome = OUTCOMES.get(finding.answer, Outcome.EXCLUDED)
    if finding.answer is Answer.NOT_FOUND and decision.status is PageStatus.ERROR:
        outcome = Outcome.MISSING
    elif decision.status is PageStatus.DEAD:
        outcome = Outcome.DEAD
    elif finding.answer is Answer.MOVED_FOR_NOW and known.live:
        outcome = Outcome.ERROR  # it will be back
    return decision._replace(outcome=outcome)


def _decide(known: Known, finding: Finding) -> Decision:
    why = finding.why
    match finding.answer:
        case Answer.PAGE:
            return _found(known, finding)
        case Answer.NOT_MODIFIED:
            emit = Emit.UNCHANGED if known.live else Emit.NOTHING
            return Decision(PageStatus.UNCHANGED, known.reason, emit=emit)
        case Answer.MOVED:
            return _ended(known, PageStatus.REDIRECTED, f"to {why} for good")
        case Answer.MOVED_FOR_NOW:
            return Decision(PageStatus.REDIRECTED, f"to {why} for now", delete=False)
        case Answer.NOT_FOUND | Answer.REMOVED if known.row is None:
            return Decision(PageStatus.DEAD, f"{why}: a dead link, no page was ever found there")
        case Answer.REMOVED:
            return _ended(known, PageStatus.GONE, why)
        case Answer.NOT_FOUND:
            if known.status is PageStatus.GONE:
                return _ended(known, PageStatus.GONE, why)
            return _suspected(known, PageStatus.ERROR, PageStatus.GONE, why)
        case Answer.FORBIDDEN:
            return _suspected(known, PageStatus.EXCLUDED, PageStatus.EXCLUDED, why)
        case Answer.REFUSED | Answer.UNUSABLE:
            return Decision(PageStatus.EXCLUDED, why)
        case Answer.FAILED:
            kept = known.strikes if known.status in (PageStatus.ERROR, PageStatus.GONE) else 0
            return Decision(PageStatus.ERROR, why, kept)


def _found(known: Known, finding: Finding) -> Decision:
    """Decide on a page that is there, by whether an index may hold it, and whether one did."""
    reason, index = None, True
    if finding.noindex:
        reason, index = NOINDEX, False
    elif finding.canonical is not None:
        # Until the canonical page is in the index, a page that an index holds or held is not given up for it.
        reason = f"{CANONICAL}{finding.canonical}"
        index = not finding.canonical_indexed and (known.indexed or known.deleted)
    if not index and known.indexed:
        return Decision(PageStatus.FETCHED, reason, emit=Emit.GONE, delete=True, indexable=False)
    if not index and known.deleted:
        return Decision(PageStatus.FETCHED, reason, delete=False, indexable=False)
    return Decision(PageStatus.FETCHED, reason, emit=Emit.CONTENT, delete=False, indexable=index)


def _ended(known: Known, status: PageStatus, reason: str) -> Decision:
    """Decide on a page whose end is certain."""
    if not known.live:
        return Decision(status, reason, STRIKES)
    return Decision(status, reason, STRIKES, Emit.GONE, delete=True)


def _suspected(known: Known, suspect: PageStatus, ended: PageStatus, why: str) -> Decision:
    """Decide on a page whose end one crawl alone does not prove; a page without a row has nothing to lose."""
    strikes = known.strikes + 1 if known.status is suspect else 1
    if not known.live or strikes >= STRIKES:
        return _ended(known, ended, why)
    return Decision(suspect, f"{why}, {FIRST_TIME}: {UNTIL_NEXT}", strikes)
