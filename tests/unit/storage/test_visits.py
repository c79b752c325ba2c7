import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from sitecrawl.links.discovered import Discovered
from sitecrawl.scheduling import Bounds, History, Outcome, Visit, plan
from sitecrawl.storage.pages import PageChange, PageRepository, PageState, PageStatus
from sitecrawl.storage.site_register import NewSite, SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE
from sitecrawl.storage.visits import VisitRepository
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)
BOUNDS = Bounds(batch=1, late=0.0)


@pytest.fixture
def site(session):
    site = SiteRepository(session).get_or_add("example.org", "http://example.org/", NOW)
    found = [
        Discovered(
            url_key=key,
            url=f"http://example.org/{key}",
            depth=1,
            hyperlink_distance=0,
            dom_distance=0,
            priority=key,
            discovery=key,
        )
        for key in range(1, 9)
    ]
    PageRepository(session).discover(site.id, found, NOW)
    return site.id


def fetch(key, at, crawl, status):
    url = f"http://example.org/{key}"
    return fetched(key, url=url, status=status, crawl_id=crawl, fetched_at=at, html=None)


def visit(session, site, outcome, keys, at=NOW, policy="adaptive", crawl=1, status=PageStatus.FETCHED):
    pages, plans = PageRepository(session), {}
    for key in keys:
        state = pages.state(site, key)
        plans[key] = plan(policy, BOUNDS, state.history, Visit(outcome, at, key))
        changed_at = at if outcome in (Outcome.NEW, Outcome.CHANGED) else None
        pages.write(site, PageChange(key, state, fetch(key, at, crawl, status), plan=plans[key], changed_at=changed_at))
    return plans


def page(session, site, key):
    return session.execute(select(*PAGE.c).where(PAGE.c.site_id == site, PAGE.c.url_key == key)).first()


def next_crawl(session):
    return session.scalar(select(SITE.c.next_crawl_at))


def test_visits_are_remembered(session, site):
    visit(session, site, Outcome.NEW, [1, 2])
    visit(session, site, Outcome.CHANGED, [1], NOW + DAY)
    plans = visit(session, site, Outcome.UNCHANGED, [1], NOW + 2 * DAY, "poisson")
    row = page(session, site, 1)
    pages = PageRepository(session)
    assert pages.state(site, 1).history == plans[1].history
    assert pages.state(site, 2).history == History(interval=86400, visited_at=NOW)
    assert plans[1].history.comparisons == 2
    assert (row.changed_seconds, row.unchanged_seconds, row.streak) == (86400, 86400, 1)
    assert row.next_fetch_at == plans[1].next_fetch_at
    assert row.next_reason == plans[1].reason
    assert row.changed_at == NOW + DAY
    assert page(session, site, 2).changed_at == NOW


def test_a_failure_leaves_what_was_known(session, site):
    visit(session, site, Outcome.NEW, [1])
    visit(session, site, Outcome.UNCHANGED, [1], NOW + DAY)
    before = PageRepository(session).state(site, 1).history
    visit(session, site, Outcome.ERROR, [1], NOW + 2 * DAY)
    row = page(session, site, 1)
    assert row.misses == 1
    assert row.comparisons == before.comparisons
    assert row.changed_at == NOW
    assert row.next_fetch_at == NOW + 2 * DAY + 2 * HOUR


def test_a_page_without_a_row_has_an_empty_state(session, site):
    assert PageRepository(session).state(site, 99) == PageState()


def test_due_are_new_pages_and_then_the_most_overdue(session, site):
    visits = VisitRepository(session)
    visit(session, site, Outcome.NEW, [1], NOW - 3 * DAY)
    visit(session, site, Outcome.NEW, [2], NOW - 5 * DAY)
    visit(session, site, Outcome.NEW, [3], NOW)  # not due
    visit(session, site, Outcome.NEW, [4], NOW - 4 * DAY, crawl=2)  # settled in this crawl
    assert [one.url_key for one in visits.upcoming(site, 2, NOW, 100, due=True)] == [8, 7, 6, 5, 2, 1]
    assert [one.url_key for one in visits.upcoming(site, 2, NOW, 3, excluded=[8, 2], due=True)] == [7, 6, 5]
    assert [one.url_key for one in visits.upcoming(site, 2, NOW, 4, excluded=[8, 2], due=True)] == [7, 6, 5, 1]
    assert [one.url_key for one in visits.upcoming(site, 2, NOW, 5, due=True)] == [8, 7, 6, 5, 2]
    assert visits.upcoming(site, 2, NOW, 1, due=True)[0].url == "http://example.org/8"
    assert [one.url_key for one in visits.upcoming(site, 2, NOW, 100, due=True, limited=True)] == [8, 7, 6, 5]
    assert [one.url_key for one in visits.upcoming(site, 2, NOW, 9, [8, 7, 6, 5], due=True, limited=True)] == [2, 1]


def test_known_pages_are_the_start_page_the_overdue_ones_and_then_those_whose_turn_it_is(session, site):
    visits = VisitRepository(session)
    visit(session, site, Outcome.NEW, [1], NOW - 3 * DAY, crawl=4)
    visit(session, site, Outcome.NEW, [2], NOW - 5 * DAY, crawl=4)
    visit(session, site, Outcome.NEW, [3], NOW, crawl=3)  # not due, as those below
    visit(session, site, Outcome.NEW, [4], NOW, crawl=2)
    visit(session, site, Outcome.ERROR, [5], NOW, crawl=1, status=PageStatus.ERROR)
    visit(session, site, Outcome.DEAD, [6], NOW - DAY, status=PageStatus.DEAD)
    visit(session, site, Outcome.NEW, [7], NOW - 4 * DAY, crawl=5)  # settled in this crawl
    assert [one.url_key for one in visits.known(site, 5, NOW, 100, due=False)] == [2, 1, 4, 3, 5]
    assert [one.url_key for one in visits.known(site, 5, NOW, 1, [2], due=False)] == [1]
    assert [one.url_key for one in visits.known(site, 5, NOW, 100, due=True)] == [2, 1]
    PageRepository(session).bring_near(site, [3], 0, 0)  # the start page
    assert [one.url_key for one in visits.known(site, 5, NOW, 2, due=False)] == [3, 2]
    assert [one.url_key for one in visits.known(site, 5, NOW, 100, due=False, hubs=True)] == [3]
    assert visits.known(site, 5, NOW, 100, due=True, hubs=True) == []
    assert [one.url_key for one in visits.upcoming(site, 5, NOW, 100, due=False)] == [8, 3, 2, 1, 4, 5]


def test_a_site_is_due_with_its_first_page(session, site):
    visits = VisitRepository(session)
    assert visits.close(site, NOW, BOUNDS) == NOW  # pages never fetched
    visit(session, site, Outcome.NEW, range(1, 9), NOW)
    visit(session, site, Outcome.CHANGED, [4], NOW + dt.timedelta(minutes=1))
    expected = page(session, site, 4).next_fetch_at
    assert NOW < expected < NOW + 13 * HOUR
    assert visits.close(site, NOW, BOUNDS, stopped=True) == NOW
    assert visits.close(site, NOW, BOUNDS, NOW + HOUR, stopped=True) == NOW + HOUR
    assert visits.close(site, NOW, BOUNDS) == expected
    assert session.scalar(select(SITE.c.next_crawl_at).where(SITE.c.id == site)) == expected


def test_a_site_is_due_when_enough_of_its_pages_are(session, site):
    visit(session, site, Outcome.NEW, range(1, 9), NOW)
    planned = sorted(page(session, site, key).next_fetch_at for key in range(1, 9))
    for enough in (1, 3, 8):
        due = VisitRepository(session).close(site, NOW, replace(BOUNDS, batch=enough, late=1.0))
        assert due == planned[enough - 1]
    few = VisitRepository(session).close(site, NOW, replace(BOUNDS, batch=9, late=0.5))
    assert few == planned[0] + 12 * HOUR


def test_a_site_without_pages_to_visit_is_tried_again_at_last(session):
    empty = SiteRepository(session).get_or_add("empty.example", "http://empty.example/", NOW)
    assert VisitRepository(session).close(empty.id, NOW, BOUNDS) == NOW + 14 * DAY


def test_other_intervals_bring_a_site_forward(session, site):
    visits, shorter = VisitRepository(session), replace(BOUNDS, maximum=7_200)
    visit(session, site, Outcome.NEW, range(1, 9))
    visits.close(site, NOW, BOUNDS)
    visits.replan(site, NOW, replace(BOUNDS, minimum=5 * 86_400))
    assert next_crawl(session) > NOW + 20 * HOUR  # longer ones hold for the next plans
    visits.replan(site, NOW, shorter)
    assert next_crawl(session) == NOW + 2 * HOUR
    assert page(session, site, 1).next_fetch_at == NOW + 2 * HOUR
    SiteRegister(session).due_now("example.org", NOW)
    visits.replan(site, NOW, shorter)
    assert next_crawl(session) == NOW


def test_a_site_that_was_never_crawled_stays_due_with_other_intervals(session):
    SiteRegister(session).add([NewSite("new.example", "http://new.example/", {})], NOW)
    number = SiteRepository(session).get("new.example").id
    VisitRepository(session).replan(number, NOW + HOUR, BOUNDS)
    assert next_crawl(session) == NOW
    VisitRepository(session).replan(number, NOW - 60 * DAY, BOUNDS)  # the clock was ahead when it was added
    assert next_crawl(session) == NOW - 60 * DAY


def test_a_site_of_which_no_page_is_visited_again_waits_for_the_longest_interval(session, site):
    VisitRepository(session).close(site, NOW + 60 * DAY, BOUNDS)
    VisitRepository(session).replan(site, NOW, BOUNDS)
    assert next_crawl(session) == NOW + dt.timedelta(seconds=BOUNDS.maximum)


def test_plans_of_a_clock_that_was_ahead_are_bounded(session, site):
    visit(session, site, Outcome.NEW, range(1, 9), NOW + 3000 * DAY)
    assert VisitRepository(session).close(site, NOW, BOUNDS) == NOW + 14 * DAY
    assert page(session, site, 5).next_reason == "the longest interval: 14 d"


def test_a_page_whose_deletion_is_held_is_visited_again(session, site):
    visit(session, site, Outcome.NEW, range(1, 9), NOW)
    never = {"next_fetch_at": None, "next_reason": "gone, found so 3 times: never again"}
    PageRepository(session).amend(
        site, [{"url_key": 1, "deletion": 3, **never}, {"url_key": 2, "deletion": None, **never}]
    )
    assert VisitRepository(session).close(site, NOW, BOUNDS) == NOW + 2 * HOUR
    held, gone = page(session, site, 1), page(session, site, 2)
    assert (held.next_fetch_at, held.next_reason) == (NOW + 2 * HOUR, "to be deleted: 2 h")
    assert gone.next_fetch_at is None


def test_urls_that_robots_txt_allows_again_are_due(session, site):
    pages, visits = PageRepository(session), VisitRepository(session)
    for key, status, reason in (
        (
            1,
            PageStatus.EXCLUDED,
            "forbidden by robots.txt, for the first time: deleted if the next crawl finds the same",
        ),
        (2, PageStatus.EXCLUDED, "forbidden by robots.txt"),
        (3, PageStatus.EXCLUDED, "the page is empty"),
        (4, PageStatus.FETCHED, None),
    ):
        plans = plan("fixed", BOUNDS, History(), Visit(Outcome.EXCLUDED, NOW, key))
        done = fetch(key, NOW, 1, status)._replace(reason=reason)
        pages.write(site, PageChange(key, pages.state(site, key), done, plan=plans))
    later = NOW + HOUR
    assert visits.allow(site, lambda url: not url.endswith("/2"), later) == 1
    rows = [page(session, site, key) for key in (1, 2, 3, 4)]
    assert [row.next_fetch_at for row in rows] == [later, *[NOW + 14 * DAY] * 3]
    assert rows[0].next_reason == "robots.txt allows it now"
    assert visits.allow(site, lambda url: True, later) == 1


def test_dead_links_may_wait_longer_than_pages_and_are_asked_for_when_due(session, site):
    visit(session, site, Outcome.DEAD, [9], status=PageStatus.DEAD)
    later = NOW + 14 * DAY
    assert 9 not in [one.url_key for one in PageRepository(session).frontier(site, 2, NOW + 12 * DAY, 99)]
    assert 9 in [one.url_key for one in PageRepository(session).frontier(site, 2, later, 99)]
    visit(session, site, Outcome.DEAD, [9], later, status=PageStatus.DEAD)
    VisitRepository(session).close(site, later, BOUNDS)
    assert page(session, site, 9).next_fetch_at > later + 24 * DAY


def test_a_dead_start_page_is_in_every_crawl_of_all_pages(session, site):
    visit(session, site, Outcome.DEAD, [8, 9], status=PageStatus.DEAD)
    session.execute(update(PAGE).where(PAGE.c.url_key == 9).values(depth=0))
    asked = [one.url_key for one in PageRepository(session).frontier(site, 2, NOW, 99)]
    assert (8 in asked, 9 in asked) == (False, True)
    visits = VisitRepository(session)
    assert [one.url_key for one in visits.known(site, 2, NOW, 99, due=False)] == [9]
    assert visits.known(site, 2, NOW, 99, due=True) == []


def test_dates_of_sitemaps_bring_visits_forward(session, site):
    visits = VisitRepository(session)
    visit(session, site, Outcome.NEW, [1, 2, 3, 4], NOW)
    now = NOW + 12 * HOUR
    dates = {1: NOW + 6 * HOUR, 2: NOW - DAY, 3: NOW + 900 * DAY, 5: NOW + HOUR, 99: NOW + HOUR}
    assert visits.bring_forward(site, dates, now, BOUNDS) == 1
    row = page(session, site, 1)
    assert row.next_fetch_at == now
    assert row.next_reason == "the site dates it 2026-03-01 18:00, later than our copy"
    assert [one.url_key for one in visits.upcoming(site, 2, now, 100, due=True)] == [8, 7, 6, 5, 1]
