"""The end of a crawl: carries out deletions, or holds them if they are implausibly many."""

import datetime as dt
from collections.abc import Collection, Iterable
from typing import NamedTuple

from sitecrawl.config import Config
from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.page_lifecycle import MOVED
from sitecrawl.items import ContentItem
from sitecrawl.links.closed_trap import TRAP
from sitecrawl.links.crawl_rules import OUT_OF_SCOPE
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import RELEASE, CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.deletions import Deletion, DeletionRepository
from sitecrawl.storage.duplicates import DuplicateRepository
from sitecrawl.storage.named_sites import named_site
from sitecrawl.storage.overtaken_originals import restore_originals
from sitecrawl.storage.records import CANONICAL
from sitecrawl.storage.sites import SiteRepository


class Conclusion(NamedTuple):
    """The numbers of deletions that the end of a crawl carried out, and held."""

    deleted: int
    held: int
    live: int
    """Number of pages when the crawl began."""
    emit_order: int
    """Last position in the feed."""


def too_many(deletions: int, live: int, config: Config) -> bool:
    """Return whether this number of deletions among `live` pages looks like a fault of the site."""
    return deletions > max(config.deletions_free, config.deletions_share * live)


def conclude(
    session: Session,
    site_id: int,
    crawl_id: int,
    emit_order: int,
    config: Config,
    now: dt.datetime,
    replaced: Iterable[str] = (),
) -> Conclusion:
    """Carry out the deletions of this crawl and earlier ones, or hold them if they are too many.

    Deletions that the site asks for wait until a crawl finds a page that stays: a site that is down may say "gone" too,
    and crawls of a few due pages would delete it bit by bit. Pages that moved with their text are deleted in any case:
    nothing is lost. So are duplicates in closed traps, before new originals are chosen: nobody visits them again.

    A page that names a canonical page is indexed if the canonical page is not in the index either, so that each text is
    indexed once. `replaced` are URLs of pages that this crawl extracted twice, and whose feed row changed.
    """
    deletions, duplicates = DeletionRepository(session), DuplicateRepository(session)
    for one in deletions.unindexed(site_id, CANONICAL):
        target = (one.reason or "").removeprefix(CANONICAL)
        if ContentRepository(session).indexed(site_id, url_key(target)):
            duplicates.follow(site_id, one.url_key, target)
        else:
            duplicates.adopt(site_id, one.url_key, now)
    live, repeated = deletions.live(site_id, crawl_id), deletions.repeated(site_id, TRAP)
    emit_order = deletions.carry_out(site_id, repeated, crawl_id, emit_order, now)
    emit_order = duplicates.review(site_id, crawl_id, emit_order, now, replaced)
    emit_order = restore_originals(session, site_id, crawl_id, emit_order, now)
    moved = _moved(session, site_id, deletions.pending(site_id))
    emit_order = deletions.carry_out(site_id, moved, crawl_id, emit_order, now)
    pending = deletions.pending(site_id)
    if too_many(len(pending), live, config):
        return Conclusion(len(repeated) + len(moved), len(pending), live, emit_order)
    sure = deletions.any_stays(site_id, crawl_id)
    keys = [one.url_key for one in pending if sure or (one.reason or "").startswith(OUT_OF_SCOPE)]
    order = deletions.carry_out(site_id, keys, crawl_id, emit_order, now)
    return Conclusion(len(repeated) + len(moved) + len(keys), 0, live, order)


def _moved(session: Session, site_id: int, pending: Iterable[Deletion]) -> list[int]:
    """Return the pages to be deleted that redirect permanently to a page with the same text."""
    targets = {one.url_key: url_key(found[1]) for one in pending if (found := MOVED.fullmatch(one.reason or ""))}
    digests = DeletionRepository(session).digests(site_id, {*targets, *targets.values()})
    return [key for key, target in targets.items() if key in digests and digests[key] == digests.get(target)]


class Released(NamedTuple):
    """The result of releasing the held deletions of a site."""

    rows: list[ContentItem]
    """Feed rows of the deleted pages, including those of an earlier release that was not recorded as ended."""
    crawl_id: int | None
    """Crawl to record as ended (`end_releases`) once the rows are in a feed; None if a resumed crawl will emit them."""


def release(config: Config, host: str, owner: str, now: dt.datetime) -> Released:
    """Carry out the held deletions of a site.

    Raises UnknownSiteError for a host that is not in the database, SiteLeasedError while the site is crawled,
    StorageError for the database. An interrupted crawl keeps its own deletions until it is finished.
    """
    engine = open_database(config.database_url, config.body_store)
    try:
        with session_scope(engine) as session:
            sites, crawls, deletions = SiteRepository(session), CrawlRepository(session), DeletionRepository(session)
            site = named_site(session, host, config.site_scope)
            sites.lease(site.id, owner, now, config.lease_seconds)
            latest = crawls.latest(site.id)
            running = latest.id if latest is not None and latest.finished_at is None else None
            held = [one for one in deletions.pending(site.id) if one.crawl_id != running]
            interrupted = latest is not None and latest.reason == RELEASE and latest.stats is None
            if latest is None or not (held or interrupted):
                sites.release(site.id, owner)
                return Released([], None)
            number = running or crawls.begin_finished(site.id, now, RELEASE)
            contents = ContentRepository(session)
            before = contents.last_emitted(site.id, number)
            deletions.carry_out(site.id, [one.url_key for one in held], number, before, now)
            emitted = contents.emitted(site.id, number, after=before if running else 0)
            rows = [feed_item(row, site.host, with_markdown=config.content_markdown) for row in emitted]
            sites.release(site.id, owner)
            return Released(rows, None if running else number)
    finally:
        engine.dispose()


def end_releases(config: Config, crawl_ids: Collection[int], now: dt.datetime) -> None:
    """Record crawls of releases as ended, since their rows are in a feed. Raises StorageError."""
    engine = open_database(config.database_url, config.body_store)
    try:
        with session_scope(engine) as session:
            for number in crawl_ids:
                CrawlRepository(session).finish(number, now, RELEASE, {})
    finally:
        engine.dispose()
