"""The item pipeline for items that have the HTML of their page in a field."""

from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler

from sitecrawl.item_fields.items import ItemFields
from sitecrawl.item_fields.page_values import PageValues


class ItemFieldsPipeline:
    """Adds the values of a page to the item that contains its HTML (SITECRAWL_ITEM_HTML, SITECRAWL_ITEM_URL)."""

    def __init__(self, crawler: Crawler) -> None:
        self._fields = ItemFields(crawler)
        self._last: tuple[object, object, PageValues | None] = (None, None, None)
        """HTML, URL and values of the last page, since the items of one page arrive one after another."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ItemFieldsPipeline":
        """Build from the running crawl."""
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Return the item, with the values of its page if it can be read."""
        if not ItemAdapter.is_item(item):
            return item
        adapter, targets = ItemAdapter(item), self._fields.targets
        html, url = adapter.get(targets.html), adapter.get(targets.url)
        if (html, url) != self._last[:2]:
            self._last = html, url, self._fields.values(html, url)
        self._fields.add(item, self._last[2])
        return item
