"""Scrapy's command line with sitecrawl's defences taken out, to measure what they cost: `crawl.py` runs it.

    python benchmarks/undefended.py crawl site -a url=http://127.0.0.1:8000/

Never crawl the web with it. Taken out: the checks of addresses, sizes, headers and compressed bodies, the trial of
heavy pages, back-off and outages, and downloads that a stop lets go. robots.txt, limits of links and the cleaning of
texts stay.
"""

from typing import Any

from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings

import sitecrawl.addon
import sitecrawl.spiders.pages
from sitecrawl.addon import COMPONENTS, SitecrawlAddon

OUT = ("guard", "compression", "backoff", "outage")


class UndefendedAddon(SitecrawlAddon):
    """The add-on with Scrapy's own compression."""

    def update_settings(self, settings: Any) -> None:
        """Called by Scrapy."""
        super().update_settings(settings)
        middlewares = settings.getdict("DOWNLOADER_MIDDLEWARES")
        middlewares.pop("scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware")
        settings.set("DOWNLOADER_MIDDLEWARES", middlewares, priority="cmdline")


def main() -> None:
    """Take out the defences and run the command."""
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
