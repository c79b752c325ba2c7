"""Adds the cookies, headers and proxy of a crawl to its requests, and to no others."""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from sitecrawl.crawl.site_options import Access
from sitecrawl.links.scope import SiteScope
from sitecrawl.shell.site_spider import site_crawl_of


class AccessMiddleware:
    """Adds cookies and headers to requests to the site only; only to HTTPS requests if the start URL is HTTPS."""

    def __init__(self, access: Access, scope: SiteScope, start_url: str) -> None:
        self.access, self.scope = access, scope
        self._secure = start_url.startswith("https:")
        self._begun: set[str] = set()
        """Hosts that were sent the given cookies once; from then on Scrapy sends the cookies that the site sets."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "AccessMiddleware":
        """Build from the running crawl. Raises NotConfigured if it has no cookies, headers, login or proxy."""
        crawl = site_crawl_of(crawler)
        if crawl is None or crawl.options.access.is_plain:
            raise NotConfigured
        return cls(crawl.options.access, crawl.scope, crawl.start_url)

    def process_request(self, request: Request) -> None:
        """Add the site's proxy to a request; requests to the site also get its headers and first cookies."""
        if self.access.proxy:
            request.meta.setdefault("proxy", self.access.proxy)
        if not self._belongs(request.url):
            for name in self.access.headers:  # Scrapy copies them to the target of a redirect
                request.headers.pop(name, None)
            return
        for name, value in self.access.headers.items():
            request.headers[name] = value
        host = urlsplit(request.url).netloc
        if self.access.cookies and host not in self._begun:
            self._begun.add(host)
            request.cookies = [
                {"name": name, "value": value, "secure": self._secure} for name, value in self.access.cookies.items()
            ]

    def _belongs(self, url: str) -> bool:
        return (url.startswith("https:") or not self._secure) and self.scope.contains(url)
