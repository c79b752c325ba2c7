"""A stored page whose body cannot be read is reported and skipped, and stops no crawl."""

import asyncio

import pytest
import zstandard
from sqlalchemy import text

from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from tests.unit.crawl.crawling import PAGES, Crawling, html

BAD = "https://example.org/2"
NO_LAYOUT = "UPDATE page SET layout = NULL"
OLD_RULE = "UPDATE template SET label_rule = 0"


def run(url, *statements):
    engine = open_database(url)
    with session_scope(engine) as session:
        for one in statements:
            session.execute(text(one))
    engine.dispose()


async def crawled(url, last=PAGES + 2, *, end=True):
    crawling = Crawling(url)
    for number in range(1, last + 1):
        await crawling.page(f"https://example.org/{number}", html(number))
    if end:
        await crawling.end()
    else:
        await crawling.crawl.abandon()


@pytest.mark.parametrize(
    ("end", "last", "also"),
    [(True, PAGES + 2, NO_LAYOUT), (True, PAGES + 2, OLD_RULE), (False, 3, "")],
    ids=["a page without a layout", "a template of another label rule", "a crawl that is resumed"],
)
@pytest.mark.parametrize("damage", ["x'00'", "too large"])
def test_a_body_that_cannot_be_read_keeps_no_crawl_from_its_start(database_url, end, last, also, damage, caplog):
    asyncio.run(crawled(database_url, last, end=end))
    key = url_key(BAD)
    if damage == "too large":
        node = "".join(f"<p>{i}" for i in range(3000))
        replace(database_url, f"<html><body>{node}</body></html>")
        settings = {"max_nodes": 2000}
    else:
        broken = "x'00'" if database_url.startswith("sqlite") else "'\\x00'"
        run(database_url, f"UPDATE body SET html = {broken} WHERE url_key = {key}")
        settings = {}
    run(database_url, *([also] if also else []))
    crawling = Crawling(database_url, **settings)
    assert crawling.crawl.bodies.unreadable == {key}
    assert sum(BAD in message for message in caplog.messages) == 1
    asyncio.run(finish(crawling))


async def finish(crawling):
    row = await crawling.page("https://example.org/1", html(1, text="It has changed since."))
    rows = [row, *await crawling.end()]
    assert any(row is not None and row.url.endswith("/1") for row in rows)


def replace(url, page):
    body = zstandard.ZstdCompressor().compress(page.encode())
    engine = open_database(url)
    with session_scope(engine) as session:
        session.execute(text("UPDATE body SET html = :html WHERE url_key = :key"), {"html": body, "key": url_key(BAD)})
    engine.dispose()
