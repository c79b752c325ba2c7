"""The spider: one website a crawl."""
