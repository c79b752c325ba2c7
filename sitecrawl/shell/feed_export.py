"""Scrapy's feeds, which end the crawl when they cannot be written: else rows would be missing without a word.

The crawl stays unfinished, so the same command goes on, and gives the rows of all its pages again. A crawl is finished
only after its feeds are stored.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from scrapy import Spider
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage

from sitecrawl.row_files import RowsFile, alone, cut_torn_line, cut_torn_record, drop_output

LINES: Final = frozenset(("jsonlines", "jsonl", "jl"))


class WholeRowsStorage(FileFeedStorage):
    """A file of whole rows. What is added to one whose last row was cut off by a kill begins on a line of its own."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        options: Mapping[str, Any] = feed_options or {}
        self._format = str(options.get("format", ""))

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file. Raises OSError."""
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        file: Any = RowsFile(path, overwrite=self.write_mode == "wb")
        if self.write_mode == "ab" and path.is_file():
            with alone(file):
                if self._format in LINES:
                    cut_torn_line(file, path)
                elif self._format == "csv":
                    cut_torn_record(file, path)
            file.seek(0, os.SEEK_END)
        opened: IO[bytes] = file
        return opened

    def store(self, file: IO[bytes]) -> None:
        """Close the file, once it is on the disk. Raises OSError."""
        try:
            with suppress(OSError):  # a pipe, which has no disk
                os.fsync(file.fileno())
        finally:
            file.close()


class StoppingFeedExporter(FeedExporter):
    """Writes each row at once; the first that cannot be written is the last that is tried."""

    failed = False
    stored = False

    def open_spider(self, spider: Spider) -> None:
        """Begin the feeds, and have a crawl of ours store them before it is finished."""
        super().open_spider(spider)
        before_end = getattr(spider, "before_end", None)
        if before_end is not None:
            before_end.append(self.store)

    async def store(self, spider: Spider) -> None:
        """Store the feeds; a crawl of ours is not finished when one cannot be stored."""
        if self.stored:
            return
        self.stored = True
        await super().close_spider(spider)
        failures = [name for name in self.crawler.stats.get_stats() if name.startswith("feedexport/failed_count/")]
        if failures and not self.failed:
            end = getattr(spider, "end_without_feed", None)
            if end is not None:
                end("it could not be stored; the log says why")

    async def close_spider(self, spider: Spider) -> None:
        """Store the feeds of a spider that did not ask for it."""
        await self.store(spider)

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
            if isinstance(error, BrokenPipeError):
                drop_output()
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
