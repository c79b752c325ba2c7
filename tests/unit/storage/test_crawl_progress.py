import datetime as dt

import pytest
from sqlalchemy import event, insert, update

from sitecrawl.links.urls import url_key
from sitecrawl.storage import crawl_progress
from sitecrawl.storage.crawl_progress import CrawlProgressRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE, SUSPENDED

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture
def session(engine):
    with session_scope(engine) as session:
        yield session


@pytest.fixture
def site_id(session):
    return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def add(session, site_id, numbers, **values):
    """Add pages; those of a crawl count as fetched now, unless `values` differ."""
    given = {"site_id": site_id, "status": int(PageStatus.DISCOVERED), "depth": 1, "discovered_at": NOW}
    if values.get("crawl_id"):
        given |= {"status": int(PageStatus.FETCHED), "fetched_at": NOW - MINUTE}
    rows = [
        {**given, "url_key": url_key(url), "url": url, "discovery": number, **values}
        for number, url in ((number, f"https://example.org/{number}") for number in numbers)
    ]
    session.execute(insert(PAGE), rows)


def test_a_small_site_is_counted_exactly(session, site_id):
    add(session, site_id, range(10), crawl_id=7)
    add(session, site_id, range(10, 14), crawl_id=7, status=int(PageStatus.ERROR), fetched_at=NOW - 9 * MINUTE)
    add(session, site_id, range(20, 25))
    add(session, site_id, range(30, 33), crawl_id=6, next_fetch_at=NOW - MINUTE)
    add(session, site_id, range(40, 42), crawl_id=6, next_fetch_at=NOW + MINUTE)
    add(session, site_id, range(50, 51), crawl_id=6)
    other = SiteRepository(session).get_or_add("other.org", "https://other.org/", NOW).id
    add(session, other, range(60, 64), crawl_id=7)
    row = {"site_id": site_id, "url_key": 1, "url": "u", "netloc": "example.org", "reason": "timeout", "depth": 0}
    session.execute(insert(SUSPENDED), [row])
    found = CrawlProgressRepository(session).progress(site_id, 7, NOW - 20 * MINUTE, NOW)
    assert (found.done, found.new, found.due, found.later, found.left) == (14, 5, 3, 3, 8)
    assert (found.failed, found.suspended, found.speed, found.exact) == (4, 1, 2.0, True)


def test_a_crawl_that_has_only_begun_has_no_speed(session, site_id):
    repository = CrawlProgressRepository(session)
    assert repository.progress(site_id, 1, NOW, NOW).speed is None
    add(session, site_id, range(30), crawl_id=1, fetched_at=NOW - dt.timedelta(seconds=5))
    assert repository.progress(site_id, 1, NOW - MINUTE, NOW).speed == 30
    assert repository.progress(site_id, 1, NOW - crawl_progress.SHORTEST, NOW).speed == 180
    assert repository.progress(site_id, 1, NOW - crawl_progress.SHORTEST * 0.9, NOW).speed is None


def test_a_large_site_is_estimated_from_a_sample(session, site_id, monkeypatch):
    monkeypatch.setattr(crawl_progress, "COUNTED", 100)
    add(session, site_id, range(1200), crawl_id=7)
    add(session, site_id, range(1200, 1600), crawl_id=7, status=int(PageStatus.ERROR))
    add(session, site_id, range(2000, 2050))
    add(session, site_id, range(3000, 3750), crawl_id=6, next_fetch_at=NOW)
    found = CrawlProgressRepository(session).progress(site_id, 7, NOW - 20 * MINUTE, NOW, sampled=800)
    assert not found.exact
    assert found.new == 50  # counted, as it is below COUNTED
    for number, right in ((found.done, 1600), (found.failed, 400), (found.due, 750), (found.speed, 320)):
        assert number == pytest.approx(right, rel=0.25)


def test_an_estimate_is_in_proportion_to_the_keys_that_were_seen(session, site_id):
    """Keys are distributed evenly over 63 bits: 11 keys in the first hundredth represent 1,000 pages."""
    step = crawl_progress.KEYS // 1000
    row = {"site_id": site_id, "status": int(PageStatus.FETCHED), "depth": 1, "discovered_at": NOW, "crawl_id": 6}
    rows = [{**row, "url_key": n * step, "url": str(n), "discovery": n, "next_fetch_at": NOW} for n in range(1, 31)]
    session.execute(insert(PAGE), rows)
    found = CrawlProgressRepository(session).progress(site_id, 7, NOW - MINUTE, NOW, sampled=11)
    assert (found.due, found.later, found.exact) == (round(10 * 1000 / 11), 0, False)


def test_one_refresh_reads_a_part_of_the_pages_in_few_statements(session, site_id):
    add(session, site_id, range(300), crawl_id=7)
    statements = []

    def note(connection, cursor, statement, *_):
        statements.append(statement)

    event.listen(session.connection(), "before_cursor_execute", note)
    repository = CrawlProgressRepository(session)
    repository.states([site_id])
    repository.progress(site_id, 7, NOW - MINUTE, NOW, sampled=100)
    assert len(statements) == 5
    assert all("LIMIT" in one for one in statements[1:])


def test_the_last_crawl_and_the_lease_of_sites(session, site_id):
    crawls, repository = CrawlRepository(session), CrawlProgressRepository(session)
    assert repository.states([site_id, 4711])[0][:6] == (site_id, "example.org", None, None, None, None)
    first = crawls.begin(site_id, NOW - 9 * MINUTE)
    crawls.finish(first.id, NOW - 8 * MINUTE, "finished", {})
    second = crawls.begin(site_id, NOW)
    session.execute(update(SITE).values(lease_owner="box:1:a.b:c", leased_until=NOW + MINUTE))
    (state,) = repository.states([site_id])
    assert state[2:] == ("box:1:a.b:c", NOW + MINUTE, second.id, NOW, None, None)
    assert repository.states([]) == []


def test_the_speed_counts_what_was_fetched_since_then_that_moment_included(session, site_id):
    since = NOW - 2 * MINUTE
    for number, at in enumerate((since - MINUTE / 60, since, since + MINUTE, NOW)):
        add(session, site_id, [number], crawl_id=7, fetched_at=at)
    assert CrawlProgressRepository(session).progress(site_id, 7, since, NOW).speed == 1.5


def test_an_empty_site_has_nothing(session, site_id):
    found = CrawlProgressRepository(session).progress(site_id, 7, NOW - MINUTE, NOW)
    assert (found.done, found.new, found.due, found.later, found.failed, found.suspended) == (0,) * 6
    assert (found.exact, found.speed) == (True, 0.0)


@pytest.mark.parametrize(("number", "exact"), [(9, True), (10, False)])
def test_a_site_as_large_as_the_sample_is_estimated(session, site_id, number, exact):
    add(session, site_id, range(number), crawl_id=7)
    found = CrawlProgressRepository(session).progress(site_id, 7, NOW - 20 * MINUTE, NOW, sampled=10)
    assert (found.exact, found.done) == (exact, number)


def test_what_is_below_the_limit_is_counted(session, site_id, monkeypatch):
    monkeypatch.setattr(crawl_progress, "COUNTED", 21)
    add(session, site_id, range(20), crawl_id=7)
    add(session, site_id, range(20, 40))
    found = CrawlProgressRepository(session).progress(site_id, 7, NOW - 20 * MINUTE, NOW, sampled=10)
    assert (found.done, found.new) == (20, 20)
