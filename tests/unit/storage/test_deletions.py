"""Tests of pages to be deleted, and of the rows that remain of them."""

import pytest

from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.links.urls import url_id
from sitecrawl.storage import deletions
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.deletions import Deletion, DeletionRepository
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.records import CANONICAL
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW, record

COUNT = 4


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        PageRepository(session).record(site_id, [fetched(key) for key in range(1, COUNT + 1)])
        for key in range(1, COUNT + 1):
            ContentRepository(session).put(site_id, record(key=key, order=key, words=f"text {key}"))
    return site_id


@pytest.fixture
def session(engine, site_id):
    with session_scope(engine) as session:
        yield session


def doom(session, site_id, *keys, crawl_id=2):
    rows = [{"url_key": key, "deletion": crawl_id} for key in keys]
    PageRepository(session).amend(site_id, rows)


def test_pages_to_be_deleted_come_in_the_order_of_their_discovery(session, site_id):
    doom(session, site_id, 3, 2)
    assert DeletionRepository(session).pending(site_id) == [Deletion(key, url(key), None, 2) for key in (2, 3)]
    assert DeletionRepository(session).pending(site_id + 1) == []


def test_the_pages_that_a_site_had_when_a_crawl_began(session, site_id):
    deletions = DeletionRepository(session)
    assert deletions.live(site_id + 1, 2) == 0
    assert deletions.live(site_id, 1) == 0  # all are new in this crawl
    assert deletions.live(site_id, 2) == COUNT
    deletions.carry_out(site_id, [1], 2, 0, NOW)
    assert deletions.live(site_id, 3) == COUNT - 1


def test_of_a_deleted_page_a_tombstone_is_left_in_its_place_of_the_feed(session, site_id):
    doom(session, site_id, 2, 3)
    deletions, contents = DeletionRepository(session), ContentRepository(session)
    assert deletions.carry_out(site_id, [2, 3], 5, 9, NOW) == 11
    assert deletions.pending(site_id) == []
    rows = list(contents.emitted(site_id, 5))
    assert [(row.url, row.status, row.record.emit_order) for row in rows] == [
        (url(2), "gone", 10),
        (url(3), "gone", 11),
    ]
    assert {(row.record.text, row.record.kind, row.record.words, row.record.title) for row in rows} == {
        ("", "none", 0, None)
    }
    assert [contents.indexed(site_id, key) for key in (1, 2, 3)] == [True, False, False]
    assert {row.record.extracted_at for row in rows} == {NOW}


@pytest.mark.parametrize(("status", "kept"), [(PageStatus.FETCHED, True), (PageStatus.ERROR, False)])
def test_the_body_goes_with_a_page_that_is_not_there(session, site_id, status, kept):
    PageRepository(session).record(site_id, [fetched(1, status=status, html=None)])
    DeletionRepository(session).carry_out(site_id, [1], 2, 0, NOW)
    stored = BodyRepository(session).stored(site_id, 1)
    assert (stored is not None and stored.html is not None) is kept


def test_what_a_deleted_page_said_of_others_is_dropped(session, site_id):
    texts = LinkTextRepository(session)
    texts.record(site_id, 1, [LinkText(2, "the tale")])
    assert texts.of(site_id, 2) == ["the tale"]
    DeletionRepository(session).carry_out(site_id, [1], 2, 0, NOW)
    assert texts.of(site_id, 2) == []


def test_a_page_with_the_text_of_a_deleted_one_becomes_the_original(session, site_id):
    contents = ContentRepository(session)
    PageRepository(session).record(site_id, [fetched(7)])
    contents.put(site_id, record(key=7, order=7, words="text 1", duplicate_of=url_id(url(1))))
    last = DeletionRepository(session).carry_out(site_id, [1], 2, 20, NOW)
    assert last == 22
    told = {row.url: (row.status, row.record.duplicate_of) for row in contents.emitted(site_id, 2)}
    assert told == {url(1): ("gone", None), url(7): ("changed", None)}


def test_pages_that_no_index_holds_by_their_reason(session, site_id):
    reason = f"{CANONICAL}{url(1)}"
    PageRepository(session).record(site_id, [fetched(2, reason=reason), fetched(3, reason="another")])
    contents = ContentRepository(session)
    for key in (2, 3):
        contents.put(site_id, record(key=key, order=key, words=f"other {key}"), index=False)
    found = DeletionRepository(session).unindexed(site_id, CANONICAL)
    assert [(one.url_key, one.reason, one.crawl_id) for one in found] == [(2, reason, 1)]


def test_indexes_are_told_of_deleted_pages_that_they_hold(session, site_id):
    contents = ContentRepository(session)
    PageRepository(session).record(site_id, [fetched(7)])
    contents.put(site_id, record(key=7, order=7, words="not for an index"), index=False)
    Outbox(session).number(NOW)
    last = max(one.sequence for one in Outbox(session).after(0, 99))
    DeletionRepository(session).carry_out(site_id, [2, 7], 2, 0, NOW)
    Outbox(session).number(NOW)
    told = Outbox(session).after(last, 99)
    assert [(one.url, one.operation) for one in told] == [(url(2), Operation.DELETE)]


def test_many_pages_are_deleted_at_once(session, site_id, monkeypatch):
    monkeypatch.setattr(deletions, "CHUNK", 2)
    PageRepository(session).record(site_id, [fetched(key, status=PageStatus.ERROR, html=None) for key in (1, 2, 3, 4)])
    assert DeletionRepository(session).carry_out(site_id, [4, 2, 3, 1], 2, 0, NOW) == 4
    bodies = [BodyRepository(session).stored(site_id, key) for key in (1, 2, 3, 4)]
    assert [one is not None and one.html is not None for one in bodies] == [False] * 4


def test_reasons_are_compared_as_they_stand(engine, site_id):
    with session_scope(engine) as session:
        pages, contents = PageRepository(session), ContentRepository(session)
        pages.record(site_id, [fetched(key) for key in (91, 92)])
        for key, reason in ((91, "50% off"), (92, "50 % off")):
            contents.put(site_id, record(key), index=False)
            pages.amend(site_id, [{"url_key": key, "reason": reason}])
        assert [one.url_key for one in DeletionRepository(session).unindexed(site_id, "50%")] == [91]
