"""Scrapy's feeds, which end the crawl when they cannot be written: else rows would be missing without a word.

The crawl stays unfinished, so the same command goes on, and gives the rows of all its pages again.
"""

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
            end = getattr(spider, "end_without_feed", None)
            if end is None:
                raise
            end(error.strerror or str(error))
