"""Tests of what sitemaps, feeds and translations do to a crawl, on a real database without Scrapy."""

import datetime as dt

import pytest
from sqlalchemy import update

from sitecrawl.clock import now
from sitecrawl.crawl.conditional_get import may_ask
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier import LINK_PRIORITY, SITEMAP_PRIORITY
from sitecrawl.crawl.sources import SourceRequest
from sitecrawl.links.dates import Dated
from sitecrawl.links.relations import Relation
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sources import SourceKind, SourceRepository
from sitecrawl.storage.tables.models import PAGE
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

SITEMAP = f"{ROOT}sitemap.xml"
ASK = SourceRequest(SITEMAP, url_key(SITEMAP), SourceKind.SITEMAP, parent=7)


def entry(path, dated=None):
    url = f"{ROOT}{path}"
    return url, url_key(url), dated and Dated(dated, dated)


def sources(crawl):
    return crawl.writer.run(lambda s: SourceRepository(s).all(crawl.site_id))


def test_new_pages_of_a_sitemap_come_after_those_that_pages_name(sqlite_url):
    async def take(crawling):
        discovery = Discovery(crawling.crawl)
        taken = (
            await discovery.take(ASK.url_key, [entry("a"), entry("b"), entry("a")]),
            await discovery.take(ASK.url_key, [entry("a")]),
        )
        due = await crawling.due()
        return taken, {(one.url, one.depth, one.priority) for one in due}, discovery.revisit

    taken, due, revisit = during(sqlite_url, take)
    assert taken == ((2, 0), (0, 0))
    assert due == {(f"{ROOT}a", 1, SITEMAP_PRIORITY), (f"{ROOT}b", 1, SITEMAP_PRIORITY)}
    assert SITEMAP_PRIORITY < LINK_PRIORITY
    assert not revisit


@pytest.mark.parametrize(("lastmod", "hastened"), [(True, 1), (False, 0)])
def test_a_page_that_changed_since_is_visited_sooner(sqlite_url, lastmod, hastened):
    async def take(crawling):
        discovery = Discovery(crawling.crawl)
        moment = now()  # after the visits of the first crawl
        first = await discovery.take(ASK.url_key, [entry("1", moment), entry("new", moment)])
        return discovery.revisit, first, await discovery.take(ASK.url_key, [entry("1", moment)])

    async def first(crawling):
        crawling.crawl.order.fetched = 0
        await crawled(crawling, (1, 2))

    during(sqlite_url, first, reason="finished")
    assert during(sqlite_url, take, lastmod=lastmod) == (True, (1, hastened), (0, 0))


def test_how_a_source_was_read_is_stored(sqlite_url):
    async def read(crawling):
        discovery, crawl = Discovery(crawling.crawl), crawling.crawl
        await discovery.read(ASK, 12, None, etag='"a"', last_modified="then")
        (good,) = sources(crawl)
        await discovery.read(ASK, 0, "HTTP 500", good=False)
        return good, *sources(crawl)

    good, bad = during(sqlite_url, read)
    assert (good.url, good.kind, good.parent, good.etag) == (SITEMAP, SourceKind.SITEMAP, 7, '"a"')
    assert (good.last_modified, good.pages, good.problem) == ("then", 12, None)
    assert good.read_at is not None
    assert (bad.problem, bad.etag, bad.read_at, bad.pages) == ("HTTP 500", '"a"', good.read_at, 12)


@pytest.mark.parametrize("guessed", [True, False])
def test_of_a_guessed_source_that_is_missing_the_time_is_stored(sqlite_url, guessed):
    async def read(crawling):
        await Discovery(crawling.crawl).read(ASK._replace(guessed=guessed), 0, "HTTP 404", good=False)
        return sources(crawling.crawl)

    (missing,) = during(sqlite_url, read)
    assert (missing.problem, missing.read_at is not None) == ("HTTP 404", guessed)


def test_a_source_that_did_not_change_was_read_now_and_names_what_it_named(sqlite_url):
    child = f"{ROOT}sitemap-1.xml"

    async def unchanged(crawling):
        first = Discovery(crawling.crawl)
        await first.read(ASK, 1, None)
        await first.read(SourceRequest(child, url_key(child), SourceKind.SITEMAP, 1, ASK.url_key), 3, None)
        before = {one.url: one.read_at for one in sources(crawling.crawl)}
        discovery = Discovery(crawling.crawl)
        await discovery.unchanged(ASK)
        after = {one.url: one.read_at for one in sources(crawling.crawl)}
        return before, after, [ask.url for ask in discovery.sources.take()]

    before, after, asked = during(sqlite_url, unchanged)
    assert after[SITEMAP] > before[SITEMAP]
    assert after[child] == before[child]
    assert asked == [child]


@pytest.mark.parametrize(("feeds", "sitemaps", "known"), [(True, True, 1), (False, True, 1), (False, False, 0)])
def test_sources_of_earlier_crawls_are_known_where_any_are_wanted(sqlite_url, feeds, sitemaps, known):
    async def stored(crawling):
        await Discovery(crawling.crawl).read(ASK, 1, None)

    async def again(crawling):
        return len(Discovery(crawling.crawl).sources.stored)

    during(sqlite_url, stored)
    assert during(sqlite_url, again, feeds=feeds, sitemaps=sitemaps) == known


def spared(url, *, moment, before=0, **settings):
    """Return what a crawl spares of pages that were fetched before `moment` and are dated so by a sitemap.

    `before` visits of each page were spared.
    """

    async def first(crawling):
        await crawled(crawling, range(1, PAGES + 1))

    async def again(crawling):
        discovery, crawl = Discovery(crawling.crawl), crawling.crawl
        with session_scope(crawl.engine) as session:
            session.execute(update(PAGE).values(not_modified=before))
        await discovery.take(ASK.url_key, [entry(number, moment) for number in range(1, PAGES + 1)])
        for _ in range(2):
            await discovery.spare()
        return discovery.spared, len(crawl.frontier.settled), crawl.frontier.pages

    for _ in range(2):
        during(url, first, reason="finished")
    return during(url, again, reason="finished", **settings)


def test_pages_that_their_site_calls_unchanged_are_spared_once(sqlite_url):
    past = now() - dt.timedelta(days=100)
    assert spared(sqlite_url, moment=past) == (PAGES, PAGES, 0)
    assert spared(sqlite_url, moment=past, lastmod=False) == (0, 0, 0)


@pytest.mark.parametrize(("before", "every", "asked"), [(0, 10, 4), (7, 10, 1), (9, 10, 0), (9, 0, 4)])
def test_pages_that_were_spared_before_are_visited_in_turns(sqlite_url, before, every, asked):
    keys = [url_key(f"{ROOT}{number}") for number in range(1, PAGES + 1)]
    assert sum(may_ask(key, before, every) for key in keys) == asked
    past = now() - dt.timedelta(days=100)
    assert spared(sqlite_url, moment=past, before=before, full_fetch_every=every)[0] == asked


def test_nothing_is_spared_where_unchanged_pages_have_rows(sqlite_url):
    assert spared(sqlite_url, moment=now() - dt.timedelta(days=100), emit_unchanged=True) == (0, 0, 0)


def test_nothing_is_spared_that_changed_since(sqlite_url):
    assert spared(sqlite_url, moment=now() + dt.timedelta(hours=1)) == (0, 0, 0)


def test_a_sitemap_that_is_gone_spares_no_visit(sqlite_url):
    async def take(crawling, asked):
        discovery, moment = Discovery(crawling.crawl), now() - dt.timedelta(days=100)
        if asked:
            await discovery.take(ASK.url_key, [entry(number, moment) for number in range(1, PAGES + 1)])
        await discovery.spare()
        return discovery.spared

    async def first(crawling):
        await take(crawling, True)
        await crawled(crawling, range(1, PAGES + 1))

    for _ in range(2):
        during(sqlite_url, first, reason="finished")
    assert during(sqlite_url, lambda crawling: take(crawling, False)) == 0  # it was not read in this crawl
    assert during(sqlite_url, lambda crawling: take(crawling, True)) == PAGES


def test_links_of_a_page_that_was_spared_count_as_seen(sqlite_url):
    async def first(crawling):
        await crawling.page(f"{ROOT}1", html(1, links=("/deep",)))
        await crawled(crawling, range(2, PAGES + 1))

    async def again(crawling):
        discovery = Discovery(crawling.crawl)
        await discovery.take(
            ASK.url_key, [entry(number, now() - dt.timedelta(days=100)) for number in range(1, PAGES + 1)]
        )
        await discovery.spare()
        return discovery.spared, url_key(f"{ROOT}deep") in crawling.crawl.frontier.seen

    for _ in range(2):
        during(sqlite_url, first, reason="finished")
    assert during(sqlite_url, again) == (PAGES, True)


@pytest.mark.parametrize(
    ("path", "depth", "taken"),
    [("de/1", 1, True), ("de/1", 2, False), ("de/1.pdf", 1, False), (f"de{'/de' * 30}", 1, False), ("1", 1, False)],
)
def test_a_translation_is_taken_unless_it_is_known_deep_or_a_trap(sqlite_url, path, depth, taken):
    async def alternate(crawling):
        await crawling.page(f"{ROOT}1", html(1))
        crawling.crawl.frontier.max_depth = 1
        url = f"{ROOT}{path}"
        found = Discovery(crawling.crawl).alternate(Relation(url, url_key(url)), depth)
        return found and (found.url, found.depth, found.priority)

    expected = (f"{ROOT}{path}", depth, LINK_PRIORITY - depth) if taken else None
    assert during(sqlite_url, alternate) == expected


def test_what_a_sitemap_names_is_in_the_database_at_once(sqlite_url):
    async def take(crawling):
        await Discovery(crawling.crawl).take(ASK.url_key, [entry("a")])
        crawl = crawling.crawl
        known = crawl.writer.run(lambda s: [key for key, *_ in PageRepository(s).known(crawl.site_id)])
        return known, crawl.frontier.known, crawl.frontier.claimed

    assert during(sqlite_url, take) == ([url_key(f"{ROOT}a")], {url_key(f"{ROOT}a")}, set())
