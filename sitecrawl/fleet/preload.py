"""The modules that the crawls of `recrawl` share by forking (`forkserver.py`); a test names missing ones."""

from typing import Final

PRELOADED: Final = (
    *("scrapy.cmdline", "scrapy.commands.*", "scrapy.statscollectors", "scrapy.dupefilters", "scrapy.squeues"),
    *("scrapy.pqueues", "scrapy.spidermiddlewares.*", "resource", "stringprep"),
    *(f"scrapy.downloadermiddlewares.{one}" for one in ("defaultheaders", "downloadtimeout", "httpauth", "httpcache")),
    *(f"scrapy.downloadermiddlewares.{one}" for one in ("httpproxy", "offsite", "redirect", "retry", "stats")),
    "scrapy.downloadermiddlewares.useragent",
    *(f"scrapy.extensions.{one}" for one in ("closespider", "corestats", "logcount", "logstats", "memdebug")),
    *(f"scrapy.extensions.{one}" for one in ("memusage", "spiderstate", "telnet", "throttle")),
    *(
        "sitecrawl.addon",
        "sitecrawl.settings",
        "sitecrawl.shell.downloading",
        "sitecrawl.shell.feed_export",
        "sitecrawl.shell.logs",
    ),
    *("sitecrawl.shell.progress", "sitecrawl.shell.csv_export", "fasttext"),
    *(f"sitecrawl.{one}.*" for one in ("commands", "middlewares", "pipelines", "spiders", "crawl", "dom")),
    *("sitecrawl.extractors.combined.*", "sitecrawl.templates.*"),
    "sitecrawl.storage.search.sqlite",
)
"""Modules that every crawl imports; a module that is missing here is imported by each crawl itself."""
