import datetime as dt

import pytest

from sitecrawl.storage.crawls import REASON_LENGTH, WITHOUT_REQUESTS, CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=1)


@pytest.fixture
def crawls(engine):
    with session_scope(engine) as session:
        yield CrawlRepository(session)


@pytest.fixture
def site_id(crawls):
    return SiteRepository(crawls.session).get_or_add("example.org", "https://example.org/", NOW).id


def test_a_crawl_goes_on_until_it_is_finished(crawls, site_id):
    assert not crawls.unfinished(site_id)
    first = crawls.begin(site_id, NOW)
    assert (first.resumed, first.started_at) == (False, NOW)
    assert crawls.unfinished(site_id)
    assert crawls.begin(site_id, LATER) == (first.id, True, NOW)
    crawls.finish(first.id, LATER, "finished", {"pages": 3})
    assert not crawls.unfinished(site_id)
    second = crawls.begin(site_id, LATER)
    assert (second.id > first.id, second.resumed, second.started_at) == (True, False, LATER)


def test_only_the_last_crawls_of_a_site_are_kept(crawls, site_id, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.crawls.KEPT", 3)
    other = SiteRepository(crawls.session).get_or_add("other.example", "https://other.example/", NOW).id
    numbers = {site_id: [], other: []}
    for one in (other, *[site_id] * 5):
        number = crawls.begin(one, NOW).id
        numbers[one].append(number)
        crawls.finish(number, NOW, "finished", {})
    assert [crawl.id for crawl in crawls.history(site_id, 9)] == numbers[site_id][:1:-1]
    assert [crawl.id for crawl in crawls.history(other, 9)] == numbers[other]


def test_the_last_crawls_come_first(crawls, site_id):
    assert (crawls.latest(site_id), crawls.history(site_id, 5)) == (None, [])
    numbers = []
    for reason in ("finished", "held", "max_pages"):
        numbers.append(crawls.begin(site_id, NOW).id)
        crawls.finish(numbers[-1], LATER, reason, {})
    assert [(one.id, one.reason) for one in crawls.history(site_id, 2)] == [
        (numbers[2], "max_pages"),
        (numbers[1], "held"),
    ]
    latest = crawls.latest(site_id)
    assert (latest.id, latest.started_at, latest.finished_at, latest.stats) == (numbers[2], NOW, LATER, {})
    assert crawls.latest(site_id + 1) is None


def test_why_a_crawl_stopped_is_kept_while_it_is_to_be_resumed(crawls, site_id):
    number = crawls.begin(site_id, NOW).id
    crawls.leave(number, "x" * (REASON_LENGTH + 1))
    assert crawls.latest(site_id).reason == "x" * REASON_LENGTH
    crawls.finish(number, LATER, "finished", {})
    crawls.leave(number, "killed")
    assert crawls.latest(site_id).reason == "finished"


def test_a_crawl_that_fetches_nothing_is_never_resumed_by_another(crawls, site_id):
    first = crawls.begin_finished(site_id, NOW, "reextract")
    assert not crawls.unfinished(site_id)
    assert crawls.begin_finished(site_id, LATER, "reextract") == first  # it was interrupted: its figures are missing
    other = crawls.begin_finished(site_id, LATER, "release")
    assert other != first
    crawls.finish(other, LATER, "release", {})
    third = crawls.begin_finished(site_id, LATER, "release")
    assert third not in (first, other)
    summary = crawls.latest(site_id)
    assert (summary.id, summary.started_at, summary.finished_at, summary.reason) == (third, LATER, LATER, "release")


def test_figures_are_what_both_databases_can_store(crawls, site_id):
    number = crawls.begin(site_id, NOW).id
    given = {
        "n": 1,
        "share": 0.5,
        "endless": float("inf"),
        "none": None,
        "by": {7: True},
        "text\x00": dt.date(2026, 3, 1),
    }
    crawls.finish(number, NOW, "fin\x00ished", given)
    latest = crawls.latest(site_id)
    stats = latest.stats
    assert {name: stats[name] for name in ("n", "share", "none", "by")} == {
        **{"n": 1, "share": 0.5, "none": None, "by": {"7": True}}
    }
    assert stats["endless"] == "inf"
    assert "2026-03-01" in stats.values()
    assert not any("\x00" in name for name in (*stats, latest.reason))


def test_what_was_done_without_requests_is_no_crawl(crawls, site_id):
    assert crawls.latest_requested(site_id) is None
    number = crawls.begin(site_id, NOW).id
    assert crawls.latest_requested(site_id).id == number
    crawls.finish(number, NOW, "max_pages", {})
    for reason in WITHOUT_REQUESTS:
        crawls.begin_finished(site_id, LATER, reason)
    assert crawls.latest(site_id).reason == "release"
    assert (crawls.latest_requested(site_id).id, crawls.latest_requested(site_id).reason) == (number, "max_pages")
    (summary,) = SiteRepository(crawls.session).all()
    assert summary.last_crawl == NOW
    (listed,) = SiteRegister(crawls.session).lines()
    assert listed.last_crawl == NOW
