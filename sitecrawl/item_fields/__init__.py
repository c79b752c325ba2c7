"""Adds the main content of pages to the items of another Scrapy project's spiders (docs/scrapy.md)."""
