"""Runs Scrapy's command line without sitecrawl's defences; `crawl.py` runs it to measure their cost.

    python benchmarks/undefended.py crawl site -a url=http://127.0.0.1:8000/

Never crawl the web with it. It removes the checks of addresses, sizes, headers and compressed bodies, the trial of
heavy pages, the handling of refusals and outages, and the cancelling of downloads at a stop. robots.txt, link limits
and the cleaning of texts stay.
"""

from typing import Any

from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings

import sitecrawl.addon
import sitecrawl.spiders.pages
from sitecrawl.addon import COMPONENTS, SitecrawlAddon

OUT = ("guard", "compression", "backoff", "circuit_breaker")


class UndefendedAddon(SitecrawlAddon):
    """The add-on with Scrapy's own compression."""

    def update_settings(self, settings: Any) -> None:
        """Set the settings of the add-on, without the defences."""
        super().update_settings(settings)
        middlewares = settings.getdict("DOWNLOADER_MIDDLEWARES")
        middlewares.pop("scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware")
        settings.set("DOWNLOADER_MIDDLEWARES", middlewares, priority="cmdline")


def main() -> None:
    """Remove the defences, and run the command."""
    middlewares = COMPONENTS["DOWNLOADER_MIDDLEWARES"]
    for path in [path for path in middlewares if path.split(".")[2] in OUT]:
        del middlewares[path]
    sitecrawl.addon.limit_headers = lambda: None
    sitecrawl.spiders.pages.is_heavy = lambda html: False
    sitecrawl.spiders.pages.check_size = lambda url, html: None
    settings = get_project_settings()
    settings.set("ADDONS", {UndefendedAddon: 500})
    settings.set("TWISTED_DNS_RESOLVER", "scrapy.resolver.CachingThreadedResolver")
    settings.set("DOWNLOAD_HANDLERS", {})
    execute(settings=settings)


if __name__ == "__main__":
    main()
