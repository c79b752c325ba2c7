import asyncio
import datetime as dt

from sitecrawl.config import Config
from sitecrawl.crawl import stored_pages
from sitecrawl.crawl.stored_pages import StoredPages
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.metadata.describe import read
from sitecrawl.storage.bodies import StoredPage

HTML = "<h1>One</h1><p>two</p>"
MOMENT = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)


class Writer:
    async def submit(self, _):
        return 1


def item(key):
    page = Page.from_html(HTML, f"https://example.org/{key}")
    return PageItem(page, key, HTML, 200, 0, MOMENT, reading=read(page, MOMENT))


def stored(key, url=None):
    given = dict.fromkeys(StoredPage.__annotations__)
    given |= {"url_key": key, "url": url or f"https://example.org/{key}", "html": HTML, "depth": 0, "sample": ()}
    return StoredPage(**given)


def test_what_is_held_of_a_page_is_not_read_again():
    kept, one = StoredPages(Config(), Writer(), 1), item(1)
    kept.hold(one)
    first, second = (asyncio.run(kept.item(stored(1))) for _ in range(2))
    assert first.page is one.page
    assert first.reading is one.reading
    assert second.page is not one.page
    assert second.page.flat.path == one.page.flat.path
    assert second.reading is None


def test_what_is_held_is_bounded(monkeypatch):
    rows = len(item(1).page.flat)
    monkeypatch.setattr(stored_pages, "HELD", 2 * rows)
    kept = StoredPages(Config(), Writer(), 1)
    given = [item(key) for key in (1, 2, 3)]
    for one in given:
        kept.hold(one)
    made = [asyncio.run(kept.item(stored(one.url_key))) for one in given]
    assert [one.page is there.page for one, there in zip(given, made, strict=True)] == [True, True, False]
    kept.hold(given[2])
    assert asyncio.run(kept.item(stored(3))).page is given[2].page


def test_a_page_of_another_url_is_not_taken():
    kept, one = StoredPages(Config(), Writer(), 1), item(1)
    kept.hold(one)
    assert asyncio.run(kept.item(stored(1, "https://example.org/moved"))).page is not one.page
