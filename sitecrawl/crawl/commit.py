"""One visit, one transaction: read once, decide purely, write each row once.

The writer runs `store`: it reads the stored state of a page, lets `visit_decision` compute the change, and writes that.
It may run twice, since a group of operations is repeated one by one if one of them fails; so it changes nothing but the
database. The crawl's memory of a visit follows the commit (`page_store`, `visits`).
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sitecrawl.crawl.change_detection import confirmed, in_doubt, with_stored_kind, with_stored_numbers
from sitecrawl.crawl.page_lifecycle import Decision, Emit
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.crawl.visit_decision import Change, Facts, Finds, Visit, decide, status_decision
from sitecrawl.errors import DamagedBodyError
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.anchor_texts import LinkTextRepository, Settled
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.content_change import FEED_FIELDS, ContentChange
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.duplicates import DuplicateRepository, Text
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import Fetch, PageRepository, PageState, PageStatus
from sitecrawl.storage.records import ContentRecord, StoredContent, withheld
from sitecrawl.storage.site_values import SiteValueRepository

logger = logging.getLogger(__name__)


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


def store(session: Session, rules: Rules, visit: Visit) -> tuple[Decision, StoredContent | None]:
    """Store a visit; return the decision, and the content for the feed, None if the page has no row in it."""
    facts = _read(session, rules, visit)
    change = decide(facts, visit, rules.schedule)
    _write(session, rules, visit, change, facts.state)
    return change.decision, _feed_content(session, rules, visit, change)


def _read(session: Session, rules: Rules, visit: Visit) -> Facts:
    """Read the facts that decide on a visit: one statement for the page, more only if another page matters."""
    site_id, key, canonical = rules.site_id, visit.fetch.url_key, visit.fetch_outcome.canonical
    facts = Facts(PageRepository(session).state(site_id, key, content=visit.content is not None))
    if canonical is not None:
        indexed = ContentRepository(session).indexed(site_id, url_key(canonical))
        facts = facts._replace(canonical_indexed=indexed)
    decision, old = status_decision(facts, visit), facts.state.content
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
