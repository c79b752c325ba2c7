"""Tests of the number of statements of a visit, including BEGIN and COMMIT, on SQLite."""

import asyncio
from collections import Counter

from sitecrawl.links.urls import url_key
from tests.unit.crawl.crawling import PAGES, Crawling, html
from tests.unit.crawl.faults import Driver

FIRST, NOT_MODIFIED, IDENTICAL, CHANGED = 18, 7, 10, 19
"""Most statements of a visit that finds one new URL: a first one, one answered by 304, one that finds the stored
body, and one that finds another text. One of them checks that the crawl still has its lease."""
NEW = ("/deep",)
ONE = "https://example.org/7"


def address(number):
    return f"https://example.org/{number}"


async def statements(crawling, item=None):
    """Return the statements of a visit to a page whose template is ready; None for one that is not modified."""
    driver = Driver(crawling.crawl.engine)
    if item is None:
        with driver.failing_at(0):
            await crawling.crawl.visits.not_modified(url_key(ONE), ONE, 1)
    else:
        await crawling.crawl.publishing.learn(item)
        with driver.failing_at(0):
            assert await crawling.crawl.page_store.extract(item) is not None
    return list(driver.statements)


def written(made, table):
    """Return how often the rows of a table are written and read."""
    counts = Counter(
        "read" if one.startswith("SELECT") else "written"
        for one in made
        if f"INTO {table} " in one or f"UPDATE {table} " in one or f"FROM {table} " in one or f"JOIN {table} " in one
    )
    return counts["written"], counts["read"]


def crawled(url, visit, **settings):
    async def crawls():
        crawling = Crawling(url, **settings)
        for number in range(1, PAGES + 2):
            await crawling.page(address(number), html(number))
        await crawling.waiting()
        first = await statements(crawling, crawling.item(ONE, unlinked(7), etag='"7"'))
        await crawling.end()
        if visit is None:
            return first
        again = Crawling(url)
        await again.due()
        return await visit(again)

    return asyncio.run(crawls())


def unlinked(number, **given):
    """Return a page that links to one new URL, with an anchor text that does not describe it."""
    return html(number, links=NEW, **given).replace("Story about deep", "1")


def test_a_first_visit(sqlite_url):
    made = crawled(sqlite_url, None)
    assert len(made) <= FIRST, "\n".join(made)
    own = [one for one in made if "INTO page " in one]
    assert len(own) == 2  # the page and the URL that it names
    assert not [one for one in made if "UPDATE page " in one]
    assert len([one for one in made if "INTO content " in one]) == 1


def test_a_page_that_was_not_modified(sqlite_url):
    made = crawled(sqlite_url, statements)
    assert len(made) <= NOT_MODIFIED, "\n".join(made)
    assert written(made, "page") == (1, 1)


def test_a_page_whose_body_is_identical(sqlite_url):
    async def identical(crawling):
        visits, key, body = crawling.crawl.visits, url_key(ONE), unlinked(7)
        driver = Driver(crawling.crawl.engine)
        with driver.failing_at(0):
            assert await visits.known.is_identical(key, body, None)
            await visits.identical(key, ONE, 1, 200, None, None)
        return list(driver.statements)

    made = crawled(sqlite_url, identical)
    assert len(made) <= IDENTICAL, "\n".join(made)
    assert written(made, "page") == (1, 1)


def test_a_page_that_changed(sqlite_url):
    async def changed(crawling):
        return await statements(crawling, crawling.item(ONE, unlinked(7, text="Another story, which was edited.")))

    made = crawled(sqlite_url, changed)
    assert len(made) <= CHANGED, "\n".join(made)
    assert len([one for one in made if "INTO page " in one or "UPDATE page " in one]) == 1
    whole = [one for one in made if one.startswith("SELECT") and "content.text," in one]
    assert len(whole) == 1, "\n".join(whole)


def test_a_body_that_is_not_kept_is_not_written(sqlite_url):
    made = crawled(sqlite_url, None, store_bodies=False)
    assert not [one for one in made if "INTO body " in one]
