"""The modules that crawls of `recrawl` and `worker` share by forking (`forkserver.py`). A test finds missing ones."""

from contextlib import suppress
from typing import Final

from sitecrawl import twins
from sitecrawl.errors import ConfigError
from sitecrawl.metadata import language

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
    f"{__name__}:load_models",
)
"""Modules that every crawl imports, and the function that loads the models.

Each crawl itself imports any module that is missing here.
"""


def load_models() -> None:
    """Load and check the compiled twins, and load the forests and the language model, which takes 50 ms of CPU.

    A missing model is reported by the crawl that needs it. Each crawl still decides whether compiled twins are used.
    """
    for one in twins.registered().values():
        _ = one.problem
    with suppress(ConfigError):
        language.detect("These words load the model.")
