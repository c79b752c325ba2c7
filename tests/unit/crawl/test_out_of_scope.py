"""Tests of URLs that the rules of a crawl refuse, on a real database without Scrapy."""

import asyncio
from collections import Counter

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl import out_of_scope
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.out_of_scope import OutOfScope
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.pages import PageStatus
from tests.unit.crawl.crawling import ROOT, crawled, during, html

NUMBERS = (1, 2, 3, 4, 5)


def pages(crawl):
    """Return (status, reason, crawl, whether it is due later) of the stored pages by the end of their URLs."""
    with session_scope(crawl.engine) as session:
        rows = session.execute(text("SELECT url, status, reason, crawl_id, next_fetch_at, fetches FROM page")).all()
    return {row.url.removeprefix(ROOT): row for row in rows}


def known(url):
    """Crawl the pages of NUMBERS, which link to a page `/new` that is not fetched."""

    async def crawl(crawling):
        await crawling.page(f"{ROOT}9", html(9, links=("/new",)))
        return await crawled(crawling, NUMBERS)

    return during(url, crawl, reason="finished")


async def left_out(crawling):
    """Leave out what the rules refuse; return the rows of the feed, the pages, and the counts of refused URLs."""
    left = OutOfScope(crawling.crawl)
    await left.leave_out()
    return await crawling.crawl.conclude(), pages(crawling.crawl), left.counts


def test_stored_pages_that_a_rule_refuses_leave_the_feed(sqlite_url):
    known(sqlite_url)
    settings = {"exclude": ("/[12]$",), "deletions_free": 5}
    rows, stored, counts = during(sqlite_url, left_out, reason="finished", **settings)
    assert sorted((row.status, row.url) for row in rows) == [("gone", f"{ROOT}1"), ("gone", f"{ROOT}2")]
    assert counts == {"exclude": 2}
    for number in "12":
        assert stored[number].status == PageStatus.EXCLUDED
        assert stored[number].reason == "out of scope: an exclude rule matches"
        assert stored[number].fetches == 1
    assert stored["3"].status != PageStatus.EXCLUDED
    assert stored["1"].crawl_id == stored["2"].crawl_id > stored["3"].crawl_id
    with session_scope(open_database(sqlite_url)) as session:  # the longest interval passes
        session.execute(
            text("UPDATE page SET next_fetch_at = '2020-01-01' WHERE status = :left"),
            {"left": int(PageStatus.EXCLUDED)},
        )
    again, later, counts = during(sqlite_url, left_out, reason="finished", **settings)
    assert min(later[number].next_fetch_at for number in "12") > f"{now():%Y-%m-%d}"
    assert (again, counts) == ([], {"exclude": 2})  # they are settled without another row
    assert later["1"].crawl_id > stored["1"].crawl_id
    assert later["1"].reason == stored["1"].reason


def test_a_page_that_is_left_out_is_settled_in_this_crawl(sqlite_url):
    async def settled(crawling):
        await OutOfScope(crawling.crawl).leave_out()
        due = {page.url for page in await crawling.due()}
        return due, {key for key in map(url_key, (f"{ROOT}1", f"{ROOT}2")) if key in crawling.crawl.frontier.settled}

    known(sqlite_url)
    due, keys = during(sqlite_url, settled, exclude=("/[12]$",))
    assert keys == {url_key(f"{ROOT}1"), url_key(f"{ROOT}2")}
    assert due == {f"{ROOT}{name}" for name in ("", "3", "4", "5", "9", "new")}


def test_all_pages_are_looked_at_in_batches(sqlite_url, monkeypatch):
    known(sqlite_url)
    monkeypatch.setattr(out_of_scope, "BATCH", 2)
    *_, counts = during(sqlite_url, left_out, reason="finished", include=("/3$",), deletions_free=9)
    assert counts == {"include": 6}  # 1, 2, 4, 5, 9 and `/new`; the start URL may always be requested


def test_what_only_this_crawl_leaves_out_stays_as_it_is_and_due(sqlite_url):
    async def leave_out():
        crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT, given={"exclude": "/[12]$ /new$"}))
        await OutOfScope(crawl).leave_out()
        found, moment = pages(crawl), now()
        rows = await crawl.conclude()
        await crawl.close("finished", {})
        return rows, found, moment, crawl.crawl_id

    known(sqlite_url)
    before = during(sqlite_url, left_out)[1]
    rows, after, moment, crawl_id = asyncio.run(leave_out())
    assert rows == []
    for name in ("1", "2", "new"):
        assert (after[name].status, after[name].reason) == (before[name].status, before[name].reason)
        assert after[name].crawl_id == crawl_id
    assert after["3"].crawl_id != crawl_id
    assert after["1"].next_fetch_at == before["1"].next_fetch_at
    assert after["new"].next_fetch_at is not None  # never fetched, so the next crawl may request it
    assert str(after["new"].next_fetch_at)[:19] <= f"{moment:%Y-%m-%d %H:%M:%S}"


def test_a_resumed_crawl_does_not_count_what_it_leaves_out(sqlite_url):
    async def begin(crawling):
        for number in NUMBERS:
            await crawling.page(f"{ROOT}{number}", html(number))
        await crawling.crawl.writer.flush()

    async def resume(crawling):
        before = crawling.crawl.frontier.pages
        await OutOfScope(crawling.crawl).leave_out()
        return before, crawling.crawl.frontier.pages

    during(sqlite_url, begin)
    assert during(sqlite_url, resume, exclude=("/[12]$",)) == (5, 3)


@pytest.mark.parametrize(
    ("settings", "followed"),
    [({}, ["a", "b"]), ({"exclude": ("/b$",)}, ["a"]), ({"sitemap_only": True}, []), ({"include": ("/none",)}, [])],
)
def test_links_that_are_followed(sqlite_url, settings, followed):
    async def follow(crawling):
        item = crawling.item(f"{ROOT}1", html(1, links=("/a", "/b")))
        found = [one for one in crawling.crawl.anchors.read(item.page).found if one.url != ROOT]
        return [one.url.removeprefix(ROOT) for one in OutOfScope(crawling.crawl).followed(found)]

    assert during(sqlite_url, follow, **settings) == followed


def test_each_refused_url_counts_once_and_so_many_at_most(sqlite_url, monkeypatch):
    async def count(crawling):
        left = OutOfScope(crawling.crawl)
        found = [left.refusal(f"{ROOT}{name}") for name in ("a", "a", "b", "c", "d", "x")]
        return found, left.counts

    monkeypatch.setattr(out_of_scope, "MOST", 3)
    found, counts = during(sqlite_url, count, exclude=("/[abcd]$",))
    assert found == ["exclude"] * 5 + [None]
    assert counts == {"exclude": 3}


def test_a_crawl_begins_with_the_start_url_or_its_list(sqlite_url, tmp_path, caplog):
    async def begin(crawling):
        discovery, counts = Discovery(crawling.crawl), Counter()
        await discovery.begin()
        due = await crawling.due()
        discovery.out_of_scope.refusal(f"{ROOT}1")
        discovery.count_refused(lambda name, number: counts.update({name: number}))
        return [(one.url, one.depth) for one in due], dict(counts)

    assert during(sqlite_url, begin, exclude=("/1$",)) == ([(ROOT, 0)], {"sitecrawl/scope/refused/exclude": 1})
    assert "no sitemap was read" not in caplog.text
    during(sqlite_url, begin, sitemap_only=True)
    assert "example.org: no sitemap was read, so only known pages were fetched" in caplog.text


def test_a_crawl_of_a_list_requests_nothing_else(sqlite_url, tmp_path):
    listed = tmp_path / "urls.txt"
    listed.write_text(f"{ROOT}a\n{ROOT}b\n")

    async def begin(crawling):
        await Discovery(crawling.crawl).begin()
        return {(one.url, one.depth) for one in await crawling.due()}

    assert during(sqlite_url, begin, urls=str(listed)) == {(f"{ROOT}a", 1), (f"{ROOT}b", 1)}
