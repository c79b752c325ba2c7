"""The end of a crawl: what is to be deleted is deleted, or held when it is too much to be true."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from sitecrawl.config import Config
from sitecrawl.crawl.content import feed_item
from sitecrawl.errors import UnknownSiteError
from sitecrawl.items import ContentItem
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.duplicates import CANONICAL, DuplicateRepository
from sitecrawl.storage.sites import SiteRepository


class Conclusion(NamedTuple):
    """What the end of a crawl deleted, or held."""

    deleted: int
    held: int
    live: int
    """Pages the site had when the crawl began."""
    emit_order: int
    """Last place in the feed."""


def too_many(deletions: int, live: int, config: Config) -> bool:
    """Say whether so many deletions of a site that had `live` pages are rather a fault of the site than its will."""
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
    """Delete what this crawl found to be deleted, and what was held before, unless that is too much: then hold it.

    Pages that an index does not hold because they name a canonical page are given to it when it does not hold that
    page either: each text is held once. `replaced` are URLs of pages that this crawl extracted
    twice, and not to the same end.
    """
    deletions, duplicates = DeletionRepository(session), DuplicateRepository(session)
    for one in deletions.unindexed(site_id, CANONICAL):
        target = (one.reason or "").removeprefix(CANONICAL)
        if ContentRepository(session).indexed(site_id, url_key(target)):
            duplicates.follow(site_id, one.url_key, target)
        else:
            duplicates.adopt(site_id, one.url_key, now)
    emit_order = duplicates.review(site_id, crawl_id, emit_order, now, replaced)
    pending, live = deletions.pending(site_id), deletions.live(site_id, crawl_id)
    if too_many(len(pending), live, config):
        return Conclusion(0, len(pending), live, emit_order)
    keys = [one.url_key for one in pending]
    order = deletions.carry_out(site_id, keys, crawl_id, emit_order, now)
    return Conclusion(len(keys), 0, live, order)


def release(config: Config, host: str, owner: str, now: dt.datetime) -> list[ContentItem]:
    """Carry out the deletions of a site that were held; return their feed rows.

    Raises UnknownSiteError for a host that is not in the database, SiteLeasedError while the site is crawled,
    StorageError for the database. A crawl that was interrupted keeps its own deletions until it is done.
    """
    engine = open_database(config.database_url)
    try:
        with session_scope(engine) as session:
            sites, crawls, deletions = SiteRepository(session), CrawlRepository(session), DeletionRepository(session)
            site = sites.get(host)
            if site is None:
                raise UnknownSiteError(f"{host}: the database holds nothing about this site; see: template list")
            sites.lease(site.id, owner, now, config.lease_seconds)
            latest = crawls.latest(site.id)
            running = latest.id if latest is not None and latest.finished_at is None else None
            held = [one for one in deletions.pending(site.id) if one.crawl_id != running]
            if latest is None or not held:
                sites.release(site.id, owner)
                return []
            contents = ContentRepository(session)
            before = contents.last_emitted(site.id, latest.id)
            deletions.carry_out(site.id, [one.url_key for one in held], latest.id, before, now)
            rows = [feed_item(row, site.host) for row in contents.emitted(site.id, latest.id, after=before)]
            sites.release(site.id, owner)
            return rows
    finally:
        engine.dispose()
