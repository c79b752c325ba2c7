"""A feed export for Scrapy that ends the crawl when a feed cannot be written; otherwise rows would be lost silently.

The crawl stays unfinished, so the same command resumes it and emits the rows of all its pages again. A crawl is
finished only after its feeds are stored.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, Protocol, runtime_checkable

from scrapy import Spider
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage

from sitecrawl.closed_pipe import drop_output
from sitecrawl.row_files import RowsFile, alone, cut_torn_line, cut_torn_record, is_at
from sitecrawl.shell.site_spider import site_spider_of

LINES: Final = frozenset(("jsonlines", "jsonl", "jl"))


@runtime_checkable
class NeedsFeed(Protocol):
    """A spider that ends when its rows cannot be written, and emits all of them in its next run."""

    def end_without_feed(self, why: str) -> None:
        """End the crawl because rows cannot be written; the same command resumes the run."""


class WholeRowsStorage(FileFeedStorage):
    """Stores rows in a file of complete rows. A row that a killed process left incomplete is removed first."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        options: Mapping[str, Any] = feed_options or {}
        self._format = str(options.get("format", ""))
        self._claimed: RowsFile | None = None

    def claim(self) -> None:
        """Open a file that will be overwritten and lock it, so that another run is refused; its rows stay until `open`.

        Raises OSError.
        """
        path = Path(self.path)
        if self.write_mode == "wb" and (path.is_file() or not path.exists()):  # a pipe would wait for its reader
            path.parent.mkdir(parents=True, exist_ok=True)
            self._claimed = RowsFile(path, overwrite=True, keep=True)

    def open(self, spider: Spider) -> IO[bytes]:
        """Return the opened file. Raises OSError."""
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        file: Any = self._claimed
        if file is not None and is_at(path, file.fileno()):
            file.truncate(0)
        else:
            file = RowsFile(path, overwrite=self.write_mode == "wb")
        self._claimed = None
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
        """Flush the file to the disk and close it. Raises OSError."""
        try:
            with suppress(OSError):  # a pipe is not on a disk
                os.fsync(file.fileno())
        finally:
            file.close()


class StoppingFeedExporter(FeedExporter):
    """Writes each row at once; after the first failure it writes no more rows."""

    failed = False
    stored = False

    def open_spider(self, spider: Spider) -> None:
        """Prepare the feeds; a site spider stores them before its crawl is finished.

        Scrapy opens a file with its first row, which may come late or never; another run could overwrite it meanwhile.
        """
        super().open_spider(spider)
        for slot in self.slots:
            if isinstance(slot.storage, WholeRowsStorage) and slot.store_empty:
                with suppress(OSError):  # it is reported when a row is written
                    slot.storage.claim()
        ours = site_spider_of(self.crawler)
        if ours is not None:
            ours.before_end.append(self.store)

    async def store(self, spider: Spider) -> None:
        """Store the feeds; if one cannot be stored, the crawl is not finished."""
        if self.stored:
            return
        self.stored = True
        await super().close_spider(spider)
        failures = [name for name in self.crawler.stats.get_stats() if name.startswith("feedexport/failed_count/")]
        if failures and not self.failed and isinstance(spider, NeedsFeed):
            spider.end_without_feed("it could not be stored; the log says why")

    async def close_spider(self, spider: Spider) -> None:
        """Store the feeds of spiders other than the site spider."""
        await self.store(spider)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write a row to every feed."""
        if self.failed:
            return
        try:
            super().item_scraped(item, spider)
            for slot in self.slots:
                if slot.file is not None:
                    slot.file.flush()  # a buffered row could fail when it is too late to report the failure
        except OSError as error:
            self.failed = True
            if isinstance(error, BrokenPipeError):
                drop_output()
            self._give_up_full()
            if not isinstance(spider, NeedsFeed):
                raise
            spider.end_without_feed(error.strerror or str(error))

    def _give_up_full(self) -> None:
        """Close the feeds that cannot be written, so that Scrapy does not report the same failure again."""
        for slot in self.slots:
            if slot.file is None:
                continue
            try:
                slot.file.flush()
            except OSError:
                slot.itemcount, slot.store_empty = 0, False  # so Scrapy does not store it
                with suppress(OSError):
                    slot.file.close()
