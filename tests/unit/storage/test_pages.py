import dataclasses
import datetime as dt
import json
import math

import pytest
from sqlalchemy import select, text
from sqlalchemy.dialects import postgresql, sqlite

from sitecrawl.errors import StorageError
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.traps import MANY_WORDS
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import STREAMED, PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.columns import Unsigned64, UtcDateTime
from sitecrawl.storage.tables.models import PAGE
from tests.fetched import fetched
from tests.unit.storage.test_contents import record

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
BIG = (1 << 63) - 1


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def found(key, **values):
    given = Discovered(key, f"https://example.org/{key}", 1, 0, None, 10, key)
    return given._replace(**values)


def fetch(key, **values):
    given = fetched(key, etag='W/"e"', last_modified="Sun, 01 Mar 2026 00:00:00 GMT", html="<p>hello", sample=(BIG, 6))
    return given._replace(**values)


def row(session, key, *columns):
    return tuple(
        session.execute(text(f"SELECT {', '.join(columns)} FROM page WHERE url_key = :key"), {"key": key}).one()
    )


def test_one_url_found_twice_on_a_page_keeps_the_more_urgent_finding(engine, site_id):
    with session_scope(engine) as session:
        twice = [found(1, dom_distance=None, priority=5), found(1, dom_distance=3, priority=9), found(2)]
        PageRepository(session).discover(site_id, twice, NOW)
        assert row(session, 1, "dom_distance", "priority") == (3, 9)
        assert {key for key, *_ in PageRepository(session).known(site_id)} == {1, 2}


def test_numbers_beyond_the_column_are_cut(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.discover(site_id, [found(BIG, depth=10**6, hyperlink_distance=-(10**6), dom_distance=10**9)], NOW)
        pages.record(site_id, [fetch(2, depth=10**6, http_status=70_000)])
        assert row(session, BIG, "depth", "hyperlink_distance", "dom_distance") == (32767, -32768, 32767)


def test_text_that_a_database_refuses_is_cleaned(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        odd = fetch(1, reason="no\x00 \ud800good", etag="e\x00", last_modified="\x00", url="https://example.org/\x00")
        pages.record(site_id, [odd])
        assert row(session, 1, "reason", "etag", "last_modified", "url") == (
            "no good",
            "e",
            "",
            "https://example.org/",
        )


def test_a_stored_page_comes_back_whole(engine, site_id):
    html = "<p>grün 漢字 🎈 \x00" * 1000
    with session_scope(engine) as session:
        PageRepository(session).record(site_id, [fetch(1, html=html)])
    with session_scope(engine, write=False) as session:
        stored = BodyRepository(session).stored(site_id, 1)
        assert BodyRepository(session).stored(site_id, 2) is None
        assert session.scalar(text("SELECT length(html) FROM body")) < 200
    assert (stored.html, stored.sample, stored.fetched_at) == (html, (BIG, 6), NOW)


@pytest.mark.parametrize("status", [s for s in PageStatus if s is not PageStatus.FETCHED])
def test_whatever_happens_later_the_good_body_stays(engine, site_id, status):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site_id, [fetch(1)])
        pages.record(
            site_id,
            [
                fetch(
                    1,
                    status=status,
                    http_status=304,
                    crawl_id=2,
                    html=None,
                    etag=None,
                    last_modified=None,
                    sample=(),
                    reason="why",
                ),
            ],
        )
        stored = BodyRepository(session).stored(site_id, 1)
        assert (stored.html, stored.sample, stored.reason) == ("<p>hello", (BIG, 6), "why")
        assert row(session, 1, "etag", "status", "crawl_id") == ('W/"e"', int(status), 2)


def test_a_repeated_body_comes_with_its_own_validators(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site_id, [fetch(1)])
        pages.record(site_id, [fetch(1, status=PageStatus.UNCHANGED, crawl_id=2, html=None, etag='"new"')])
        assert row(session, 1, "etag", "not_modified", "crawl_id") == ('"new"', 1, 2)


def test_failures_in_a_row_are_counted(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        for crawl_id in (1, 2, 3):
            pages.record(site_id, [fetch(1, status=PageStatus.ERROR, crawl_id=crawl_id, html=None)])
        assert row(session, 1, "errors") == (3,)
        pages.record(site_id, [fetch(1, crawl_id=4)])
        assert row(session, 1, "errors") == (0,)


def test_a_damaged_body_is_named(engine, site_id):
    with session_scope(engine) as session:
        PageRepository(session).record(site_id, [fetch(1)])
        session.execute(text("UPDATE body SET html = :html"), {"html": b"garbage"})
    with (
        pytest.raises(StorageError, match=r"https://example\.org/1: the stored body is damaged"),
        session_scope(engine, write=False) as session,
    ):
        BodyRepository(session).stored(site_id, 1)


def test_a_body_can_be_dropped_and_the_page_stays(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site_id, [fetch(1)])
        BodyRepository(session).drop(site_id, 1)
        assert BodyRepository(session).stored(site_id, 1).html is None


def test_known_urls_of_a_large_site(engine, site_id):
    count = 2 * STREAMED + 7
    with session_scope(engine) as session:
        PageRepository(session).discover(site_id, [found(key) for key in range(1, count + 1)], NOW)
    with session_scope(engine, write=False) as session:
        pages = PageRepository(session)
        assert {tuple(one) for one in pages.known(site_id)} == {(key, 0, None, 1) for key in range(1, count + 1)}
        assert pages.last_discovery(site_id) == count
        assert pages.counts(site_id) == {"discovered": count}


def test_the_frontier_leaves_out_what_is_in_flight(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.discover(site_id, [found(key) for key in range(1, 11)], NOW)
        due = pages.frontier(site_id, 1, NOW, 3, excluded={1, 2, 4})
        assert [page.url_key for page in due] == [3, 5, 6]


def test_learned_pages_are_counted_once_until_forgotten(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site_id, [fetch(key) for key in (1, 2, 3)])
        pages.mark_learned(site_id, [1], 4)
        pages.mark_learned(site_id, [2], 0)
        assert LayoutRepository(session).counted(site_id) == {1: 0}
        assert pages.unlearned(site_id, 1) == [3]
        pages.record(site_id, [fetch(1, crawl_id=2)])
        assert LayoutRepository(session).counted(site_id) == {1: 0}
        pages.forget_learned(site_id)
        assert LayoutRepository(session).counted(site_id) == {}


def test_a_time_without_a_zone_is_refused(engine, site_id):
    with pytest.raises(StorageError, match="naive"), session_scope(engine) as session:
        PageRepository(session).record(site_id, [fetch(1, fetched_at=NOW.replace(tzinfo=None))])


def test_times_come_back_in_utc(engine, site_id):
    east = dt.datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=dt.timezone(dt.timedelta(hours=9)))
    with session_scope(engine) as session:
        PageRepository(session).record(site_id, [fetch(1, fetched_at=east)])
    with session_scope(engine, write=False) as session:
        stored = BodyRepository(session).stored(site_id, 1)
    assert stored.fetched_at == east
    assert stored.fetched_at.tzinfo is dt.UTC


def test_statistics_that_json_cannot_hold(engine, site_id):
    with session_scope(engine) as session:
        crawls = CrawlRepository(session)
        crawl = crawls.begin(site_id, NOW)
        stats = {
            "start_time": NOW,
            "items": 3,
            "rate": math.inf,
            "nul\x00": "\x00\ud800text",
            "share": 0.5,
            "none": None,
        }
        crawls.finish(crawl.id, NOW, "finished\x00", stats)
        assert crawls.begin(site_id, NOW).resumed is False
        kept = session.execute(text("SELECT stats FROM crawl WHERE reason = 'finished'")).scalar_one()
    for part in ("2026-03-01", '"items": 3', '"inf"', '"nul"', '"text"'):
        assert part in (kept if isinstance(kept, str) else json.dumps(kept))


def test_a_site_has_answered_once_a_visit_has_a_status(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.discover(site_id, [found(1)], NOW)
        states = [pages.answered(site_id)]
        pages.record(site_id, [fetch(1, status=PageStatus.ERROR, http_status=None, html=None)])
        states.append(pages.answered(site_id))
        pages.record(site_id, [fetch(1, status=PageStatus.ERROR, http_status=500, html=None)])
        assert [*states, pages.answered(site_id)] == [False, False, True]


@pytest.mark.parametrize(("fetched", "reason"), [(False, "not now"), (True, None)])
def test_why_a_url_is_left_is_told_of_those_that_were_never_fetched(engine, site_id, fetched, reason):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.discover(site_id, [found(1), found(2)], NOW)
        if fetched:
            pages.record(site_id, [fetch(1)])
        pages.left(site_id, 1, "not now")
        assert [pages.state(site_id, key).known.reason for key in (1, 2)] == [reason, None]


def test_urls_are_promoted_and_never_set_back(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.discover(site_id, [found(1), found(2, priority=900), found(3), found(4, priority=20)], NOW)
        pages.promote(site_id, [2, 3], 500)
    with session_scope(engine) as session:
        due = PageRepository(session).frontier(site_id, 1, NOW, 10)
    assert [(page.url_key, page.priority) for page in due] == [(2, 900), (3, 500), (4, 20), (1, 10)]


def test_fetched_pages_come_in_their_order(engine, site_id):
    with session_scope(engine) as session:
        fetches = [fetch(1, fetch_order=3), fetch(2, fetch_order=1), fetch(3, fetch_order=2, html=None)]
        PageRepository(session).record(site_id, fetches)
    with session_scope(engine) as session:
        assert BodyRepository(session).fetched(site_id) == [2, 1]


def test_addresses_are_read_in_parts(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        other = SiteRepository(session).get_or_add("other.org", "https://other.org/", NOW).id
        pages.discover(site_id, [found(key, depth=key) for key in range(1, 6)], NOW)
        pages.discover(other, [found(9)], NOW)
        parts, after = [], None
        while True:
            part, after = pages.addresses(site_id, after, 2)
            parts.append([(one.url_key, one.url[-1], one.depth, one.status) for one in part])
            if after is None:
                break
    expected = [(key, str(key), key, PageStatus.DISCOVERED) for key in range(1, 6)]
    assert parts == [expected[:2], expected[2:4], expected[4:]]


@pytest.mark.parametrize(
    ("kind", "words", "duplicate", "own"),
    [
        ("content", 0, None, False),
        ("content", 1, None, True),
        ("content", 1, "x", False),
        ("listing", MANY_WORDS - 1, None, False),
        ("listing", MANY_WORDS, None, True),
        ("listing", MANY_WORDS, "x", False),
    ],
)
def test_whether_a_page_holds_content_of_its_own(engine, site_id, kind, words, duplicate, own):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site_id, [fetch(1, discovery=2), fetch(2, discovery=1)])
        made = record(key=1, kind=kind, duplicate_of=duplicate)
        ContentRepository(session).put(site_id, dataclasses.replace(made, words=words))
        rows = list(pages.outcomes(site_id))
    assert rows == [(2, "https://example.org/2", None), (1, "https://example.org/1", own)]


def test_pages_that_were_linked_since_a_time_that_moment_included(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        second = dt.timedelta(seconds=1)
        pages.discover(site_id, [found(1)], NOW - second)
        pages.discover(site_id, [found(2), found(3, hyperlink_distance=None)], NOW)
        pages.discover(site_id, [found(4)], NOW + second)
        assert {key for key, _ in pages.linked_since(site_id, NOW)} == {2, 4}


def test_only_planned_visits_are_made_due(engine, site_id):
    hour = dt.timedelta(hours=1)
    plans = {1: NOW - hour, 2: NOW, 3: NOW + hour, 4: None}
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site_id, [fetch(key) for key in plans])
        pages.amend(site_id, [{"url_key": key, "next_fetch_at": at} for key, at in plans.items()])
        pages.all_due(site_id, NOW)
        rows = session.execute(select(PAGE.c.url_key, PAGE.c.next_fetch_at)).all()
    assert dict(map(tuple, rows)) == {**plans, 3: NOW}


def test_pages_without_a_response_are_those_that_failed_without_a_status(engine, site_id):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        error = PageStatus.ERROR
        given = [
            *(fetch(1, status=error, http_status=None, reason="no such host"), fetch(2, status=error, http_status=500)),
            *(fetch(3), fetch(4, status=PageStatus.EXCLUDED, http_status=None)),
        ]
        pages.record(site_id, given)
        assert pages.unanswered(site_id) == [(1, "https://example.org/1", "no such host")]


@pytest.mark.parametrize("value", [0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_an_unsigned_number_comes_back(value):
    stored = Unsigned64().process_bind_param(value, None)
    assert -(1 << 63) <= stored < 1 << 63
    assert stored == (value if value < 1 << 63 else value - (1 << 64))
    assert Unsigned64().process_result_value(stored, None) == value


@pytest.mark.parametrize("value", [-1, 1 << 64])
def test_what_is_no_unsigned_number_is_refused(value):
    with pytest.raises(ValueError, match=f"{value} is not an unsigned 64-bit number"):
        Unsigned64().process_bind_param(value, None)
    assert (Unsigned64().process_bind_param(None, None), Unsigned64().process_result_value(None, None)) == (None, None)


def test_a_time_is_stored_in_utc_and_without_a_zone_where_a_database_has_none():
    zone = dt.timezone(dt.timedelta(hours=2))
    given = NOW.astimezone(zone)
    assert UtcDateTime().process_bind_param(given, sqlite.dialect()) == NOW.replace(tzinfo=None)
    assert UtcDateTime().process_bind_param(given, postgresql.dialect()) == NOW
    assert UtcDateTime().process_bind_param(given, postgresql.dialect()).tzinfo is not None
    for stored in (given, NOW.replace(tzinfo=None)):
        found = UtcDateTime().process_result_value(stored, sqlite.dialect())
        assert (found, found.tzinfo) == (NOW, dt.UTC)
    assert UtcDateTime().process_result_value(None, sqlite.dialect()) is None


@pytest.fixture
def two(engine, site_id):
    """Pages 1 to 5 of two sites, of crawl 1, and the repository of a session."""
    with session_scope(engine) as session:
        other = SiteRepository(session).get_or_add("b.example", "https://b.example/", NOW).id
        for number in (site_id, other):
            PageRepository(session).record(number, [fetch(key) for key in range(1, 6)])
        yield PageRepository(session)


def values(pages, site_id, column):
    rows = pages.session.execute(select(PAGE.c.url_key, PAGE.c[column]).where(PAGE.c.site_id == site_id))
    return {key: value for key, value in rows if value is not None}


def test_visits_planned_too_late_are_brought_down_for_dead_links_or_for_others(two, site_id):
    later = NOW + dt.timedelta(days=9)
    two.amend(site_id, [{"url_key": key, "next_fetch_at": later} for key in (1, 2)])
    two.amend(site_id, [{"url_key": 3, "next_fetch_at": NOW}, {"url_key": 4, "next_fetch_at": later}])
    two.amend(site_id, [{"url_key": 4, "status": int(PageStatus.DEAD)}])
    other = site_id + 1
    two.amend(other, [{"url_key": 1, "next_fetch_at": later}])
    horizon = NOW + dt.timedelta(days=1)
    two.bring_down(site_id, horizon, "too late", dead=False)
    assert values(two, site_id, "next_fetch_at") == {1: horizon, 2: horizon, 3: NOW, 4: later}
    two.bring_down(site_id, horizon, "much too late", dead=True)
    assert values(two, site_id, "next_fetch_at") == {1: horizon, 2: horizon, 3: NOW, 4: horizon}
    assert values(two, site_id, "next_reason") == {1: "too late", 2: "too late", 4: "much too late"}
    assert values(two, other, "next_fetch_at") == {1: later}


def test_pages_that_wait_are_those_of_this_crawl_without_its_content(two, site_id):
    two.amend(site_id, [{"url_key": key, "fetch_order": 9 - key} for key in range(1, 6)])
    two.amend(site_id, [{"url_key": 1, "status": int(PageStatus.GONE)}])
    two.amend(site_id, [{"url_key": 2, "crawl_id": 7}])
    contents = ContentRepository(two.session)
    contents.put(site_id, record(key=3, crawl_id=1))
    contents.put(site_id, record(key=4, crawl_id=0))
    assert (two.waiting(site_id, 1), two.waiting(site_id, 7), two.waiting(site_id, 8)) == ([5, 4], [2], [])


def test_pages_that_are_not_learned_are_those_of_this_crawl(two, site_id):
    two.amend(site_id, [{"url_key": key, "fetch_order": 9 - key} for key in range(1, 6)])
    two.amend(site_id, [{"url_key": 1, "status": int(PageStatus.GONE)}])
    two.amend(site_id, [{"url_key": 2, "crawl_id": 7}])
    two.mark_learned(site_id, [3], 0)
    assert (two.unlearned(site_id, 1), two.unlearned(site_id, 7)) == ([5, 4], [2])
    two.amend(site_id, [{"url_key": 4, "layout": 2}])
    two.forget_learned(site_id)
    assert (two.unlearned(site_id, 1), values(two, site_id, "layout")) == ([5, 4, 3], {4: 2})
    two.mark_learned(site_id, [3], 1)
    two.forget_layouts(site_id)
    assert (two.unlearned(site_id, 1), values(two, site_id, "layout")) == ([5, 4, 3], {})
    assert len(two.unlearned(site_id + 1, 1)) == 5


def test_the_frontier_has_new_pages_first_and_none_that_may_not_be_asked(two, site_id):
    two.discover(site_id, [found(8, priority=1), found(9, priority=2)], NOW)
    two.amend(site_id, [{"url_key": key, "priority": key} for key in (1, 2, 3, 4, 5)])
    two.amend(site_id, [{"url_key": 1, "not_before": NOW + dt.timedelta(seconds=1)}, {"url_key": 2, "not_before": NOW}])
    dead = {"status": int(PageStatus.DEAD)}
    late = NOW + dt.timedelta(seconds=1)
    two.amend(site_id, [{"url_key": 3, **dead, "next_fetch_at": late}, {"url_key": 4, **dead, "next_fetch_at": NOW}])

    def keys(crawl_id, limit=99, excluded=()):
        return [one.url_key for one in two.frontier(site_id, crawl_id, NOW, limit, excluded)]

    assert keys(2) == [9, 8, 5, 4, 2]
    assert keys(1) == [9, 8]
    assert keys(2, 2, [9, 5]) == [8, 4]
    (first, *_) = two.frontier(site_id, 2, NOW, 1)
    assert first[:4] == (9, "https://example.org/9", 1, 2)


def test_a_failed_page_is_due_at_once_in_another_spelling(two, site_id):
    two.amend(site_id, [{"url_key": 1, "not_before": NOW + dt.timedelta(days=1)}])
    two.respell(site_id, 1, "http://www.example.org/\x001")
    assert values(two, site_id, "url")[1] == "http://www.example.org/1"
    assert 1 not in values(two, site_id, "crawl_id")
    assert values(two, site_id, "not_before") == {}
    assert values(two, site_id + 1, "url")[1] == "https://example.org/1"


def test_urls_are_counted_by_status_for_a_site_or_one_crawl_of_it(two, site_id):
    two.amend(site_id, [{"url_key": 1, "crawl_id": 2}])
    two.amend(site_id, [{"url_key": 2, "crawl_id": 2, "status": int(PageStatus.GONE)}])
    assert two.counts(site_id) == {"fetched": 4, "gone": 1}
    assert (two.counts(site_id, 2), two.counts(site_id, 9)) == ({"fetched": 1, "gone": 1}, {})
    assert two.last_discovery(site_id) == 5
    assert two.last_discovery(site_id + 9) == 0


def test_all_planned_visits_are_made_due_and_earlier_ones_stay(two, site_id):
    early, late = NOW - dt.timedelta(days=1), NOW + dt.timedelta(days=1)
    for number in (site_id, site_id + 1):
        two.amend(number, [{"url_key": 1, "next_fetch_at": early}, {"url_key": 2, "next_fetch_at": late}])
    two.all_due(site_id, NOW)
    assert values(two, site_id, "next_fetch_at") == {1: early, 2: NOW}
    assert values(two, site_id + 1, "next_fetch_at") == {1: early, 2: late}


def test_a_new_url_has_no_failures(two, site_id):
    two.discover(site_id, [found(9)], NOW)
    state = two.state(site_id, 9)
    assert (state.stored, state.errors, state.fetches, state.known.status) == (True, 0, 0, PageStatus.DISCOVERED)
