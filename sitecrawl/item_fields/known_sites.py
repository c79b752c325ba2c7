"""Finds the learned sites of a database for pages of any host, in bounded memory."""

import logging
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from sitecrawl.api.database import Database, StoredSite, open_sites
from sitecrawl.api.pages import Settings
from sitecrawl.config import Config
from sitecrawl.errors import LabelRuleError, StorageError, UnknownSiteError
from sitecrawl.links.scope import SCOPES, SiteScope
from sitecrawl.links.urls import split_url
from sitecrawl.storage.db.address import parse_address, sqlite_path

logger = logging.getLogger(__name__)

MOST_SITES: Final = 16
"""Maximum learned sites in memory [OWN]: 1 to 2 MB each on three recorded sites. The most recently used are kept."""
MOST_UNKNOWN: Final = 100_000
"""Maximum number of remembered hosts without a template [OWN]."""


class KnownSites:
    """Finds the learned site of a page's URL."""

    def __init__(self, settings: Settings, most: int = MOST_SITES) -> None:
        """Open the database of the settings. A SQLite file that does not exist is not created: no site is known.

        Raises ConfigError or StorageError for a database that cannot be used.
        """
        config = Config.from_mapping(settings)
        path = sqlite_path(parse_address(config.database_url))
        self._database: Database | None = None
        if path is None or path.exists():
            self._database = open_sites(settings=settings)
        self._most = most
        self._sites: OrderedDict[str, StoredSite] = OrderedDict()
        self._unknown: set[str] = set()

    def __len__(self) -> int:
        """Return the number of sites in memory."""
        return len(self._sites)

    def find(self, url: str) -> StoredSite | None:
        """Return the learned site of a URL; None if the database has no template for it.

        An unreadable template is logged in one line. After a failure, the database is not queried again.
        """
        for key in _site_keys(url):
            site = self._site(key)
            if site is not None:
                return site
        return None

    def close(self) -> None:
        """Close the database and forget the sites."""
        self._sites.clear()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _site(self, key: str) -> StoredSite | None:
        if key in self._sites:
            self._sites.move_to_end(key)
            return self._sites[key]
        site = self._loaded(key) if key not in self._unknown else None
        if site is not None:
            self._sites[key] = site
            if len(self._sites) > self._most:
                self._sites.popitem(last=False)
            return site
        if len(self._unknown) >= MOST_UNKNOWN:
            self._unknown.clear()
        self._unknown.add(key)
        return None

    def _loaded(self, key: str) -> StoredSite | None:
        """Return a site of the database; None if it has no template."""
        if self._database is None:
            return None
        try:
            site = self._database.site(key)
        except UnknownSiteError:
            return None
        except LabelRuleError as error:
            logger.warning("%s; its pages are extracted without a template", error)
            return None
        except StorageError as error:
            logger.warning("%s; pages of other sites are extracted without a template from now on", error)
            self._database.close()
            self._database = None
            return None
        return site if site.layouts else None


def _site_keys(url: str) -> Iterator[str]:
    """Yield the keys under which the site of a URL may be stored; none for a URL that is not http or https."""
    if split_url(url) is not None:
        yield from dict.fromkeys(SiteScope.of(url, scope).key for scope in SCOPES)
