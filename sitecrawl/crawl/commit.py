"""One visit, one transaction: read once, decide purely, write each row once.

The writer runs `store`: it reads the stored state of a page, lets `decide` compute the change, and writes that. It may
run twice, since a group of operations is repeated one by one if one of them fails; so it changes nothing but the
database. The crawl's memory of a visit follows the commit (`page_store`, `visits`).
"""

import datetime as dt
import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from sitecrawl.crawl.change_detection import confirmed, in_doubt, with_stored_kind, with_stored_numbers
from sitecrawl.crawl.page_lifecycle import Decision, Emit, FetchOutcome, lasts
from sitecrawl.crawl.page_lifecycle import decide as life_decision
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError
from sitecrawl.items import PageItem
from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.metadata.shared_values import Values
from sitecrawl.page_kind import Kind
from sitecrawl.scheduling import Outcome
from sitecrawl.storage.anchor_texts import LinkTextRepository, Settled
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.contents import FEED_FIELDS, ContentChange, ContentRepository, changed_content
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.duplicates import DuplicateRepository, Text
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import Fetch, PageChange, PageRepository, PageState, PageStatus, Placement
from sitecrawl.storage.records import ContentRecord, StoredContent, withheld
from sitecrawl.storage.site_values import SiteValueRepository

logger = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True)
class Rules:
    """The site, crawl and settings that apply to all visits of a crawl."""

    site_id: int
    crawl_id: int
    schedule: Schedule | None
    """None if no visits are planned, since pages are only extracted again."""
    settled: Settled
    """Anchor texts that are already stored and need not be looked up."""
    max_nodes: int
    store_bodies: bool
    keep_body: bool
    """Whether the body of a page is kept after its extraction."""
    emit_unchanged: bool = False


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


def store(session: Session, rules: Rules, visit: Visit) -> tuple[Decision, StoredContent | None]:
    """Store a visit; return the decision, and the content for the feed, None if the page has no row in it."""
    facts = _read(session, rules, visit)
    change = decide(facts, visit, rules.schedule)
    _write(session, rules, visit, change, facts.state)
    return change.decision, _feed_content(session, rules, visit, change)


def decide(facts: Facts, visit: Visit, schedule: Schedule | None) -> Change:
    """Return the change that a visit makes. A pure function: no SQL, no clock."""
    state, fetch = facts.state, visit.fetch
    decision = _decision(facts, visit)
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


def _decision(facts: Facts, visit: Visit) -> Decision:
    known = facts.state.known
    if visit.again:
        emit = Emit.NOTHING if known.deleted else Emit.CONTENT
        index = visit.indexable or known.indexed
        return Decision(known.status, known.reason, known.strikes, emit, indexable=index)
    lasting = lasts(facts.state.history, visit.fetch.fetched_at)
    fetch_outcome = visit.fetch_outcome._replace(canonical_indexed=facts.canonical_indexed, lasting=lasting)
    return life_decision(known, fetch_outcome)


def _read(session: Session, rules: Rules, visit: Visit) -> Facts:
    """Read the facts that decide on a visit: one statement for the page, more only if another page matters."""
    site_id, key, canonical = rules.site_id, visit.fetch.url_key, visit.fetch_outcome.canonical
    facts = Facts(PageRepository(session).state(site_id, key, content=visit.content is not None))
    if canonical is not None:
        indexed = ContentRepository(session).indexed(site_id, url_key(canonical))
        facts = facts._replace(canonical_indexed=indexed)
    decision, old = _decision(facts, visit), facts.state.content
    if visit.content is None or decision.emit is not Emit.CONTENT:
        return facts
    if visit.again and old is not None and _same(old, visit.content, FEED_FIELDS if visit.settles else visit.corrected):
        return facts
    record = _confirmed(session, rules, visit, visit.content, facts.state)
    if record.text and canonical is not None and not decision.indexable:
        kept = old.duplicate_of if old is not None and old.digest == record.digest else None  # until `conclude`
        original = url_id(canonical) if facts.canonical_indexed else kept
    else:
        original = _repeated(session, site_id, record)
    return facts._replace(record=replace(record, duplicate_of=original))


def _same(old: ContentRecord, new: ContentRecord, fields: Iterable[str]) -> bool:
    """Return whether a page that was extracted again has the same text, kind and values of `fields`."""
    return all(getattr(old, one) == getattr(new, one) for one in ("digest", "kind", *fields))


def _repeated(session: Session, site_id: int, record: ContentRecord) -> str | None:
    """Return the id of the page whose text a content repeats, if there is one."""
    text = Text(record.url_key, record.digest, record.simhash, len(record.text), record.title)
    return DuplicateRepository(session).original(site_id, text)


def _confirmed(session: Session, rules: Rules, visit: Visit, made: ContentRecord, state: PageState) -> ContentRecord:
    """Return the content to store: that of the last crawl if the old and the new page confirm it, else `made`."""
    if visit.counting:
        made = with_stored_numbers(state, made)
    if not visit.again:
        made = with_stored_kind(state, made)
    if visit.page is None or not in_doubt(state, made) or (visit.stored and not rules.store_bodies):
        return made
    try:
        before = LayoutRepository(session).previous(rules.site_id, made.url_key)
    except DamagedBodyError as error:  # this visit replaces it
        logger.warning("%s", error)
        return made
    return confirmed(state, made, visit.page, before, rules.max_nodes, visit.counting)


def _write(session: Session, rules: Rules, visit: Visit, change: Change, state: PageState) -> None:
    site_id, key, fetch = rules.site_id, visit.fetch.url_key, change.page.fetch
    pages, layouts = PageRepository(session), LayoutRepository(session)
    keep_body = rules.keep_body or change.content is None
    if visit.waits and state.stored:
        layouts.keep_previous(site_id, key)
    pages.write(site_id, change.page)
    if fetch is not None:
        BodyRepository(session).put(site_id, fetch if keep_body else fetch._replace(html=None))
    if visit.finds is not None:
        _write_finds(session, rules, visit.fetch, visit.finds, state)
    if visit.stored and not visit.again:
        layouts.drop_previous(site_id, key)
    if change.content is not None:
        ContentRepository(session).write(site_id, change.content, state.content)
        if not rules.keep_body:
            BodyRepository(session).drop(site_id, key)


def _write_finds(session: Session, rules: Rules, fetch: Fetch, finds: Finds, state: PageState) -> None:
    site_id = rules.site_id
    if finds.values is not None and not state.surveyed:
        SiteValueRepository(session).count(site_id, finds.values)
    texts = LinkTextRepository(session, rules.settled)
    texts.record(site_id, fetch.url_key, finds.link_texts, first=state.known.status is PageStatus.DISCOVERED)
    PageRepository(session).discover(site_id, finds.found, fetch.fetched_at)


def _earlier(session: Session, rules: Rules, change: ContentChange) -> str | None:
    """Return the text of a changed page before this crawl; None for other pages."""
    if change.replaced is not None or change.status != RowStatus.CHANGED:
        return change.replaced.text if change.replaced is not None else None
    stored = ContentRepository(session).get(rules.site_id, change.record.url_key)  # extracted again in one crawl
    return stored.earlier if stored is not None else None


def _feed_content(session: Session, rules: Rules, visit: Visit, change: Change) -> StoredContent | None:
    """Return the content for the feed row of a page; None if the page gets no row."""
    fetch, content = visit.fetch, change.content
    if content is not None:
        of, earlier = content.record.duplicate_of, _earlier(session, rules, content)
        about = (fetch.url, fetch.http_status, fetch.depth, fetch.fetched_at, earlier)
        noindex = withheld(indexed=content.indexed, duplicate_of=of, reason=change.decision.reason)
        return StoredContent(content.record, content.status, *about, noindex=noindex)
    if change.decision.emit is not Emit.UNCHANGED:
        return None
    contents = ContentRepository(session)
    contents.unchanged(rules.site_id, fetch.url_key, rules.crawl_id, visit.emit_order)
    return contents.get(rules.site_id, fetch.url_key) if rules.emit_unchanged else None
