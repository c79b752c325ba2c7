"""A Scrapy crawler that learns a website's template and emits the main content of every page."""

__version__ = "0.1.0"
