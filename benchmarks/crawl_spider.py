"""The spider that `crawl.py` compares with: follows links with LinkExtractor, and may call a library on each page.

scrapy runspider benchmarks/crawl_spider.py -a url=http://127.0.0.1:8000/ -a peer=trafilatura -O rows.jsonl
"""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor


def extraction(peer: str) -> Callable[[str], Any] | None:
    """Return a function that extracts the main content of HTML with a library; None for no library."""
    if peer == "trafilatura":
        from trafilatura import extract  # noqa: PLC0415

        return extract
    if peer == "readability":
        from readability import Document  # noqa: PLC0415

        return lambda html: Document(html).summary()
    if peer == "resiliparse":
        from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

        return lambda html: extract_plain_text(html, main_content=True)
    return None


class LinkSpider(Spider):
    """Yields a row for each page of a host."""

    name = "links"
    custom_settings = {  # noqa: RUF012  (Scrapy's own manner)
        # The settings of `scrapy startproject`, without delays and open ports.
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }

    def __init__(self, url: str, peer: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [url]
        self.links = LinkExtractor(allow_domains=[urlsplit(url).netloc])
        self.extract = extraction(peer)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """Yield the row of a page, and a request for each link."""
        if not isinstance(response, HtmlResponse):
            return
        row = {"url": response.url, "title": response.css("title::text").get()}
        if self.extract is not None:
            row["text"] = self.extract(response.text)
        yield row
        for link in self.links.extract_links(response):
            yield response.follow(link)
