"""The spider of a site without Scrapy's engine."""

from types import SimpleNamespace

import pytest

from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.shell.site_spider import ProcessShare
from sitecrawl.spiders.site import SiteSpider
from tests.unit.crawl.crawling import during


@pytest.mark.parametrize(("in_worker", "held"), [(False, ["held"]), (True, [])])
def test_a_crawl_alone_fetches_nothing_while_waiting_pages_are_extracted(sqlite_url, in_worker, held):
    came = []

    async def emit(crawling):
        share = ProcessShare(Sandbox(crawling.config)) if in_worker else None
        spider = SiteSpider(crawling.crawl, share)
        spider.engine = SimpleNamespace(hold=lambda: came.append("held"))
        spider.emit_waiting()
        return spider._wake.is_set()

    assert during(sqlite_url, emit)
    assert came == held
