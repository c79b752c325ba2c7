"""A visit of a page, the stored facts that decide on it, and the change that follows. Pure: no SQL, no clock."""

import datetime as dt
from dataclasses import dataclass
from typing import NamedTuple

from sitecrawl.crawl.page_lifecycle import Decision, Emit, FetchOutcome, lasts
from sitecrawl.crawl.page_lifecycle import decide as life_decision
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.links.discovered import Discovered
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.metadata.shared_values import Values
from sitecrawl.page_kind import Kind
from sitecrawl.scheduling import Outcome
from sitecrawl.storage.content_change import ContentChange, changed_content
from sitecrawl.storage.pages import Fetch, PageChange, PageState, PageStatus, Placement
from sitecrawl.storage.records import ContentRecord


@dataclass(frozen=True, slots=True)
class Finds:
    """Data that a page contributes to the site: new URLs, metadata values to count, and anchor texts."""

    found: tuple[Discovered, ...] = ()
    """New URLs."""
    link_texts: tuple[LinkText, ...] = ()
    """Anchor texts of its links to other pages."""
    values: Values | None = None
    """Metadata values to count; None for a page that was counted before."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The outcome of requesting one URL, or of extracting a stored page."""

    fetch: Fetch
    """The current fetch, or the earlier one of a page that is `stored`."""
    fetch_outcome: FetchOutcome
    hub: bool = False
    """Whether the page links to new pages, so that it is visited for its links even if its text never changes."""
    placement: Placement | None = None
    finds: Finds | None = None
    """None without a page, and for a stored page."""
    page: Page | None = None
    """The parsed page, if content was extracted from it."""
    content: ContentRecord | None = None
    """The extracted content; None for a page that waits for its template, and without a page."""
    stored: bool = False
    """Whether an earlier transaction stored the page, so that only its content is new."""
    emit_order: int = 0
    """Position in the feed of an unmodified page."""
    again: bool = False
    """Whether a stored page was only extracted again, so that the decisions of its last fetch remain valid."""
    settles: bool = False
    """Whether a stored page was extracted by the current decision of its layout, and need not be extracted again. If it
    had a row before, any field of the new row may differ."""
    corrected: tuple[str, ...] = ()
    """Fields in which a page that is extracted again counts as different, since an override may have corrected them."""
    counting: frozenset[str] = frozenset()
    """Folded texts of the page's blocks in which a new number does not count as a change (`templates.volatile`)."""
    indexable: bool = False
    """Whether a page that was extracted again may enter the index, although it was not in the index before."""

    @property
    def waits(self) -> bool:
        """Whether the page is stored to be extracted later."""
        return self.finds is not None and self.content is None


class Facts(NamedTuple):
    """The stored facts that decide on a visit."""

    state: PageState
    canonical_indexed: bool = False
    """Whether the canonical page that this one names is in the index."""
    record: ContentRecord | None = None
    """The content to store, with `duplicate_of` set: the extracted one, or the earlier one if the page confirms it."""


class Change(NamedTuple):
    """The rows that a visit changes."""

    page: PageChange
    decision: Decision
    content: ContentChange | None
    """None if the page has no content, or waits for its template."""


def earlier_fetch(item: PageItem, crawl_id: int) -> Fetch:
    """Return the fetch that stored a page earlier, for a visit that only adds or replaces its content."""
    return Fetch(
        url_key=item.url_key,
        url=item.url,
        status=PageStatus.FETCHED,
        reason=None,
        http_status=item.http_status,
        depth=item.depth,
        crawl_id=crawl_id,
        fetch_order=0,
        etag=None,
        last_modified=None,
        fetched_at=item.fetched_at,
        html=None,
        sample=item.sample,
        discovery=0,
    )


def decide(facts: Facts, visit: Visit, schedule: Schedule | None) -> Change:
    """Return the change that a visit makes. A pure function: no SQL, no clock."""
    state, fetch = facts.state, visit.fetch
    decision = status_decision(facts, visit)
    content = None
    if facts.record is not None and decision.emit is Emit.CONTENT:
        content = changed_content(state, facts.record, index=decision.indexable)
    outcome, hub = decision.outcome, visit.hub
    if content is not None:
        outcome, hub = Outcome(content.status), hub or content.record.kind == Kind.LISTING
    plan = None
    if schedule is not None and not visit.waits and not visit.again:
        at, key, not_before = fetch.fetched_at, fetch.url_key, fetch.not_before
        plan = schedule.plan(state.history, outcome, at, key, hub=hub, not_before=not_before)
    decided = fetch._replace(
        status=decision.status, reason=decision.reason, strikes=decision.strikes, delete=decision.delete
    )
    page = PageChange(
        fetch.url_key,
        state,
        None if visit.stored else decided,
        visit.placement,
        plan,
        status=PageStatus.UNCHANGED if content is not None and content.status == RowStatus.UNCHANGED else None,
        changed_at=_changed_at(visit, outcome),
        surveyed=visit.finds is not None and visit.finds.values is not None,
        settled=visit.settles,
    )
    return Change(page, decision, content)


def _changed_at(visit: Visit, outcome: Outcome) -> dt.datetime | None:
    """Return the time at which the content of a page was found changed; None if it was not."""
    if visit.again and visit.content is not None:
        return visit.content.extracted_at if outcome is Outcome.CHANGED else None
    return visit.fetch.fetched_at if outcome in (Outcome.NEW, Outcome.CHANGED) else None


def status_decision(facts: Facts, visit: Visit) -> Decision:
    """Return the decision about the status, the feed row and the index entry of the visited page."""
    known = facts.state.known
    if visit.again:
        emit = Emit.NOTHING if known.deleted else Emit.CONTENT
        index = visit.indexable or known.indexed
        return Decision(known.status, known.reason, known.strikes, emit, indexable=index)
    lasting = lasts(facts.state.history, visit.fetch.fetched_at)
    fetch_outcome = visit.fetch_outcome._replace(canonical_indexed=facts.canonical_indexed, lasting=lasting)
    return life_decision(known, fetch_outcome)
