import datetime as dt

import pytest
from sqlalchemy import update

from sitecrawl.config import Config
from sitecrawl.crawl.schedule import Schedule, parse_every, site_bounds
from sitecrawl.errors import ConfigError
from sitecrawl.links.discovered import Discovered
from sitecrawl.scheduling import POLICIES, Bounds, History, Outcome
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def test_the_settings_are_the_bounds():
    assert site_bounds(Config()) == Bounds()
    config = Config.from_mapping({"SITECRAWL_RECRAWL_MIN_INTERVAL": 60, "SITECRAWL_RECRAWL_WORTH": 30})
    assert site_bounds(config) == Bounds(minimum=60, worth=30)


def test_every_policy_can_be_set():
    for policy in POLICIES:
        assert Config.from_mapping({"SITECRAWL_RECRAWL_POLICY": policy}).recrawl_policy == policy
    with pytest.raises(ConfigError, match="SITECRAWL_RECRAWL_POLICY='daily'"):
        Config.from_mapping({"SITECRAWL_RECRAWL_POLICY": "daily"})


def test_settings_that_contradict():
    with pytest.raises(ConfigError, match="SITECRAWL_RECRAWL_MIN_INTERVAL=100 cannot be used: it is longer than"):
        Config.from_mapping({"SITECRAWL_RECRAWL_MIN_INTERVAL": 100, "SITECRAWL_RECRAWL_MAX_INTERVAL": 50})


def test_a_site_may_have_bounds_of_its_own():
    own = {"recrawl_min_interval": 60, "recrawl_max_interval": 120}
    assert site_bounds(Config(), own) == Bounds(minimum=60, maximum=120)
    with pytest.raises(ConfigError):
        site_bounds(Config(), {"recrawl_max_interval": 60})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("6h-30d", (21_600, 2_592_000)),
        ("1d", (86_400, 86_400)),
        ("30min-90min", (1800, 5400)),
        ("5s-1h", (5, 3600)),
        ("000000001d", (86_400, 86_400)),
    ],
)
def test_intervals_as_they_are_typed(text, found):
    assert parse_every(text) == found


@pytest.mark.parametrize(
    "text", ["", "h", "3", "2h-", "-", "2h- ", "3x", "1.5h", "-3h", "2d-1d", "0s-1d", "1h-999d", "9999999999999d"]
)
def test_what_is_no_interval(text):
    with pytest.raises(ConfigError):
        parse_every(text)


@pytest.fixture
def session(sqlite_session):
    return sqlite_session


@pytest.fixture
def site_id(session):
    """A site with pages 1 and 2, of which an earlier crawl fetched 1; it is due tomorrow."""
    site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    pages = PageRepository(session)
    pages.record(site_id, [fetched(1)])
    pages.amend(site_id, [{"url_key": 1, "next_fetch_at": NOW + DAY}])
    pages.discover(site_id, [Discovered(2, "https://example.org/2", 1, 0, 0, 5, 2)], NOW)
    return site_id


@pytest.mark.parametrize(("due", "keys"), [(False, [2, 1]), (True, [2])])
def test_a_crawl_of_what_is_due_leaves_the_other_pages(session, site_id, due, keys):
    schedule = Schedule(session, Config(), site_id, 9, due=due)
    assert [one.url_key for one in schedule.pages(session, NOW, 9, ())] == keys
    assert [one.url_key for one in schedule.pages(session, NOW + DAY, 9, ())] == [2, 1]
    assert [one.url_key for one in schedule.pages(session, NOW + DAY, 1, [2])] == [1]


@pytest.mark.parametrize(
    ("asked", "due"),
    [(None, 3600), (NOW - DAY, 3600), (NOW + dt.timedelta(seconds=60), 3600), (NOW + DAY / 2, 43_200)],
)
def test_a_page_that_failed_is_visited_after_an_interval_and_not_before_the_server_allows(session, site_id, asked, due):
    config = Config(recrawl_policy="fixed", recrawl_error_interval=3600, recrawl_min_interval=60)
    schedule = Schedule(session, config, site_id, 9, due=False)
    plan = schedule.plan(History(), Outcome.ERROR, NOW, 1, not_before=asked)
    assert abs((plan.next_fetch_at - NOW).total_seconds() - due) <= due / 10


def test_intervals_that_are_set_during_a_crawl_hold_at_its_end(session, site_id):
    schedule = Schedule(session, Config(), site_id, 9, due=False)
    session.execute(update(PAGE).values(crawl_id=9))  # all were visited, and are planned for none
    SiteRegister(session).set_options("example.org", {"recrawl_min_interval": 60, "recrawl_max_interval": 7200})
    schedule.close(session, NOW)
    _, due = SiteRepository(session).next_due()
    assert NOW < due < NOW + DAY / 2


def test_a_site_has_its_own_bounds_and_is_due_with_its_pages(session, site_id):
    SiteRegister(session).set_options("example.org", {"recrawl_min_interval": 60, "recrawl_max_interval": 7200})
    schedule = Schedule(session, Config(), site_id, 9, due=False)
    assert (schedule.bounds.minimum, schedule.bounds.maximum, schedule.policy) == (60, 7200, Config().recrawl_policy)
    schedule.close(session, NOW)
    assert SiteRepository(session).next_due() == ("example.org", NOW)  # a page was never fetched
    schedule.close(session, NOW, NOW + dt.timedelta(minutes=5))
    assert SiteRepository(session).next_due() == ("example.org", NOW + dt.timedelta(minutes=5))
