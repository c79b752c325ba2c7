"""Tests of known pages that are visited again: which of them a repeated body is enough for."""

import pytest
from sqlalchemy import text

from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

URL = f"{ROOT}1"
KEY = url_key(URL)
LINKS = ("/1", "/2")
BODY = html(1, links=LINKS)


def second_crawl(url, does, change=None, *, head="", **settings):
    """Crawl pages of a server without validators, change the database, and return what a function makes of the next
    crawl."""

    async def first(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number, links=LINKS, head=head), content_language="de")
        await crawled(crawling, ())
        if change is not None:
            with session_scope(crawling.crawl.engine) as session:
                session.execute(text(change), {"key": KEY})

    during(url, first, reason="finished", **settings)

    async def again(crawling):
        await crawling.due()
        return await does(crawling)

    return during(url, again, **settings)


def identical(body=BODY, language="de"):
    async def asks(crawling):
        return await crawling.crawl.visits.known.is_identical(KEY, body, language)

    return asks


FORBIDDEN = "UPDATE page SET reason = 'noindex' WHERE url_key = :key"


def test_a_repeated_body_is_enough(sqlite_url):
    assert second_crawl(sqlite_url, identical()) is True


def test_a_repeated_body_with_another_nonce_is_enough(sqlite_url):
    assert second_crawl(sqlite_url, identical(BODY.replace("<body>", "<body><!-- made in 7 ms -->"))) is False
    nonce = "<script nonce=a1></script>"

    async def first(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number, links=LINKS, head=nonce), content_language="de")
        await crawled(crawling, ())

    async def again(crawling):
        await crawling.due()
        body = html(1, links=LINKS, head=nonce.replace("a1", "b2"))
        return [await identical(one)(crawling) for one in (body, body.replace("Story", "History"))]

    during(sqlite_url, first, reason="finished")
    assert during(sqlite_url, again) == [True, False]


def test_a_repeated_body_is_enough_for_a_page_that_names_another_one(sqlite_url):
    change = "UPDATE page SET reason = 'canonical: https://example.org/2' WHERE url_key = :key"
    assert second_crawl(sqlite_url, identical(), change) is True


@pytest.mark.parametrize(
    ("meta", "enough"),
    [
        ("<meta name=robots content=noindex>", True),
        ("<meta name=robots content='unavailable_after: 25 Jun 2010 15:00:00 PST'>", True),
        ("<meta name=googlebot content=noindex>", False),
    ],
)
def test_a_repeated_body_is_enough_for_a_page_that_keeps_itself_out_of_indexes(sqlite_url, meta, enough):
    again = identical(html(1, links=LINKS, head=meta))
    assert second_crawl(sqlite_url, again, FORBIDDEN, head=meta) is enough


@pytest.mark.parametrize(("date", "enough"), [("2020-01-01", False), ("2099-01-01", True), ("soon", True)])
def test_a_page_whose_time_in_indexes_has_ended_since_then_is_read(sqlite_url, date, enough):
    meta = f"<meta name=robots content='Unavailable_After: {date}'>"
    again = identical(html(1, links=LINKS, head=meta))
    assert second_crawl(sqlite_url, again, head=meta) is enough


@pytest.mark.parametrize(("body", "language"), [(BODY + " ", "de"), (BODY, "en"), (BODY, None), ("", "de")])
def test_another_body_or_language_is_read(sqlite_url, body, language):
    assert second_crawl(sqlite_url, identical(body, language)) is False


@pytest.mark.parametrize(
    "change",
    [
        FORBIDDEN,  # by a header that this response has not
        "UPDATE page SET deletion = 1 WHERE url_key = :key",
        "UPDATE page SET status = 3 WHERE url_key = :key",
        "UPDATE body SET html = x'00' WHERE url_key = :key",
        "DELETE FROM body WHERE url_key = :key",
        "DELETE FROM content WHERE url_key = :key",
        "DELETE FROM template WHERE :key = :key",
    ],
)
def test_a_page_is_read_whose_body_does_not_decide_alone(sqlite_url, change):
    assert second_crawl(sqlite_url, identical(), change) is False


def test_a_page_that_no_crawl_knows_is_read(sqlite_url):
    async def asks(crawling):
        return await crawling.crawl.visits.known.is_identical(url_key(f"{ROOT}new"), BODY, None)

    assert second_crawl(sqlite_url, asks) is False


def test_at_least_every_nth_page_is_read(sqlite_url):
    async def asks(crawling):
        object.__setattr__(crawling.crawl.config, "full_fetch_every", 1)
        crawling.crawl.frontier.taken.clear()
        crawling.crawl.visits.known.asked.clear()
        await crawling.due()
        return await identical()(crawling)

    assert second_crawl(sqlite_url, asks) is False


def test_a_repeated_body_is_recorded_like_a_304_with_its_own_status_and_validators(sqlite_url):
    async def recorded(crawling):
        crawl = crawling.crawl
        row = await crawl.visits.identical(KEY, URL, 1, 200, '"new"', None)
        with session_scope(crawl.engine) as session:
            stored = session.execute(
                text("SELECT http_status, status, not_modified, etag, content_language FROM page WHERE url_key = :key"),
                {"key": KEY},
            ).one()
        return row, tuple(stored), url_key(f"{ROOT}2") in crawl.frontier.seen, KEY in crawl.visits.known.asked

    row, stored, seen, asked = second_crawl(sqlite_url, recorded, emit_unchanged=True)
    assert (row.status, row.http_status) == ("unchanged", 200)
    assert stored == (200, 2, 1, '"new"', "de")
    assert (seen, asked) == (True, False)
