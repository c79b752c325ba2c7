"""Scrapy's feeds, which end the crawl when they cannot be written: else rows would be missing without a word.

The crawl stays unfinished, so the same command goes on, and gives the rows of all its pages again.
"""

from contextlib import suppress
from typing import Any

from scrapy import Spider
from scrapy.extensions.feedexport import FeedExporter


class StoppingFeedExporter(FeedExporter):
    """Writes each row at once; the first that cannot be written is the last that is tried."""

    failed = False

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write a row to every feed."""
        if self.failed:
            return
        try:
            super().item_scraped(item, spider)
            for slot in self.slots:
                if slot.file is not None:
                    slot.file.flush()  # what stays in a buffer may fail when nobody can be told any more
        except OSError as error:
            self.failed = True
            self._give_up_full()
            end = getattr(spider, "end_without_feed", None)
            if end is None:
                raise
            end(error.strerror or str(error))

    def _give_up_full(self) -> None:
        """Close the feeds that cannot be written, of which Scrapy would report the same failure once more."""
        for slot in self.slots:
            if slot.file is None:
                continue
            try:
                slot.file.flush()
            except OSError:
                slot.itemcount, slot.store_empty = 0, False  # so it is not stored
                with suppress(OSError):
                    slot.file.close()
