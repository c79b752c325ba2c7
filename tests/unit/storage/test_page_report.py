import pytest
from sqlalchemy import update

from sitecrawl.links.urls import url_id
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.page_report import KEPT, LEFT, LifeRepository, Missed, Repeated
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.records import CANONICAL
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CONTENT, PAGE
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW, record
from tests.unit.storage.test_deletions import doom


@pytest.fixture
def site_id(session):
    """A site whose first crawl found pages 1 and 2, and whose URLs 3 to 6 have no page."""
    site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    number = CrawlRepository(session).begin(site_id, NOW).id
    pages = PageRepository(session)
    for key in (1, 2):
        pages.record(site_id, [fetched(key)._replace(crawl_id=number)])
    ContentRepository(session).put(site_id, record(key=1, order=1, words="some words", crawl_id=number))
    for key, status, reason in (
        (3, PageStatus.ERROR, "HTTP 500"),
        (4, PageStatus.ERROR, "HTTP 500"),
        (5, PageStatus.EXCLUDED, "a trap"),
        (6, PageStatus.DISCOVERED, None),
    ):
        pages.record(site_id, [fetched(key, status=status, reason=reason, html=None)._replace(crawl_id=number)])
    return site_id


def lives(session, site_id, **chosen):
    return {one.url: one for one in LifeRepository(session).pages(site_id, **chosen)}


def test_pages_come_in_the_order_of_their_discovery_with_what_is_known(session, site_id):
    found = lives(session, site_id)
    assert list(found) == [url(key) for key in range(1, 7)]
    first, second, third = (found[url(key)] for key in (1, 2, 3))
    assert (first.status, first.http_status, first.row, first.kind, first.indexed) == (
        "fetched",
        200,
        "new",
        "content",
        True,
    )
    assert (second.row, second.kind, second.words, second.indexed) == (None, None, None, None)
    assert (third.status, third.reason) == ("error", "HTTP 500")


def test_pages_are_chosen_by_status_deletion_and_key(session, site_id):
    doom(session, site_id, 2)
    assert list(lives(session, site_id, status=PageStatus.ERROR)) == [url(3), url(4)]
    assert list(lives(session, site_id, held=True)) == [url(2)]
    assert list(lives(session, site_id, url_key=5)) == [url(5)]
    assert lives(session, site_id + 1) == {}


def test_why_a_known_url_was_not_fetched_by_how_the_crawl_ended(session, site_id):
    crawls = CrawlRepository(session)
    number = crawls.latest(site_id).id

    def why():
        return lives(session, site_id)[url(6)].reason

    assert why() == f"{LEFT}: the crawl is not finished"
    crawls.leave(number, "killed")
    assert why() == f"{LEFT}: the crawl is not finished (killed)"
    crawls.finish(number, NOW, "max_pages", {})
    assert why() == f"{LEFT}: the last crawl ended before (max_pages)"


def test_a_page_that_the_crawl_did_not_reach_is_as_it_was_before(session, site_id):
    crawls = CrawlRepository(session)
    crawls.finish(crawls.latest(site_id).id, NOW, "finished", {})

    def why():
        return lives(session, site_id)[url(1)].reason

    number = crawls.begin(site_id, NOW).id
    assert why() is None
    crawls.leave(number, "outage")
    assert why() == f"{KEPT}: the crawl is not finished (outage)"
    crawls.finish(number, NOW, "finished", {})
    assert why() is None


def test_a_site_that_was_never_crawled(session):
    site_id = SiteRepository(session).get_or_add("other.example", "https://other.example/", NOW).id
    PageRepository(session).record(site_id, [fetched(6, status=PageStatus.DISCOVERED, html=None)])
    assert lives(session, site_id)[url(6)].reason == LEFT


def test_reasons_are_counted_the_most_frequent_first(session, site_id):
    found = LifeRepository(session).troubles(site_id)
    assert [(one.status, one.reason, one.urls, one.example) for one in found] == [
        (PageStatus.ERROR, "HTTP 500", 2, url(3)),
        (PageStatus.EXCLUDED, "a trap", 1, url(5)),
        (PageStatus.DISCOVERED, f"{LEFT}: the crawl is not finished", 1, url(6)),
    ]
    assert LifeRepository(session).troubles(site_id + 1) == []


def test_pages_that_readers_have_and_the_last_visit_did_not_find(session, site_id):
    lives, pages = LifeRepository(session), PageRepository(session)
    assert lives.missed(site_id, 3) == Missed()
    left_out = {10: "a trap: 4 values gave the same page", 11: "out of scope: an exclude rule matches"}
    for key, reason in {1: "HTTP 503", 7: "HTTP 404", 8: "HTTP 404", 9: None, **left_out}.items():
        status = PageStatus.ERROR if reason else PageStatus.UNCHANGED
        pages.record(site_id, [fetched(key, status=status, reason=reason, html=None)])
        ContentRepository(session).put(site_id, record(key=key, order=key, words=f"text {key}"))
    assert lives.missed(site_id, 3) == Missed(3, (("HTTP 404", 2), ("HTTP 503", 1)))
    assert lives.missed(site_id, 1) == Missed(3, (("HTTP 404", 2),))
    DeletionRepository(session).carry_out(site_id, [7], 2, 1, NOW)
    assert lives.missed(site_id, 3).pages == 2


def test_pages_that_lead_to_one_log_in_page_were_not_found_for_one_reason(session, site_id):
    pages = PageRepository(session)
    for key in (7, 8, 9):
        reason = (
            f"to https://example.org/login?next=/{key} for now" if key < 9 else "to https://example.org/logon for now"
        )
        pages.record(site_id, [fetched(key, status=PageStatus.REDIRECTED, reason=reason, html=None)])
        ContentRepository(session).put(site_id, record(key=key, order=key, words=f"text {key}"))
    assert LifeRepository(session).missed(site_id, 3) == Missed(
        3, (("to https://example.org/login?... for now", 2), ("to https://example.org/logon for now", 1))
    )


def test_why_urls_have_no_page_is_counted_or_read_from_a_sample(session, site_id):
    def told(**limit):
        found = LifeRepository(session).troubles(site_id, **limit)
        return [(one.status, one.reason, one.urls, one.example) for one in found]

    left = (PageStatus.DISCOVERED, f"{LEFT}: the crawl is not finished", 1, url(6))
    trap = (PageStatus.EXCLUDED, "a trap", 1, url(5))
    assert told() == [(PageStatus.ERROR, "HTTP 500", 2, url(3)), trap, left]
    assert told(limit=2) == [(PageStatus.ERROR, "HTTP 500", 2, url(3))]
    assert told(limit=20) == told()
    assert LifeRepository(session).troubles(site_id + 1) == []


def test_an_extraction_after_a_crawl_does_not_hide_why_urls_are_left(session, site_id):
    crawls = CrawlRepository(session)
    crawls.finish(crawls.latest(site_id).id, NOW, "max_pages", {})
    crawls.begin_finished(site_id, NOW, "reextract")
    assert lives(session, site_id)[url(6)].reason == f"{LEFT}: the last crawl ended before (max_pages)"
    left = [one for one in LifeRepository(session).troubles(site_id) if one.status is PageStatus.DISCOVERED]
    assert [one.reason for one in left] == [f"{LEFT}: the last crawl ended before (max_pages)"]


def test_the_pages_of_a_crawl_that_have_one_text(session, site_id):
    lives, contents, pages = LifeRepository(session), ContentRepository(session), PageRepository(session)
    texts = {20: "one", 21: "one", 22: "one", 23: "two", 24: "two", 25: "three"}
    for key, words in texts.items():
        pages.record(site_id, [fetched(key)])
        contents.put(site_id, record(key=key, crawl_id=7, words=f"{words} " * 40))
    original = url_id(url(20))
    assert lives.repeated(site_id, 7) is None
    for key, of in {21: original, 22: original, 24: url_id(url(23))}.items():
        session.execute(update(CONTENT).where(CONTENT.c.url_key == key).values(duplicate_of=of))
    assert lives.repeated(site_id, 7) == Repeated(3, 6, url(21))
    assert lives.repeated(site_id, 8) is None
    # a page that names another one as canonical is its duplicate with a text of its own
    named = update(PAGE).where(PAGE.c.url_key.in_([21, 22])).values(reason=f"{CANONICAL}{url(20)}")
    session.execute(named)
    assert lives.repeated(site_id, 7) == Repeated(2, 6, url(24))


def test_the_urls_that_lead_to_one_address(session, site_id):
    lives, pages = LifeRepository(session), PageRepository(session)
    assert lives.led_away(site_id) is None
    pages.record(site_id, [fetched(key) for key in range(20, 30)])
    assert lives.led_away(site_id) is None
    targets = dict.fromkeys((20, 21), "/login?next=/a") | {22: "/login?next=/b", 23: "/login", 24: "/other"}
    for key, target in targets.items():
        moved = {"status": int(PageStatus.REDIRECTED), "reason": f"to https://x.example{target} for now"}
        session.execute(update(PAGE).where(PAGE.c.url_key == key).values(**moved))
    good = {"status": int(PageStatus.REDIRECTED), "reason": "to https://x.example/new for good"}
    session.execute(update(PAGE).where(PAGE.c.url_key.in_(range(25, 30))).values(**good))
    assert lives.led_away(site_id) == Repeated(4, 12, "https://x.example/login")
