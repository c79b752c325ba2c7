"""Safe log lines: control characters from servers are escaped, and a lost database is logged once, not per page."""

import logging
from contextvars import ContextVar
from typing import Any, Final

from scrapy.logformatter import LogFormatter

from sitecrawl.errors import SitecrawlError, WritingEndedError
from sitecrawl.printable import visible

LOOPS: Final = ("asyncio", "twisted")
"""Loggers that report the error that ended a crawl with a traceback."""
CERTIFICATES: Final = "scrapy.core.downloader.tls"
"""Logger that warns at each connection of a certificate that is accepted although it does not name the host."""


site_of_crawl: ContextVar[str] = ContextVar("site_of_crawl", default="")
"""The site whose crawl writes the log, in a process that crawls several at once; tasks inherit it."""


class VisibleRecord(logging.LogRecord):
    """A log record whose message and traceback have their control characters escaped."""

    _traceback: str | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.site = site_of_crawl.get()

    def getMessage(self) -> str:  # noqa: N802
        """Return the message; in a process that crawls several sites it begins with the site."""
        message = visible(super().getMessage())
        named = not self.site or message.startswith(self.site)
        return message if named else f"{self.site}: {message}"

    @property
    def exc_text(self) -> str | None:
        """The escaped traceback, cached here by the formatter."""
        return self._traceback

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._traceback = None if text is None else visible(text)


def show_safely() -> None:
    """Use `VisibleRecord` in this process, unless the project has its own record class."""
    if logging.getLogRecordFactory() is logging.LogRecord:
        logging.setLogRecordFactory(VisibleRecord)


def skip_unseen_records() -> None:
    """Keep Scrapy from creating log records that no handler of the root logger accepts, three per page at level DEBUG.

    It must be called in sitecrawl's own processes, after all handlers are installed. The level of the root logger is
    not changed, since Scrapy sets it again when a crawl begins.
    """
    levels = [handler.level for handler in logging.root.handlers]
    if levels:
        logging.getLogger("scrapy").setLevel(min(levels))


class QuietLogFormatter(LogFormatter):
    """Scrapy's formatter, except that pages that fail because of a lost database or lease are logged at level DEBUG."""

    def item_error(self, item: Any, exception: BaseException, *args: Any, **kwargs: Any) -> Any:
        """Return the log entry of an item whose pipeline failed."""
        return _quiet(exception, super().item_error(item, exception, *args, **kwargs))

    def spider_error(self, failure: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the log entry of a response whose callback failed."""
        return _quiet(failure.value, super().spider_error(failure, *args, **kwargs))


def _quiet(error: object, line: Any) -> Any:
    return {**line, "level": logging.DEBUG} if isinstance(error, WritingEndedError) else line


def say_in_one_line() -> None:
    """Log sitecrawl's own errors that end a crawl without a traceback, since their messages contain the remedy."""
    for name in LOOPS:
        logging.getLogger(name).addFilter(_without_traceback)  # adding the same filter again has no effect


class OncePerMessage(logging.Filter):
    """Lets a message pass once; later ones with the same text are left out."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the text is new."""
        text = record.getMessage()
        is_new = text not in self._seen
        self._seen.add(text)
        return is_new


_ONCE: Final = OncePerMessage()


def warn_once_of_certificates() -> None:
    """Log the warning about a host's accepted certificate once in a process, not once a connection."""
    logging.getLogger(CERTIFICATES).addFilter(_ONCE)  # adding the same filter again has no effect


def _without_traceback(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, SitecrawlError):
        record.msg, record.args, record.exc_info = "sitecrawl: %s", (str(error),), None
    return True
