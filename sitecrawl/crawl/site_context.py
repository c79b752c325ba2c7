"""Loads the stored data of a page's site, for commands that extract a single page outside a crawl."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from sitecrawl.config import Config
from sitecrawl.crawl.counted_blocks import stored_flats
from sitecrawl.crawl.extraction import new_learning, page_comparison
from sitecrawl.crawl.warm_start import restore
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError, UnknownSiteError
from sitecrawl.extractors.base import Extractor, Need, SiteContext
from sitecrawl.links.comparison import StoredKeys, site_sample
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import url_key
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.address import parse_address, sqlite_path
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.named_sites import named_site, site_hosts
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.sites import SiteRef, SiteRepository


class StoredSite(NamedTuple):
    """The stored data of a page's site that extraction and metadata use."""

    context: SiteContext
    values: SiteValues


def stored_site(config: Config, page: Page, extractor: Extractor, host: str | None = None) -> StoredSite | None:
    """Return the stored data of a page's site; None if there is none.

    The site is that of `host` (a host or a URL), or else that of the page's URL. A missing database is no error without
    `host`, and is not created. Raises UnknownSiteError if the given `host` is not stored, ConfigError for an unusable
    URL, StorageError for the database, LabelRuleError for a template of another version.
    """
    path = sqlite_path(parse_address(config.database_url))
    hosts = site_hosts(host, config.site_scope) if host is not None else _hosts(page.url)
    if path is not None and not path.exists():
        hosts = []
    known = _stored(config, hosts, page, extractor, host) if hosts else None
    if known is None and host is not None:
        raise UnknownSiteError(f"{hosts[0] if hosts else host}: no template is stored; see: sitecrawl template list")
    return known


def _stored(config: Config, hosts: list[str], page: Page, extractor: Extractor, named: str | None) -> StoredSite | None:
    """Return the stored data of a site. Raises UnknownSiteError, with similar sites, if `named` is not stored."""
    engine = open_database(config.database_url, config.body_store)
    try:
        with session_scope(engine, write=False) as session:
            scope, sites = config.site_scope, SiteRepository(session)
            site = sites.first(hosts) if named is None else named_site(session, named, scope)
            context = _context(session, site, config, page, extractor) if site is not None else None
            if site is None or context is None:
                return None
            return StoredSite(context, SiteValues(SiteValueRepository(session).used(site.id)))
    finally:
        engine.dispose()


def _hosts(url: str) -> list[str]:
    """Return the keys under which the site of a URL may be stored; none for a file."""
    try:
        return list(dict.fromkeys(SiteScope.of(url, scope).key for scope in ("host", "domain")))
    except ConfigError:
        return []


def _context(session: Session, site: SiteRef, config: Config, page: Page, extractor: Extractor) -> SiteContext | None:
    learning = new_learning(config, extractor)
    restore(lambda operation: operation(session), site.id, learning)
    if not learning.published:
        return None
    pages = BodyRepository(session)
    own = pages.stored(site.id, url_key(page.url)) if page.url.startswith("http") else None
    layout = learning.find(page)
    if layout is None and own is not None:  # it matches no layout any more, but the crawl placed it in one
        layout = own.layout
    neighbours: tuple[FlatDom, ...] = ()
    if Need.NEIGHBOURS in extractor.needs:
        stored = StoredKeys.of(pages.fetched(site.id))
        size: int = getattr(extractor, "sample_size", 0)
        if size:
            neighbours = _flats(pages, site, config, site_sample(stored.known), size)
        else:
            compared = page_comparison(page, url_key(page.url), site.start_url, config, extractor, stored)
            needed = compared.needed_links
            links = RevisitRepository(session).links_of(site.id, needed) if needed else {}
            neighbours = _flats(pages, site, config, compared.keys(links), compared.size)
    return SiteContext(
        template=learning.template_of(layout),
        blocks=learning.blocks_of(layout),
        neighbours=neighbours,
        learned=own is not None and bool(own.learned_version),
        decision=learning.decision_of(layout),
        volatile=learning.volatile_of(layout, url_key(page.url) if own is not None else 0),
    )


def _flats(pages: BodyRepository, site: SiteRef, config: Config, keys: Iterable[int], most: int) -> tuple[FlatDom, ...]:
    """Return the columns of the first `most` of these pages that are stored and can be read."""
    return tuple(islice(stored_flats(pages, site.id, config, keys), most))
