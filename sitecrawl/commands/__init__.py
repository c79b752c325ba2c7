"""The commands of the project, one per file."""

# First, before the rest is loaded: it creates deprecated classes, each of which scans all loaded modules.
import scrapy.core.downloader.handlers.http11  # noqa: F401
