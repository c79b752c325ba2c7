"""The stored data of a site, read in one transaction when a crawl opens it.

Lists that grow with the site, such as its URLs, are read separately, one after the other, so that memory holds only one
at a time.
"""

from typing import NamedTuple

from sitecrawl.config import Config
from sitecrawl.crawl.key_sets import KeyTable
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.crawl.site_statistics import SiteStatistics
from sitecrawl.storage.closed import ClosedRepository, StoredClosed
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.hosts import HostRepository, StoredFailure, StoredHost
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository


class StoredSite(NamedTuple):
    """The stored data of a site, without its URLs and templates."""

    reach: str | None
    """Addresses that the start host may resolve to (`addresses.Reach`); None until that is decided."""
    answered: bool
    """Whether a server has ever answered a request of this site, although `reach` is not decided."""
    statistics: SiteStatistics
    schedule: Schedule
    unanswered: list[tuple[int, str, str | None]]
    """(url_key, URL, reason) of the pages without a response at their last visit."""
    last_discovery: int
    closed: list[StoredClosed]
    """Closed traps."""
    home: str | None
    """The netloc with most of the pages; None without pages."""
    hosts: list[StoredHost]
    """Hosts that fail or asked the crawler to wait."""
    suspended: list[StoredFailure]
    """Pages that wait for such a host."""


def stored_site(
    session: Session, config: Config, site_id: int, crawl_id: int, keys: KeyTable, *, due: bool
) -> StoredSite:
    """Return the stored data of a site for a crawl, which visits only due pages if `due`.

    `keys` is the table of the crawl's sets of URL keys.

    Raises ConfigError if the intervals of the site and of the settings contradict each other.
    """
    pages, hosts = PageRepository(session), HostRepository(session)
    reach = SiteRepository(session).reach(site_id)
    return StoredSite(
        reach,
        answered=reach is None and pages.answered(site_id),
        statistics=SiteStatistics(session, site_id, keys),
        schedule=Schedule(session, config, site_id, crawl_id, due=due),
        unanswered=pages.unanswered(site_id),
        last_discovery=pages.last_discovery(site_id),
        closed=ClosedRepository(session).all(site_id),
        home=hosts.home(site_id),
        hosts=hosts.all(site_id),
        suspended=hosts.suspended(site_id),
    )
