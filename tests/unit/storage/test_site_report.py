"""Tests of the overview of a database: the state of sites, and their pages in parts."""

import datetime as dt

import pytest
from sqlalchemy import insert, update

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import REEXTRACT, RELEASE, CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.page_state import RowStatus
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.site_report import ContentSample, PageFilter, SiteReportRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CONTENT, HOST, PAGE, REJECTION, SINK, SITE, TEMPLATE
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW, record

EVERY = PageFilter()
HOSTS = ("b.example", "a.example")


@pytest.fixture
def session(sqlite_url):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        for host in HOSTS:
            SiteRepository(session).get_or_add(host, f"https://{host}/", NOW)
        yield session
    engine.dispose()


@pytest.fixture
def ids(session):
    return {host: SiteRepository(session).get(host).id for host in HOSTS}


def state(session, host):
    states = {one.host: one for one in SiteReportRepository(session).states()}
    assert SiteReportRepository(session).state(states[host].id) == states[host]
    return states[host]


def pages(session, site_id, **statuses):
    """Store pages 1, 2 ...; their values are changes of a fetch."""
    for key, changes in enumerate(statuses.values(), 1):
        PageRepository(session).record(site_id, [fetched(key, **changes)])


def test_the_last_crawl_of_each_site_in_the_order_of_hosts(session, ids):
    crawls = CrawlRepository(session)
    for host, pages_, reason in (
        ("a.example", 1, "finished"),
        ("b.example", 2, "outage"),
        ("a.example", 3, "max_pages"),
    ):
        crawls.finish(crawls.begin(ids[host], NOW).id, NOW + dt.timedelta(hours=1), reason, {"pages": pages_})
    last = crawls.begin(ids["b.example"], NOW + dt.timedelta(days=1)).id
    found = SiteReportRepository(session).states()
    assert [one.host for one in found] == ["a.example", "b.example"]
    first, second = found
    assert (first.ended, first.stats, first.started_at) == ("max_pages", {"pages": 3}, NOW)
    assert (second.crawl_id, second.ended, second.finished_at, second.stats) == (last, None, None, {})
    assert [state(session, one.host) for one in found] == found
    assert SiteReportRepository(session).state(max(ids.values()) + 1) is None


def test_an_extraction_of_stored_pages_and_a_release_are_no_crawls(session, ids):
    crawls, later = CrawlRepository(session), NOW + dt.timedelta(hours=1)
    for host in HOSTS:
        crawls.finish(crawls.begin(ids[host], NOW).id, NOW, "finished", {})
    assert state(session, "a.example").crawled_at == NOW
    last = crawls.begin_finished(ids["a.example"], later, REEXTRACT)
    crawls.finish(last, later, REEXTRACT, {})
    found = state(session, "a.example")
    assert (found.crawl_id, found.started_at, found.crawled_at) == (last, later, NOW)
    assert state(session, "b.example").crawled_at == NOW
    crawls.finish(crawls.begin_finished(ids["a.example"], later, RELEASE), later, RELEASE, {})
    assert state(session, "a.example").crawled_at == NOW


def test_a_site_that_was_never_crawled_is_shown_unless_only_its_address_is_known(session, ids):
    assert (state(session, "a.example").crawl_id, state(session, "a.example").stats) == (None, {})
    session.execute(update(SITE).where(SITE.c.host == "a.example").values(reach="public"))
    assert [one.host for one in SiteReportRepository(session).states()] == ["b.example"]
    session.execute(update(SITE).where(SITE.c.host == "a.example").values(options={"max_pages": 3}))
    assert len(SiteReportRepository(session).states()) == 2


def test_troubles_of_a_site_are_counted_apart_from_those_of_others(session, ids):
    session.execute(insert(SINK).values(name="files", sequence=0))
    for host, count in (("a.example", 3), ("b.example", 1)):
        pages(session, ids[host], **{f"page{key}": {} for key in range(count + 1)})
        session.execute(update(PAGE).where(PAGE.c.site_id == ids[host], PAGE.c.url_key <= count).values(deletion=1))
        for number in range(count):
            host_row = {"site_id": ids[host], "netloc": f"{number}.{host}", "breaker": 1, "failures": 1, "given_up": 0}
            refused = {"sink": "files", "site_id": ids[host], "url_key": number, "attempts": 1, "reason": "no"}
            session.execute(insert(HOST).values(host_row))
            session.execute(insert(REJECTION).values(**refused, rejected_at=NOW))
    assert [(one.held, one.failing, one.refused) for one in (state(session, host) for host in HOSTS)] == [
        (1, 1, 1),
        (3, 3, 3),
    ]


def layout(session, site_id, number, crawl_id, retired_at=None):
    row = {"site_id": site_id, "layout": number, "crawl_id": crawl_id, "retired_at": retired_at, "version": number}
    session.execute(insert(TEMPLATE).values(**row, pages_seen=3, novelty=0.5, label_rule=1, updated_at=NOW))


def test_layouts_that_the_last_crawl_published_beside_others_are_new(session, ids):
    crawls, site_id = CrawlRepository(session), ids["a.example"]
    first = crawls.begin(site_id, NOW).id
    layout(session, site_id, 1, first)
    assert (state(session, "a.example").layouts, state(session, "a.example").new_layouts) == (1, 0)
    crawls.finish(first, NOW, "finished", {})
    last = crawls.begin(site_id, NOW).id
    for number in (2, 3):
        layout(session, site_id, number, last)
    layout(session, site_id, 4, last, retired_at=NOW)
    layout(session, ids["b.example"], 1, last)
    assert (state(session, "a.example").layouts, state(session, "a.example").new_layouts) == (3, 2)
    assert (state(session, "b.example").layouts, state(session, "b.example").new_layouts) == (1, 0)


def test_known_urls_are_counted_by_site(session, ids):
    pages(session, ids["a.example"], first={}, second={}, third={})
    pages(session, ids["b.example"], first={})
    report = SiteReportRepository(session)
    assert report.known(ids.values()) == {ids["a.example"]: 3, ids["b.example"]: 1}
    assert report.known([ids["b.example"]]) == {ids["b.example"]: 1}


def contents(session, site_id, *values):
    pages(session, site_id, **{f"page{key}": {} for key in range(len(values))})
    for key, (kind, confidence) in enumerate(values, 1):
        ContentRepository(session).put(site_id, record(key, order=key, kind=kind, confidence=confidence))


def test_a_sample_of_the_contents_says_how_sure_they_are(session, ids):
    site_id = ids["a.example"]
    report = SiteReportRepository(session)
    assert report.sample(site_id) == ContentSample(0, 0, 0, None)
    contents(
        session,
        site_id,
        ("content", 0.5),
        ("content", 1.0),
        ("listing", 0.2),
        ("none", 0.0),
        ("none", 0.1),
        ("none", 0),
    )
    contents(session, ids["b.example"], ("content", 0.1))
    assert report.sample(site_id) == ContentSample(6, 3, 1, 0.75)
    assert report.sample(site_id, 1) == ContentSample(1, 0, 0, 0.5)
    session.execute(update(CONTENT).where(CONTENT.c.url_key == 1).values(status=RowStatus.GONE))
    assert report.sample(site_id) == ContentSample(5, 3, 1, 1.0)
    assert [one.url_key for one in report.doubtful(site_id, 4, 9)] == [4, 5, 6, 3]
    assert [one.url_key for one in report.doubtful(site_id, 2, 2)] == [3, 2]


def test_pages_are_counted_by_status_and_layout(session, ids):
    site_id = ids["a.example"]
    dead, error = {"status": PageStatus.DEAD}, {"status": PageStatus.ERROR}
    pages(session, site_id, a={}, b={}, c=dead, d=error, e={})
    pages(session, ids["b.example"], a={})
    for key, number in ((1, 1), (2, 2), (5, 2)):
        session.execute(update(PAGE).where(PAGE.c.site_id == site_id, PAGE.c.url_key == key).values(layout=number))
    session.execute(update(PAGE).where(PAGE.c.site_id == site_id, PAGE.c.url_key.in_((2, 5))).values(deletion=1))
    found = SiteReportRepository(session).counts(site_id)
    assert found.statuses == {PageStatus.FETCHED: 3, PageStatus.DEAD: 1, PageStatus.ERROR: 1}
    assert list(found.statuses) == sorted(found.statuses)
    assert found.layouts == {1: 1, 2: 2}
    assert found.held == 2


def test_pages_are_listed_in_parts(session, ids):
    site_id = ids["a.example"]
    pages(session, site_id, a={}, b={"status": PageStatus.ERROR, "reason": "HTTP 500"}, c={}, d={})
    ContentRepository(session).put(site_id, record(1, confidence=0.25))
    session.execute(update(PAGE).where(PAGE.c.site_id == site_id, PAGE.c.url_key == 3).values(layout=7, deletion=1))
    report = SiteReportRepository(session)

    def keys(wanted=EVERY, **part):
        return [one.url_key for one in report.pages(site_id, wanted, **part)]

    assert keys() == keys(by_url=False) == [1, 2, 3, 4]
    assert keys(offset=1, limit=2) == [2, 3]
    assert keys(PageFilter(statuses=(PageStatus.ERROR,))) == [2]
    assert keys(PageFilter(layout=7)) == keys(PageFilter(held=True)) == [3]
    assert keys(PageFilter(text="/4")) == [4]
    assert keys(PageFilter(text="_")) == []  # as it stands
    first, second = report.rows(site_id, [1, 2])
    assert (first.url, first.kind, first.title, first.words, first.confidence) == (
        url(1),
        "content",
        "A title",
        1,
        0.25,
    )
    assert (second.status, second.reason, second.kind) == (PageStatus.ERROR, "HTTP 500", None)
    assert [one.url_key for one in report.rows(site_id, [4, 9, 1])] == [4, 1]


def test_a_site_of_which_nothing_is_known_has_no_troubles_and_no_layouts(session, ids):
    found = state(session, "a.example")
    assert (found.held, found.failing, found.refused, found.layouts, found.new_layouts) == (0, 0, 0, 0, 0)
    assert (found.crawled_at, found.started_at) == (None, None)
    crawls = CrawlRepository(session)
    crawls.finish(crawls.begin(ids["a.example"], NOW).id, NOW + dt.timedelta(hours=1), "finished", {})
    assert (state(session, "a.example").crawled_at, state(session, "a.example").paused_at) == (NOW, None)


def test_layouts_from_before_their_crawls_were_recorded_are_not_new(session, ids):
    site_id = ids["a.example"]
    last = CrawlRepository(session).begin(site_id, NOW).id
    for number, crawl_id in ((1, None), (2, None), (3, last)):
        layout(session, site_id, number, crawl_id)
    assert (state(session, "a.example").layouts, state(session, "a.example").new_layouts) == (3, 1)


def test_pages_are_listed_by_url_or_in_the_order_of_keys(session, ids):
    site_id = ids["a.example"]
    pages(session, site_id, a={}, b={}, c={})
    for key, name in ((1, "z"), (2, "m"), (3, "A")):
        session.execute(update(PAGE).where(PAGE.c.url_key == key).values(url=f"https://a.example/{name}"))
    report = SiteReportRepository(session)
    assert [one.url_key for one in report.pages(site_id, EVERY)] == [3, 2, 1]
    assert [one.url_key for one in report.pages(site_id, EVERY, by_url=False)] == [1, 2, 3]
    assert [one.url_key for one in report.pages(site_id, EVERY, offset=1, limit=1)] == [2]
    assert [one.url_key for one in report.pages(site_id, PageFilter(text="a.EXAMPLE/M"))] == [2]


def test_a_part_has_fifty_pages_unless_another_number_is_asked_for(session, ids):
    site_id = ids["a.example"]
    PageRepository(session).record(site_id, [fetched(key) for key in range(1, 53)])
    report = SiteReportRepository(session)
    assert len(report.pages(site_id, EVERY)) == 50
    assert len(report.pages(site_id, EVERY, limit=51)) == 51
