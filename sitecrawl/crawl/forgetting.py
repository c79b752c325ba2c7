"""Forgets a website that nobody crawls."""

from typing import NamedTuple

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.errors import UnknownSiteError
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository


class Forgotten(NamedTuple):
    """The result of forgetting a site."""

    urls: int
    told: bool
    """Whether indexes are to be told."""


def forget_site(session: Session, config: Config, host: str) -> Forgotten:
    """Delete everything about a site; its deletion waits for the indexes.

    Raises UnknownSiteError, and SiteLeasedError while another process crawls it.
    """
    sites = SiteRepository(session)
    site = sites.get(host)
    if site is None:
        raise UnknownSiteError(f"{host}: the database holds nothing about this site; see: sitecrawl sites list")
    sites.lease(site.id, new_owner(), now(), config.lease_seconds)  # so that nobody crawls it meanwhile
    urls = sum(PageRepository(session).counts(site.id).values())
    sites.forget(host, now())
    return Forgotten(urls, bool(Outbox(session).sinks()))
