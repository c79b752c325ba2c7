"""The exception classes of sitecrawl.

The core raises them; the Scrapy shell and the commands turn them into one clear line and an exit status. Each message
names the site, URL or setting and contains a remedy. Exceptions that stay within one module are defined there.
"""

from sitecrawl.printable import visible


class SitecrawlError(Exception):
    """Base class of all errors that sitecrawl raises on purpose."""


class PageError(SitecrawlError):
    """A page cannot be used; `url` is its URL."""

    def __init__(self, url: str, reason: str) -> None:
        self.url = url
        self.reason = visible(reason)
        super().__init__(f"{url}: {self.reason}")


class EmptyPageError(PageError):
    """The response contains no element and no text."""


class PageTooLargeError(PageError):
    """The page exceeds a size limit: bytes, tags, attributes or nodes."""


class PageNotTriedError(PageError):
    """The machine currently cannot try a heavy page. Nothing was learned about the page."""


class NotHtmlError(PageError):
    """The response is not an HTML page."""


class NoContentError(PageError):
    """The page has no main content to return."""


class SitemapError(PageError):
    """A response that should be a sitemap is not one."""


class FeedError(PageError):
    """A response that should be an RSS or Atom feed is not one, or is too expensive to read."""


class TemplateError(SitecrawlError):
    """The template of a site cannot be used."""


class TemplateNotReadyError(TemplateError):
    """Too few pages of the site were learned."""


class LabelRuleError(TemplateError):
    """The stored counts were made with another label rule."""


class ExtractorError(SitecrawlError):
    """An extraction method cannot be built or run."""


class UnknownExtractorError(ExtractorError, LookupError):
    """No extraction method has that name."""


class EvaluationError(SitecrawlError):
    """Gold data cannot be used, or an evaluation did not reach its floors."""


class ConfigError(SitecrawlError, ValueError):
    """A setting or an argument has a value that cannot be used."""


class InputError(SitecrawlError, ValueError):
    """The argument of an API call is not HTML, or not a URL."""


class ItemFieldError(SitecrawlError):
    """An item of a project has no such field, or refuses the value."""


class FetchRefusedError(SitecrawlError):
    """A page may not be fetched, since the rules do not allow its address."""


class FetchFailedError(SitecrawlError):
    """A site did not answer with a page."""


class ServiceBusyError(SitecrawlError):
    """The web service already fetches its maximum number of pages."""


class SourceError(SitecrawlError):
    """A page named on the command line cannot be read or fetched."""


class FeedFileError(SitecrawlError):
    """The file for the rows of a crawl cannot be written."""


class StorageError(SitecrawlError):
    """The database cannot be reached or used."""


class WritingEndedError(StorageError):
    """Nothing can be written any more, and the crawl must end, since it lost the database or its lease."""


class DatabaseLostError(WritingEndedError):
    """The database is full, read-only, damaged or gone, and did not recover; its users must end."""


class DamagedBodyError(StorageError):
    """The stored HTML of one page cannot be decompressed."""


class SchemaOutdatedError(StorageError):
    """The database schema is older or newer than this version of sitecrawl."""


class UnfinishedCrawlError(StorageError):
    """An interrupted crawl of the site must be resumed first."""


class SiteLeasedError(StorageError):
    """Another process is crawling the site."""


class LeaseLostError(WritingEndedError):
    """Another process took over the site while this one was working on it."""


class UnknownSiteError(StorageError, LookupError):
    """The database contains no such site or page; `see` names the command that lists the known ones."""

    def __init__(self, reason: str, see: str = "") -> None:
        self.reason = reason
        self.see = see
        super().__init__(f"{reason}; see: {see}" if see else reason)


class SinkError(SitecrawlError):
    """A search index or other sink cannot receive changes."""


class UnknownSinkError(SinkError, LookupError):
    """No sink has that name."""
