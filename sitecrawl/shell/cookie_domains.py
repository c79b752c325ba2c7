"""Makes Scrapy check the domains of cookies with the list of public suffixes that is bundled with tldextract.

Otherwise Scrapy's cookies middleware would fetch the list from the web with another library, which bypasses the address
rules, and logs a traceback for each attempt without a connection.
"""

from typing import Final

from scrapy.downloadermiddlewares import cookies

from sitecrawl.links.scope import public_suffixes

NAME: Final = "_split_domain"
"""Name of the private function of Scrapy's middleware that splits a domain."""


def use_bundled_suffixes() -> None:
    """Make Scrapy use the bundled list in this process. A version of Scrapy without that function is not changed."""
    if hasattr(cookies, NAME):
        setattr(cookies, NAME, public_suffixes())
