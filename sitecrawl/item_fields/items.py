"""Adds the values of its page to each item of a crawl, and counts the results."""

import logging
from time import perf_counter
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl import stats
from sitecrawl.api.sources import Html
from sitecrawl.config import Config
from sitecrawl.errors import ItemFieldError, SitecrawlError
from sitecrawl.item_fields.adding import add_fields
from sitecrawl.item_fields.page_values import PageReader, PageValues
from sitecrawl.item_fields.targets import item_targets

logger = logging.getLogger(__name__)


class ItemFields:
    """Adds fields to the items of one crawl. If anything fails, the item passes unchanged, and a stat counts it."""

    def __init__(self, crawler: Crawler) -> None:
        """Read the settings and open the database. Raises ConfigError, StorageError."""
        self.targets = item_targets(Config.from_mapping(crawler.settings))
        self._stats = crawler.stats
        self._count = crawler.stats.inc_value
        self._seconds = 0.0
        self._reader = PageReader(crawler.settings, self.targets.fields.values())
        self._reported: set[tuple[type, str]] = set()
        crawler.signals.connect(self._close, signals.spider_closed)

    def values(self, html: Html | None, url: str | None) -> PageValues | None:
        """Return the values of a page; None if it cannot be read, which is logged in one line."""
        if html is None:
            return None
        started = perf_counter()
        try:
            return self._reader.read(html, url)
        except SitecrawlError as error:
            logger.info("%s; its items pass unchanged", error)
        except Exception:
            logger.exception("%s cannot be read; its items pass unchanged", url)
        finally:
            self._seconds += perf_counter() - started
        return None

    def add(self, item: Any, found: PageValues | None) -> None:
        """Add the values of its page to an item. An item class that does not accept them is logged once."""
        if found is None:
            self._count(stats.ITEMS_UNREADABLE)
            return
        try:
            own = add_fields(item, {field: found.values[name] for field, name in self.targets.fields.items()})
        except ItemFieldError as error:
            self._count(stats.ITEMS_REFUSED)
            if (type(item), str(error)) not in self._reported:
                self._reported.add((type(item), str(error)))
                logger.error("%s; items of this class pass unchanged", error)  # noqa: TRY400  (one line)
            return
        self._count(stats.ITEMS_EXTENDED)
        if found.with_template:
            self._count(stats.ITEMS_WITH_TEMPLATE)
        if own:
            self._count(stats.ITEMS_OWN_VALUES, own)

    def _close(self) -> None:
        self._stats.set_value(f"{stats.SECONDS}/items", round(self._seconds, 3))
        self._reader.sites.close()
