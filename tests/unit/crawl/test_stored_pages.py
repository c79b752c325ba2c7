import asyncio
import datetime as dt
from functools import partial

import pytest
from lxml.etree import tostring
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.crawl import stored_pages
from sitecrawl.crawl.stored_pages import HeldRows, StoredPages
from sitecrawl.dom.page import Page, parse_html
from sitecrawl.errors import DamagedBodyError, DatabaseLostError, PageTooLargeError, StorageError
from sitecrawl.items import PageItem
from sitecrawl.links.urls import url_key
from sitecrawl.metadata.describe import read
from sitecrawl.storage.bodies import BodyRepository, StoredPage
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.records import NOINDEX
from tests.unit.crawl.crawling import ROOT, during, html

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
    first, second = (kept.item(stored(1)) for _ in range(2))
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
    made = [kept.item(stored(one.url_key)) for one in given]
    assert [one.page is there.page for one, there in zip(given, made, strict=True)] == [True, True, False]
    kept.hold(given[2])
    assert kept.item(stored(3)).page is given[2].page


def test_the_crawls_of_a_process_hold_no_more_than_all_of_them_may():
    rows = len(item(1).page.flat)
    of_all = HeldRows(3 * rows)
    first, second = (StoredPages(Config(), Writer(), site, of_all) for site in (1, 2))
    given = [item(key) for key in (1, 2, 3, 4)]
    for one in given[:2]:
        first.hold(one)
    for one in given[2:]:
        second.hold(one)
    assert [second.held(key) is not None for key in (3, 4)] == [True, False]
    assert of_all.left == 0
    first.item(stored(1))  # what is taken makes room
    second.hold(given[3])
    assert second.held(4) is given[3].page
    first.release()
    second.release()
    assert of_all.left == 3 * rows
    assert second.held(4) is None


def test_of_a_page_that_waits_long_the_metadata_alone_is_held():
    kept, one = StoredPages(Config(), Writer(), 1), item(1)
    kept.hold(one, parsed=False)
    made = kept.item(stored(1))
    assert made.page is not one.page
    assert made.reading is one.reading


def test_a_page_by_which_its_layout_decided_is_held_beyond_that_bound(monkeypatch):
    rows = len(item(1).page.flat)
    monkeypatch.setattr(stored_pages, "HELD", rows)
    monkeypatch.setattr(stored_pages, "DECIDING_ROOM", rows)
    kept = StoredPages(Config(), Writer(), 1)
    given = [item(key) for key in (1, 2, 3)]
    for one in given:
        kept.hold(one)
    again = [item(key).page for key in (1, 2, 3)]
    for one, page in zip(given, again, strict=True):
        kept.hold_parsed(one.url_key, page)
    made = [kept.item(stored(key)) for key in (1, 2, 3)]
    assert made[0].page is given[0].page
    assert made[1].page is again[1]
    assert made[1].reading is given[1].reading
    assert made[2].page is not again[2]
    kept.hold(given[2])
    assert kept.held(3) is given[2].page


def test_a_page_of_another_url_is_not_taken():
    kept, one = StoredPages(Config(), Writer(), 1), item(1)
    kept.hold(one)
    assert kept.item(stored(1, "https://example.org/moved")).page is not one.page


def test_pages_are_read_ahead_up_to_a_limit(sqlite_url, monkeypatch):
    async def ahead(crawling):
        for number in range(3):
            await crawling.page(f"{ROOT}{number}", html(number))
        bodies, keys = crawling.crawl.bodies, tuple(crawling.crawl.waiting.pages)
        whole = [await bodies.get(key) for key in keys]
        monkeypatch.setattr(stored_pages, "AHEAD", len(whole[0].html) + 1)
        await bodies.read_ahead(keys)
        before = crawling.crawl.writer.batch.operations
        taken = [await bodies.taken(key) for key in keys]
        await crawling.crawl.writer.flush()
        return whole == taken, crawling.crawl.writer.batch.operations - before

    assert during(sqlite_url, ahead) == (True, 2)  # the third page, and the flush


def test_what_was_read_ahead_is_taken_once(sqlite_url):
    async def ahead(crawling):
        await crawling.page(f"{ROOT}1", html(1))
        bodies, (key,) = crawling.crawl.bodies, crawling.crawl.waiting.pages
        await bodies.read_ahead([key, 5])
        first, second = await bodies.taken(key), await bodies.taken(key)
        return first == second, first is second, await bodies.taken(5)

    assert during(sqlite_url, ahead) == (True, False, None)


def test_a_page_is_held_without_its_tree_which_its_stored_body_gives_again(sqlite_url):
    async def held(crawling):
        await crawling.page(f"{ROOT}1", html(1))
        bodies, (key,) = crawling.crawl.bodies, crawling.crawl.waiting.pages
        page, body = bodies.held(key), (await bodies.get(key)).html
        before = crawling.crawl.writer.batch.operations
        text = page.text((0,))
        read = crawling.crawl.writer.batch.operations - before
        return text == Page.from_html(body, ROOT).text((0,)), read, tostring(page.root) == tostring(parse_html(body))

    assert during(sqlite_url, held) == (True, 0, True)


def test_a_page_whose_html_is_wanted_is_held_with_its_tree_and_counts_more(monkeypatch):
    rows = len(item(1).page.flat)
    monkeypatch.setattr(stored_pages, "HELD", stored_pages.TREE * rows)
    kept = StoredPages(Config(content_html=True), Writer(), 1)
    given = [item(key) for key in (1, 2)]
    trees = [one.page.root for one in given]
    for one in given:
        kept.hold(one)
    assert kept.held(1).root is trees[0]
    assert kept.held(2) is None


def test_the_tree_of_a_page_that_is_held_is_made_again_from_its_body(sqlite_url):
    async def held(crawling):
        await crawling.page(f"{ROOT}1", html(1))
        bodies, (key,) = crawling.crawl.bodies, crawling.crawl.waiting.pages
        page, before = bodies.held(key), crawling.crawl.writer.batch.operations
        assert page.root is not None
        return crawling.crawl.writer.batch.operations - before

    assert during(sqlite_url, held) == 1


def damage_the_second(monkeypatch):
    """Make the body of page 2 one that cannot be read."""
    stored = BodyRepository.stored

    def damaged(self, site_id, key):
        if key == url_key(f"{ROOT}2"):
            raise DamagedBodyError("the body of /2 is damaged")
        return stored(self, site_id, key)

    monkeypatch.setattr(BodyRepository, "stored", damaged)


def test_pages_that_cannot_be_read_are_passed_over(sqlite_url, monkeypatch, caplog):
    async def first(crawling):
        for number in range(1, 4):
            await crawling.page(f"{ROOT}{number}", html(number))
        bodies, keys = crawling.crawl.bodies, [url_key(f"{ROOT}{number}") for number in (9, 2, 1, 3)]
        damage_the_second(monkeypatch)
        await bodies.read_ahead(keys)
        ahead = set(bodies._ahead)
        await bodies.read_ahead([keys[2], keys[1], keys[3]])
        assert {key: stored.url for key, stored in bodies._ahead.items()} == {keys[2]: f"{ROOT}1", keys[3]: f"{ROOT}3"}
        found = [(await bodies.first(keys, most))[0] for most in (0, 1, 2, 3)]
        read = [bodies.read(key) is not None for key in keys]
        return keys, ahead, found, read, bodies.unreadable

    keys, ahead, found, read, unreadable = during(sqlite_url, first)
    assert ahead == set(keys[2:])
    assert found == [(), (keys[2],), (keys[2], keys[3]), (keys[2], keys[3])]
    assert read == [False, False, True, True]
    assert unreadable == {keys[1]}
    assert caplog.text.count("the body of /2 is damaged") == 1


def test_pages_of_a_layout_are_read_several_at_once(sqlite_url, monkeypatch, caplog):
    asked = []

    async def read(crawling):
        for number in range(1, 6):
            await crawling.page(f"{ROOT}{number}", html(number))
        bodies, keys = crawling.crawl.bodies, [url_key(f"{ROOT}{number}") for number in (4, 9, 2, 1, 3, 5)]
        held = Page.from_html(html(1), f"{ROOT}1")
        bodies.release()
        bodies.hold_parsed(keys[3], held)
        damage_the_second(monkeypatch)
        monkeypatch.setattr(stored_pages, "AHEAD", len(html(4)) + len(html(3)))
        submit = bodies.writer.submit
        monkeypatch.setattr(bodies.writer, "submit", lambda work: asked.append(work) or submit(work))
        return keys, held, await bodies.pages(keys), bodies.unreadable

    keys, held, found, unreadable = during(sqlite_url, read)
    assert list(found) == [keys[0], keys[3], keys[4], keys[5]]
    assert [page.url for page in found.values()] == [f"{ROOT}{number}" for number in (4, 1, 3, 5)]
    assert found[keys[3]] is held
    assert unreadable == {keys[2]}
    assert caplog.text.count("the body of /2 is damaged") == 1
    names = [work.func.__name__ for work in asked if isinstance(work, partial)]
    assert names == ["_readable", "stored_page", "stored_page", "_readable"]  # 4, 9 and 2 by themselves too; 3 and 5


@pytest.mark.parametrize("error", [StorageError("no"), DatabaseLostError("lost")])
def test_pages_that_cannot_be_read_ahead_are_read_alone_unless_the_database_is_lost(error):
    class Failing:
        async def submit(self, _):
            raise error

    async def ahead():
        await StoredPages(Config(), Failing(), 1).read_ahead([1])

    if isinstance(error, DatabaseLostError):
        with pytest.raises(DatabaseLostError):
            asyncio.run(ahead())
    else:
        asyncio.run(ahead())


@pytest.mark.parametrize(("http_status", "reason"), [(203, None), (None, NOINDEX)])
def test_an_item_is_what_was_stored_of_its_page(http_status, reason):
    given = stored(1)._replace(
        http_status=http_status, reason=reason, depth=3, fetched_at=MOMENT, sample=(7,), content_language="de",
        learned_version=4, layout=2,
    )  # fmt: skip
    made = StoredPages(Config(), Writer(), 1).item(given)
    assert (made.url, made.url_key, made.html, made.http_status) == (given.url, 1, HTML, http_status or 0)
    assert (made.depth, made.fetched_at, made.sample, made.content_language) == (3, MOMENT, (7,), "de")
    assert (made.learned_version, made.layout, made.stored) == (4, 2, True)
    assert made.noindex is (reason == NOINDEX)


def test_pages_whose_bodies_are_damaged_are_asked_for_without_conditions_once(sqlite_url):
    async def asks(crawling):
        crawl = crawling.crawl
        for number in (1, 2):
            await crawling.page(f"{ROOT}{number}", html(number), etag='"e"', last_modified="today")
        await crawl.bodies.fetch_damaged_again()
        before = crawl.writer.batch.operations
        key = url_key(f"{ROOT}1")
        crawl.bodies.pass_over(key, DamagedBodyError("damaged"))
        crawl.bodies.pass_over(url_key(f"{ROOT}2"), PageTooLargeError(f"{ROOT}2", "too large"))
        for _ in range(2):
            await crawl.bodies.fetch_damaged_again()
        await crawl.writer.flush()
        with session_scope(crawl.engine, write=False) as session:
            rows = session.execute(
                text("SELECT url, etag, last_modified FROM page WHERE crawl_id IS NOT NULL AND etag IS NULL")
            ).all()
        return [tuple(row) for row in rows], crawl.writer.batch.operations - before

    assert during(sqlite_url, asks) == ([(f"{ROOT}1", None, None)], 2)  # the change, and the flush


def test_the_tree_of_a_page_that_was_taken_is_made_of_the_body_at_hand():
    kept, one = StoredPages(Config(), Writer(), 1), item(1)  # this writer reads nothing
    kept.hold(one)
    made = kept.item(stored(1))
    assert made.page is one.page
    assert [heading.text for heading in made.page.root.iter("h1")] == ["One"]


def test_a_page_that_was_parsed_again_is_held_without_its_tree(sqlite_url):
    async def holds(crawling):
        await crawling.page(f"{ROOT}1", html(1))
        bodies, key = crawling.crawl.bodies, url_key(f"{ROOT}1")
        page = await bodies.page(key)
        released = []
        page.release = released.append
        bodies._held.clear()
        bodies.hold_parsed(key, page)
        return len(released), bodies.held(key) is page

    assert during(sqlite_url, holds) == (1, True)
