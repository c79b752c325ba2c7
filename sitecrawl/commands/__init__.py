"""Commands of the project: each file is one."""

# First, before the rest is loaded: it makes deprecated classes, each of which looks through all modules that there are.
import scrapy.core.downloader.handlers.http11  # noqa: F401
