"""The add-on that installs every component: `ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}` in any project."""

from dataclasses import fields
from typing import Any, Final

from scrapy.settings import BaseSettings

from sitecrawl.headers import limit_headers
from sitecrawl.items import ContentItem
from sitecrawl.logs import show_safely
from sitecrawl.versions import check_versions

COMPONENTS: Final = {
    # Above DepthMiddleware (900), so that the requests it makes get their depth.
    "SPIDER_MIDDLEWARES": {"sitecrawl.middlewares.selection.SelectionMiddleware": 950},
    "DOWNLOADER_MIDDLEWARES": {
        "sitecrawl.middlewares.robots.RobotsMiddleware": 100,
        "sitecrawl.middlewares.revisit.RevisitMiddleware": 120,
        "sitecrawl.middlewares.compression.CompressionMiddleware": 590,
        # Sees an answer before RetryMiddleware (550), and after compression and redirects.
        "sitecrawl.middlewares.backoff.BackOffMiddleware": 560,
        "sitecrawl.middlewares.outage.OutageMiddleware": 570,
        # Nearest the network, so that it sees redirects, retries and robots.txt too.
        "sitecrawl.middlewares.guard.GuardMiddleware": 950,
    },
    "ITEM_PIPELINES": {
        "sitecrawl.pipelines.template.TemplatePipeline": 300,
        "sitecrawl.pipelines.content.ContentPipeline": 400,
    },
    "EXTENSIONS": {"sitecrawl.progress.Progress": 500, "sitecrawl.exporting.StoppingFeedExporter": 0},
}

SWITCHED: Final = {
    "REMOTE_CONTROL_ENABLED": ("EXTENSIONS_BASE", "scrapy.extensions.remote_control.RemoteControl"),
    "COOKIES_ENABLED": ("DOWNLOADER_MIDDLEWARES_BASE", "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"),
}
"""Parts of Scrapy that it imports even where a setting turns them off, or where they are set to None: 0.3 s and 20 MB,
for they bring aiohttp and requests. A project that names them itself gets them still."""


class SitecrawlAddon:
    """Adds the middlewares, pipelines and extensions of sitecrawl unless a project placed them itself."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Called by Scrapy for each crawl."""
        check_versions()
        limit_headers()
        show_safely()
        for setting, components in COMPONENTS.items():
            for path, order in components.items():
                settings.setdefault_in_component_priority_dict(setting, _load(path), order)
        settings.set(
            "DOWNLOADER_MIDDLEWARES",
            {
                **settings.getdict("DOWNLOADER_MIDDLEWARES"),
                "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
                "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
            },
            priority="addon",
        )
        for switch, (setting, path) in SWITCHED.items():
            if not settings.getbool(switch):
                components = {key: order for key, order in settings.getdict(setting).items() if key != path}
                settings.set(setting, components, priority="addon")
        settings.set(
            "EXTENSIONS",
            {**settings.getdict("EXTENSIONS"), "scrapy.extensions.feedexport.FeedExporter": None},
            priority="addon",
        )
        # Requests of equal priority are sent in the order in which they were selected.
        settings.set("SCHEDULER_MEMORY_QUEUE", "scrapy.squeues.FifoMemoryQueue", priority="addon")
        settings.set("LOG_FORMATTER", "sitecrawl.logs.QuietLogFormatter", priority="addon")
        names = [field.name for field in fields(ContentItem)]
        for optional in ("html", "markdown"):
            if not settings.getbool(f"SITECRAWL_CONTENT_{optional.upper()}"):
                names.remove(optional)
        settings.set("FEED_EXPORT_FIELDS", names, priority="addon")
        exporters = {"csv": "sitecrawl.spreadsheets.SafeCsvItemExporter", **settings.getdict("FEED_EXPORTERS")}
        settings.set("FEED_EXPORTERS", exporters, priority="addon")


def _load(path: str) -> Any:
    from scrapy.utils.misc import load_object  # noqa: PLC0415

    return load_object(path)
