"""Log lines: what servers wrote steers no terminal, and a database that is lost is said once, not for each page."""

import logging
from typing import Any, Final

from scrapy.logformatter import LogFormatter

from sitecrawl.errors import DatabaseLostError, SitecrawlError
from sitecrawl.printable import visible

LOOPS: Final = ("asyncio", "twisted")
"""Loggers that report with a traceback what ended a crawl which nobody awaits, as Scrapy's own `crawl` command."""


class VisibleRecord(logging.LogRecord):
    """A log record in whose message and traceback the characters that steer a terminal are written as their codes."""

    _traceback: str | None = None

    def getMessage(self) -> str:  # noqa: N802
        """Return the message."""
        return visible(super().getMessage())

    @property
    def exc_text(self) -> str | None:
        """The traceback, which a formatter keeps here."""
        return self._traceback

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._traceback = None if text is None else visible(text)


def show_safely() -> None:
    """Have all log records of this process made so; a project that has records of its own keeps them."""
    if logging.getLogRecordFactory() is logging.LogRecord:
        logging.setLogRecordFactory(VisibleRecord)


class QuietLogFormatter(LogFormatter):
    """Scrapy's own, but for pages that could not be stored since the database was lost: these are for debugging."""

    def item_error(self, item: Any, exception: BaseException, *args: Any, **kwargs: Any) -> Any:
        """Report an item that a pipeline failed on."""
        return _quiet(exception, super().item_error(item, exception, *args, **kwargs))

    def spider_error(self, failure: Any, *args: Any, **kwargs: Any) -> Any:
        """Report a response that a callback failed on."""
        return _quiet(failure.value, super().spider_error(failure, *args, **kwargs))


def _quiet(error: object, line: Any) -> Any:
    return {**line, "level": logging.DEBUG} if isinstance(error, DatabaseLostError) else line


def say_in_one_line() -> None:
    """Have errors of sitecrawl that end a crawl reported by their message alone: it says what to do."""
    for name in LOOPS:
        logging.getLogger(name).addFilter(_without_traceback)  # once, however often it is asked for


def _without_traceback(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, SitecrawlError):
        record.msg, record.args, record.exc_info = "sitecrawl: %s", (str(error),), None
    return True
