"""Judges the domains of cookies by the list of public suffixes that tldextract brings.

Scrapy's cookies middleware would fetch the list from the web with a library of its own: past the guard of addresses,
and with a traceback for each try where the web cannot be reached.
"""

from typing import Final

from scrapy.downloadermiddlewares import cookies

from sitecrawl.links.scope import public_suffixes

NAME: Final = "_split_domain"
"""Scrapy's function that splits a domain, private to its middleware."""


def use_bundled_suffixes() -> None:
    """Let Scrapy use the bundled list in this process. A Scrapy without that function stays as it is."""
    if hasattr(cookies, NAME):
        setattr(cookies, NAME, public_suffixes())
