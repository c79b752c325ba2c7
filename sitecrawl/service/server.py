"""Serves the service until it is stopped."""

import socket
from collections.abc import Callable

from scrapy.settings import BaseSettings

from sitecrawl import twins
from sitecrawl.config import Config
from sitecrawl.crawl.extraction import chosen_extractor
from sitecrawl.service.app import Service, application
from sitecrawl.service.cleaning import Cleaner
from sitecrawl.service.fetching import Fetcher, Limits
from sitecrawl.service.site_settings import read_site_settings
from sitecrawl.storage.db.address import parse_address, sqlite_path
from sitecrawl.storage.db.engine import open_database
from sitecrawl.ui.access import Access
from sitecrawl.ui.server import run_until_stopped

CONNECTIONS = 200
"""Number of connections above which requests are answered with status 503."""


def new_service(settings: BaseSettings, access: Access, sites: str | None) -> Service:
    """Return the state of a service; `sites` is the file with settings by host.

    Raises ConfigError, ExtractorError, and StorageError if an existing database cannot be used. A missing one is not
    created.
    """
    config = Config.from_mapping(settings)
    chosen_extractor(config)  # a wrong name or option is reported now, not with the first page
    twins.choose(config.extension)
    path = sqlite_path(parse_address(config.database_url))
    if path is None or path.exists() or not path.parent.exists():
        open_database(config.database_url, config.body_store).dispose()
    return Service(access, read_site_settings(sites, config), Fetcher(config, Limits.of(settings)), Cleaner(config))


def serve(service: Service, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answer requests until a signal stops the service; `ready` is called when clients can connect."""
    run_until_stopped(application(service), listener, ready, CONNECTIONS)
