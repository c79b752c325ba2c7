"""The spider middleware for items whose page is the response from which they were scraped."""

from typing import Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from sitecrawl.dom.charset import real_charset
from sitecrawl.item_fields.items import ItemFields
from sitecrawl.item_fields.page_values import PageValues


class ItemFieldsMiddleware(BaseSpiderMiddleware):
    """Adds the values of a response to its items. A pipeline could not do this, since it does not see the response.

    A response is read once, when its first item arrives.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._fields = ItemFields(crawler)
        self._found: WeakKeyDictionary[Response, PageValues | None] = WeakKeyDictionary()

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return the item, with the values of its page if it can be read."""
        if not ItemAdapter.is_item(item):
            return item
        self._fields.add(item, self._values(response) if response is not None else None)
        return item

    def _values(self, response: Response) -> PageValues | None:
        if response not in self._found:
            html = _text(response) if isinstance(response, TextResponse) and _is_html(response) else None
            self._found[response] = self._fields.values(html, response.url)
        return self._found[response]


def _text(response: TextResponse) -> str:
    """Return the text of a response, decoded with the charset that a crawl would use."""
    real = real_charset(response.body, response.encoding)
    return response.text if real is None else response.body.decode(real, "replace")


def _is_html(response: TextResponse) -> bool:
    """Return whether a response is HTML by its class, or by its header if a downloader uses its own response class."""
    return isinstance(response, HtmlResponse) or b"html" in (response.headers.get("Content-Type") or b"").lower()
