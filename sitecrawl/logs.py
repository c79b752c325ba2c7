"""Log lines of what Scrapy reports: a database that is lost is said once, and not with a traceback for each page."""

import logging
from typing import Any

from scrapy.logformatter import LogFormatter

from sitecrawl.errors import DatabaseLostError


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
