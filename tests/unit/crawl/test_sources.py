import datetime as dt

import pytest

from sitecrawl.crawl import sources as module
from sitecrawl.crawl.sources import Sources
from sitecrawl.links.dates import parse_date
from sitecrawl.links.relations import Relation
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.sitemap_entries import SitemapEntry
from sitecrawl.links.urls import url_key
from sitecrawl.storage.sources import SourceKind, StoredSource

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
BASE = "https://example.org/"
SCOPE = SiteScope.of(BASE)


def sources(*stored):
    return Sources(SCOPE, stored, NOW)


def stored(name, kind=SourceKind.SITEMAP, **values):
    url = BASE + name
    values = {"etag": '"1"', "read_at": NOW - dt.timedelta(days=1), **values}
    return StoredSource(url_key(url), url, kind, **values)


def entry(name, lastmod=None):
    return SitemapEntry(BASE + name, url_key(BASE + name), parse_date(lastmod) if lastmod else None)


def named(*names):
    return [Relation(BASE + name, url_key(BASE + name)) for name in names]


def names(asks):
    return [ask.url.removeprefix(BASE) for ask in asks]


def robots(found, *urls):
    return found.robots("".join(f"Sitemap: {url}\n" for url in urls), f"{BASE}robots.txt")


def test_robots_names_sitemaps_of_the_site_only():
    found = sources()
    others = ["https://cdn.example/b.xml", "http://127.0.0.66/c.xml"]
    assert robots(found, "/a.xml", *others, "file:///etc/passwd", "/a.xml") == others
    asks = found.take()
    assert names(asks) == ["a.xml"]
    assert not found.settled
    found.done(asks[0])
    assert found.settled
    robots(found, "/a.xml")
    assert found.take() == []


@pytest.mark.parametrize("text", ["", "User-agent: *\nDisallow: /private/\n"])
def test_without_a_sitemap_in_robots_txt_the_usual_one_is_looked_for(text):
    found = sources()
    assert found.robots(text, f"{BASE}robots.txt") == []
    (ask,) = found.take()
    assert (ask.url, ask.guessed) == (f"{BASE}sitemap.xml", True)
    found.done(ask, missing=True)
    assert found.settled
    assert not found.read_any


def test_the_usual_sitemap_is_not_looked_for_if_robots_txt_names_another():
    for url in ("/a.xml", "https://cdn.example/b.xml"):
        found = sources()
        robots(found, url)
        assert not any(ask.guessed for ask in found.take())


@pytest.mark.parametrize(("days", "again"), [(29, False), (31, True)])
def test_a_usual_sitemap_that_was_not_there_is_looked_for_after_a_month(days, again):
    missing = stored("sitemap.xml", etag=None, problem="HTTP 404", read_at=NOW - dt.timedelta(days=days))
    found = sources(missing)
    found.guess(f"{BASE}robots.txt")
    assert names(found.take()) == (["sitemap.xml"] if again else [])


def test_a_usual_sitemap_that_was_read_in_part_is_read_again():
    found = sources(stored("sitemap.xml", problem="it is truncated", pages=12))
    found.guess(f"{BASE}robots.txt")
    assert names(found.take()) == ["sitemap.xml"]


def test_a_usual_sitemap_that_was_there_is_asked_for_with_its_validators():
    found = sources(stored("sitemap.xml"))
    found.guess(f"{BASE}robots.txt")
    (ask,) = found.take()
    assert (ask.etag, ask.guessed) == ('"1"', True)


def test_an_index_that_names_itself_and_always_new_ones_ends():
    found = sources()
    robots(found, "/0.xml")
    asked = 0
    while asks := found.take():
        for ask in asks:
            asked += 1
            found.index(ask, [entry("0.xml"), entry(f"{ask.url_key}/1.xml"), entry(f"{ask.url_key}/2.xml")])
            found.done(ask)
    assert asked == 1 + 2 + 4
    assert found.refused == 4 * 3
    assert found.settled


def test_no_more_indexes_and_sitemaps_than_the_limits(monkeypatch):
    monkeypatch.setattr(module, "MAX_INDEXES", 3)
    found = sources()
    robots(found, *(f"/{i}.xml" for i in range(5)))
    unread = [found.index(ask, [entry(f"{ask.url_key}/child.xml")]) for ask in found.take()]
    assert unread == [0] * 5
    assert len(found.take()) == 3
    assert found.refused == 2
    monkeypatch.setattr(module, "MAX_SITEMAPS", 4)
    found = sources()
    robots(found, *(f"/{i}.xml" for i in range(6)))
    assert len(found.take()) == 4
    assert found.refused == 2


def test_known_sources_are_asked_for_with_their_validators():
    found = sources(stored("a.xml", last_modified="x"), stored("b.xml", problem="malformed XML"))
    robots(found, "/a.xml", "/b.xml", "/c.xml")
    assert [(ask.etag, ask.last_modified) for ask in found.take()] == [('"1"', "x"), (None, None), (None, None)]
    old = sources(stored("a.xml", read_at=NOW - module.WHOLE_AFTER))
    robots(old, "/a.xml")
    assert old.take()[0].etag is None


def test_sitemaps_that_did_not_change_stay_unread():
    found = sources(stored("a.xml"), stored("b.xml"), stored("c.xml", problem="malformed XML"))
    robots(found, "/index.xml")
    (ask,) = found.take()
    entries = [entry("a.xml", "2026-02-01"), entry("b.xml", "2026-03-01"), entry("c.xml", "2026-02-01"), entry("d.xml")]
    assert found.index(ask, entries) == 1
    assert names(found.take()) == ["b.xml", "c.xml", "d.xml"]


def test_of_an_index_that_is_as_it_was_the_known_sitemaps_are_read():
    index = stored("index.xml")
    found = sources(index, stored("a.xml", parent=index.url_key), stored("b.xml"))
    robots(found, "/index.xml")
    (ask,) = found.take()
    assert ask.etag == '"1"'
    found.not_modified(ask)
    assert names(found.take()) == ["a.xml"]


def test_feeds_are_read_when_the_start_page_or_two_pages_name_them():
    found = sources()
    found.feeds(named("feed/"), start=True)
    found.feeds(named("feed/", "one/feed/", "news/feed/"), start=False)
    found.feeds(named("feed/", "two/feed/", "news/feed/"), start=False)
    assert names(found.take()) == ["feed/", "news/feed/"]


def test_known_feeds_are_polled_at_once():
    found = sources(stored("feed/", SourceKind.FEED), stored("dead/", SourceKind.FEED, read_at=None))
    assert [(ask.url, ask.kind) for ask in found.take()] == [(f"{BASE}feed/", SourceKind.FEED)]


@pytest.mark.parametrize("start", [True, False])
def test_no_more_feeds_than_the_limits(start, monkeypatch):
    monkeypatch.setattr(module, "MAX_CANDIDATES", 30)
    found = sources()
    for i in range(100):
        found.feeds(named(f"{i}/feed/"), start=start)
        found.feeds(named(f"{i}/feed/"), start=start)
    assert len(found.take()) == module.MAX_FEEDS
    for i in range(1000, 1100):
        found.feeds(named(f"{i}/feed/"), start=False)
    assert len(found._candidates) <= 30


def test_it_is_known_whether_any_source_was_read():
    found = sources()
    assert not found.read_any
    robots(found, "https://example.org/sitemap.xml")
    for ask in found.take():
        found.done(ask)
    assert found.read_any


@pytest.mark.parametrize(
    ("depth", "below"), [(0, [1, 1]), (module.MAX_DEPTH - 1, [module.MAX_DEPTH] * 2), (module.MAX_DEPTH, [])]
)
def test_the_sitemaps_of_an_unchanged_index_are_a_step_below_it(depth, below):
    index = stored("index.xml")
    found = sources(index, *(stored(name, parent=index.url_key) for name in ("a.xml", "b.xml")))
    robots(found, "/index.xml")
    (ask,) = found.take()
    found.not_modified(ask._replace(depth=depth))
    asks = found.take()
    assert [one.depth for one in asks] == below
    assert {one.parent for one in asks} <= {index.url_key}


def test_an_index_that_names_nothing_known_adds_nothing():
    found = sources(stored("index.xml"), stored("a.xml"))
    robots(found, "/index.xml")
    (ask,) = found.take()
    found.not_modified(ask)
    assert found.take() == []
