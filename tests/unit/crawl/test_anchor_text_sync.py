"""Tests of telling the indexes by what words links call the pages."""

import pytest

from sitecrawl.crawl import anchor_text_sync
from sitecrawl.crawl.anchor_text_sync import relink
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

NUMBERS = tuple(range(1, PAGES + 1))


async def linked(crawling):
    """Crawl pages; the last one links to the others with other words."""
    for number in NUMBERS:
        await crawling.page(f"{ROOT}{number}", html(number))
    await crawling.waiting()
    anchors = "".join(f"<a href='/{number}'>The tale of {number}</a>" for number in NUMBERS)
    await crawling.page(f"{ROOT}hub", f"<html><body><h1>Hub</h1><p>Some words about it.</p>{anchors}</body></html>")
    await crawled(crawling, ())


async def told(crawling):
    crawl = crawling.crawl
    return await relink(crawl.writer, crawl.site_id, crawl.crawl_id)


def anchors(crawling):
    """Return the pages whose anchor texts were sent to an index."""
    with session_scope(crawling.crawl.engine) as session:
        contents, site_id = ContentRepository(session), crawling.crawl.site_id
        records = [contents.get(site_id, url_key(f"{ROOT}{number}")).record for number in NUMBERS]
        return [one for one in records if one.anchors]


@pytest.mark.parametrize("at_once", [1, 2, 50])
def test_pages_that_links_name_are_told_again_once(sqlite_url, monkeypatch, at_once):
    monkeypatch.setattr(anchor_text_sync, "AT_ONCE", at_once)

    async def twice(crawling):
        await linked(crawling)
        return await told(crawling), await told(crawling), len(anchors(crawling))

    assert during(sqlite_url, twice) == (len(NUMBERS), 0, len(NUMBERS))


def test_pages_that_no_link_names_are_left_alone(sqlite_url):
    async def alone(crawling):
        await crawled(crawling, NUMBERS)
        return await told(crawling)

    assert during(sqlite_url, alone) == 0
