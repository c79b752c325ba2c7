"""The add-on that installs every component: `ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}` in any project."""

from typing import Any, Final

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from sitecrawl.items import feed_fields
from sitecrawl.shell.headers import limit_headers
from sitecrawl.shell.logs import say_in_one_line, show_safely, warn_once_of_certificates
from sitecrawl.shell.versions import check_versions

COMPONENTS: Final = {
    # Above DepthMiddleware (900), so that the requests that it creates get their depth.
    "SPIDER_MIDDLEWARES": {"sitecrawl.middlewares.selection.SelectionMiddleware": 950},
    "DOWNLOADER_MIDDLEWARES": {
        "sitecrawl.middlewares.robots.RobotsMiddleware": 100,
        # Before cookies (700) and proxies (750) are read.
        "sitecrawl.middlewares.access.AccessMiddleware": 110,
        "sitecrawl.middlewares.conditional_get.ConditionalGetMiddleware": 120,
        "sitecrawl.middlewares.compression.CompressionMiddleware": 590,
        # Sees a response before RetryMiddleware (550), and after decompression and redirects.
        "sitecrawl.middlewares.backoff.BackOffMiddleware": 560,
        "sitecrawl.middlewares.circuit_breaker.CircuitBreakerMiddleware": 570,
        # Nearest the network, so that it sees redirects, retries and robots.txt too.
        "sitecrawl.middlewares.guard.GuardMiddleware": 950,
    },
    "ITEM_PIPELINES": {
        "sitecrawl.pipelines.template.TemplatePipeline": 300,
        "sitecrawl.pipelines.content.ContentPipeline": 400,
    },
    "EXTENSIONS": {"sitecrawl.shell.progress.Progress": 500},
}
ITEMS_OF_RESPONSES: Final = ("SPIDER_MIDDLEWARES", "sitecrawl.item_fields.middleware.ItemFieldsMiddleware", 100)
"""Nearer to the engine than a project's own spider middlewares, so that these may replace or drop items first."""
ITEMS_WITH_HTML: Final = ("ITEM_PIPELINES", "sitecrawl.item_fields.pipeline.ItemFieldsPipeline", 50)
"""Before the pipelines of a project, so that these see the fields."""
FEEDS: Final = "scrapy.extensions.feedexport.FeedExporter"
EXPORTERS: Final = {"csv": "sitecrawl.shell.csv_export.SafeCsvItemExporter"}
STORAGES: Final = dict.fromkeys(("", "file"), "sitecrawl.shell.feed_export.WholeRowsStorage")

SWITCHED: Final = {
    "REMOTE_CONTROL_ENABLED": ("EXTENSIONS_BASE", "scrapy.extensions.remote_control.RemoteControl"),
    "COOKIES_ENABLED": ("DOWNLOADER_MIDDLEWARES_BASE", "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"),
}
"""Parts that Scrapy imports even if a setting disables them or sets them to None, which takes 0.3 s and 20 MB, since
they load aiohttp and requests. A project that configures them itself still gets them."""


class SitecrawlAddon:
    """Adds those middlewares, pipelines and extensions of sitecrawl that a project has not configured itself.

    Other spiders of the project are not changed, except by features that the project enables: `SITECRAWL_ITEM_FIELDS`
    adds the main content of pages to their items, and the value `all` of `SITECRAWL_ADDON` adds the components to them
    too. They keep the project's feeds and log.
    """

    def __init__(self, spider: type[Spider] | None = None) -> None:
        self.ours = spider is None or bool(getattr(spider, "of_sitecrawl", False))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SitecrawlAddon":
        """Return the add-on for one crawl."""
        return cls(crawler.spidercls)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Prepare the log; Scrapy calls this before it creates a spider, whose settings may then be refused."""
        say_in_one_line()
        warn_once_of_certificates()

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components to the settings; Scrapy calls this for each crawl.

        Raises ConfigError for fields of items that cannot be added.
        """
        if not self.ours and settings.get("SITECRAWL_ITEM_FIELDS"):
            _add_item_fields(settings)
        if not self.ours and settings.get("SITECRAWL_ADDON") != "all":
            return
        check_versions()
        limit_headers()
        _add_components(settings)
        if self.ours:
            show_safely()
            # Requests of equal priority are sent in the order in which they were selected.
            settings.set("SCHEDULER_MEMORY_QUEUE", "scrapy.squeues.FifoMemoryQueue", priority="addon")
            _take_feeds(settings)


def _add_components(settings: BaseSettings) -> None:
    for setting, components in COMPONENTS.items():
        for path, order in components.items():
            settings.setdefault_in_component_priority_dict(setting, _load(path), order)
    replaced = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    }
    _put(settings, "DOWNLOADER_MIDDLEWARES", {**settings.getdict("DOWNLOADER_MIDDLEWARES"), **replaced})
    for switch, (setting, path) in SWITCHED.items():
        if not settings.getbool(switch):
            components = {key: order for key, order in settings.getdict(setting).items() if key != path}
            settings.set(setting, components, priority="addon")


def _add_item_fields(settings: BaseSettings) -> None:
    """Add the component for item fields: a spider middleware if the HTML is in the response, else a pipeline."""
    from sitecrawl.config import Config  # noqa: PLC0415  (other projects need it only if they enable this)
    from sitecrawl.item_fields.targets import item_targets  # noqa: PLC0415

    targets = item_targets(Config.from_mapping(settings))
    if targets.fields:
        setting, path, order = ITEMS_OF_RESPONSES if targets.html is None else ITEMS_WITH_HTML
        settings.setdefault_in_component_priority_dict(setting, _load(path), order)


def _take_feeds(settings: BaseSettings) -> None:
    """Use sitecrawl's feed export, unless the project has feeds or a log of its own kind."""
    extensions = settings.getdict("EXTENSIONS")
    if FEEDS not in extensions:
        extensions |= {FEEDS: None, "sitecrawl.shell.feed_export.StoppingFeedExporter": 0}
        _put(settings, "EXTENSIONS", extensions)
    if not settings.getpriority("LOG_FORMATTER"):
        settings.set("LOG_FORMATTER", "sitecrawl.shell.logs.QuietLogFormatter", priority="addon")
    if settings.get("FEED_EXPORT_FIELDS") is None:
        html, markdown = (settings.getbool(f"SITECRAWL_CONTENT_{name}") for name in ("HTML", "MARKDOWN"))
        fields = feed_fields(html=html, markdown=markdown, differences=settings.getbool("SITECRAWL_ROW_DIFFERENCES"))
        settings.set("FEED_EXPORT_FIELDS", fields, priority="addon")
    for setting, ours in (("FEED_EXPORTERS", EXPORTERS), ("FEED_STORAGES", STORAGES)):
        _put(settings, setting, {**ours, **settings.getdict(setting)})


def _put(settings: BaseSettings, name: str, value: dict[str, Any]) -> None:
    """Set a setting to a dict that includes its previous entries.

    With only the priority of an add-on, it would have no effect if the project sets the same setting.
    """
    settings.set(name, value, priority=max(settings.getpriority(name) or 0, SETTINGS_PRIORITIES["addon"]))


def _load(path: str) -> Any:
    from scrapy.utils.misc import load_object  # noqa: PLC0415

    return load_object(path)
