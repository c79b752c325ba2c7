"""A Scrapy crawler that learns a website's template and emits the main content of every page.

Use it in Python:

    import sitecrawl

    page = sitecrawl.extract(html, "https://example.org/news/1")     # one page, without a template
    print(page.title, page.text, page.markdown)

    site = sitecrawl.learn((url, html) for url, html in pages)       # the template of a site, from its pages
    page = site.extract(html, "https://example.org/news/2")
    site.save("example.db")

    with sitecrawl.open("sitecrawl.db") as database:                 # what crawls have stored
        for row in database.site("example.org").pages("content"):
            print(row.url, row.title)

On the command line: `sitecrawl crawl site -a url=https://example.org/`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl import errors
    from sitecrawl.api.database import Database, SearchResult, StoredSite, load
    from sitecrawl.api.database import open_sites as open
    from sitecrawl.api.pages import Block, Page, extract
    from sitecrawl.api.sites import Layout, LearnedSite, Site, SkippedPage, learn
    from sitecrawl.errors import SitecrawlError
    from sitecrawl.items import ContentItem as Row

__version__ = "0.2.0"

__all__ = [
    "Block",
    "Database",
    "Layout",
    "LearnedSite",
    "Page",
    "Row",
    "SearchResult",
    "Site",
    "SitecrawlError",
    "SkippedPage",
    "StoredSite",
    "errors",
    "extract",
    "learn",
    "load",
    "open",
]

_HOMES = {
    "Block": "api.pages",
    "Database": "api.database",
    "Layout": "api.sites",
    "LearnedSite": "api.sites",
    "Page": "api.pages",
    "SearchResult": "api.database",
    "Site": "api.sites",
    "SitecrawlError": "errors",
    "SkippedPage": "api.sites",
    "StoredSite": "api.database",
    "extract": "api.pages",
    "learn": "api.sites",
    "load": "api.database",
}
_RENAMED = {"Row": ("items", "ContentItem"), "open": ("api.database", "open_sites")}


def __getattr__(name: str) -> object:
    """Return a name of the API, importing its module on first use, so that `import sitecrawl` is cheap."""
    if name == "errors":
        return import_module("sitecrawl.errors")
    home, there = _RENAMED.get(name) or (_HOMES.get(name), name)
    if home is None:
        raise AttributeError(f"module 'sitecrawl' has no attribute {name!r}")
    found: object = getattr(import_module(f"sitecrawl.{home}"), there)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
