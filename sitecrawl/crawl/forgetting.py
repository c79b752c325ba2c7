"""Deletes everything about a website that no process crawls."""

from typing import NamedTuple

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.named_sites import named_site
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository


class Forgotten(NamedTuple):
    """The result of forgetting a site."""

    host: str
    urls: int
    queued: bool
    """Whether there are sinks, to which the deletion is delivered."""


def forget_site(session: Session, config: Config, name: str) -> Forgotten:
    """Delete everything about the site of a host or a URL; its deletion is queued for the sinks.

    Raises UnknownSiteError if it is not stored, and SiteLeasedError while another process crawls it.
    """
    sites = SiteRepository(session)
    site = named_site(session, name, "host")  # a host of a domain must not select the whole domain here
    sites.lease(site.id, new_owner(), now(), config.lease_seconds)  # so that nobody crawls it meanwhile
    urls = sum(PageRepository(session).counts(site.id).values())
    sites.forget(site.host, now())
    return Forgotten(site.host, urls, bool(SinkRepository(session).all()))
