"""Tests of the outbox: the changes that a sink gets, and the records of those that it refuses."""

import datetime as dt

import pytest
from sqlalchemy import delete, select, update

from sitecrawl.errors import SinkError
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.outbox import Outbox, PageKey, Refusal
from sitecrawl.storage.tables.models import OUTBOX, PAGE, REJECTION
from tests.integration.feeding import add_pages

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def site_id(engine):
    return add_pages(engine, 4)


@pytest.fixture
def outbox(engine, site_id):
    """The outbox of a site with four pages, queued a second after another."""
    with session_scope(engine) as session:
        for key in range(1, 5):
            session.execute(update(OUTBOX).where(OUTBOX.c.url_key == key).values(queued_at=NOW + key * SECOND))
        yield Outbox(session)


def first(moment=NOW):
    """Return the first number that is given at a time."""
    return int(moment.timestamp() * 1000)


def numbers(outbox, after=0, limit=9):
    return [(one.key.url_key, one.sequence) for one in outbox.after(after, limit)]


def test_changes_are_numbered_oldest_first_by_the_clock_and_each_once(outbox, site_id):
    assert outbox.unnumbered()
    assert outbox.after(0, 9) == []
    assert (outbox.number(NOW), outbox.number(NOW)) == (4, 0)
    assert not outbox.unnumbered()
    assert numbers(outbox) == [(key, first() + key - 1) for key in range(1, 5)]
    assert numbers(outbox, first() + 1) == [(3, first() + 2), (4, first() + 3)]
    assert numbers(outbox, first() - 1, 2) == [(1, first()), (2, first() + 1)]


def test_numbers_rise_though_the_clock_is_set_back(outbox):
    outbox.number(NOW)
    outbox.session.execute(update(OUTBOX).where(OUTBOX.c.url_key.in_((1, 3))).values(revision=OUTBOX.c.revision + 1))
    assert outbox.pending(first() + 3) == 2
    assert outbox.number(NOW - 60 * SECOND) == 2
    assert numbers(outbox, first() + 3) == [(1, first() + 4), (3, first() + 5)]


def test_a_sink_begins_at_the_beginning_and_goes_on_where_it_was(outbox):
    outbox.number(NOW)
    assert (outbox.register("a"), outbox.register("b")) == (0, 0)
    outbox.acknowledge("a", 0, first() + 1, [], [], NOW, ())
    assert (outbox.register("a"), outbox.register("b")) == (first() + 1, 0)
    a, b = outbox.sinks()
    assert a == ("a", first() + 1, NOW, None, None, 2, 0)
    assert b == ("b", 0, None, None, None, 4, 0)
    with pytest.raises(SinkError, match="a: another process feeds this sink; run one at a time"):
        outbox.acknowledge("a", 0, first() + 2, [], [], NOW, ())


def refuse(outbox, site_id, moment, *, sink="a", final=False, retries=(10.0, 60.0), key=1, reason="no"):
    at = outbox.register(sink)
    outbox.acknowledge(sink, at, at, [], [Refusal(PageKey(site_id, key), reason, final)], moment, retries)


def test_a_refused_page_is_tried_again_as_often_as_there_are_retries_and_then_set_aside(outbox, site_id):
    outbox.number(NOW)
    seen = []
    for attempt in range(1, 4):
        moment = NOW + attempt * SECOND
        refuse(outbox, site_id, moment, reason=f"no {attempt}")
        (page,) = outbox.rejected("a")
        seen.append((page.attempts, page.reason, page.rejected_at - moment, page.retry_at and page.retry_at - moment))
    none = 0 * SECOND
    assert seen == [(1, "no 1", none, 10 * SECOND), (2, "no 2", none, 60 * SECOND), (3, "no 3", none, None)]
    assert [one.set_aside for one in outbox.sinks()] == [1]


def test_a_page_that_is_refused_for_good_is_set_aside_at_once(outbox, site_id):
    outbox.number(NOW)
    refuse(outbox, site_id, NOW, final=True, reason="x" * 1001)
    (page,) = outbox.rejected()
    assert (page.sink, page.attempts, page.retry_at, page.reason) == ("a", 1, None, "x" * 1000)
    assert page.url.endswith("/1")


def test_a_refused_page_is_due_when_its_time_has_come_and_for_its_sink_alone(outbox, site_id):
    outbox.number(NOW)
    refuse(outbox, site_id, NOW, key=2)
    refuse(outbox, site_id, NOW - SECOND, key=3)
    refuse(outbox, site_id, NOW, sink="b", key=4)

    def due(sink, moment, limit=9):
        return [one.key.url_key for one in outbox.due(sink, moment, limit)]

    assert due("a", NOW + 8.9 * SECOND) == []
    assert due("a", NOW + 9 * SECOND) == [3]
    assert due("a", NOW + 10 * SECOND) == [3, 2]
    assert due("a", NOW + 10 * SECOND, 1) == [3]
    assert due("b", NOW + 10 * SECOND) == [4]
    assert [(one.sink, one.url[-1]) for one in outbox.rejected()] == [("a", "3"), ("a", "2"), ("b", "4")]
    assert len(outbox.rejected("b")) == 1


def test_a_page_that_is_delivered_later_is_refused_no_more(outbox, site_id):
    outbox.number(NOW)
    for sink in "ab":
        for key in (1, 2):
            refuse(outbox, site_id, NOW, sink=sink, key=key)
    outbox.acknowledge("a", 0, 0, [PageKey(site_id, 1), PageKey(site_id, 3)], [], NOW, ())
    assert [(one.sink, one.url[-1]) for one in outbox.rejected()] == [("a", "2"), ("b", "1"), ("b", "2")]


def test_pages_that_were_set_aside_are_tried_again_when_that_is_asked_for(outbox, site_id):
    outbox.number(NOW)
    refuse(outbox, site_id, NOW, final=True, key=1)
    refuse(outbox, site_id, NOW, final=True, key=2, sink="b")
    refuse(outbox, site_id, NOW, key=3)
    assert outbox.retry("a", NOW + SECOND) == 1
    rows = {row.url_key: (row.attempts, row.retry_at) for row in outbox.session.execute(select(REJECTION))}
    assert rows == {1: (0, NOW + SECOND), 2: (1, None), 3: (1, NOW + 10 * SECOND)}
    assert outbox.retry("a", NOW) == 0


def test_everything_is_sent_to_one_sink_again(outbox, site_id):
    outbox.number(NOW)
    for sink in "ab":
        refuse(outbox, site_id, NOW, sink=sink)
        outbox.acknowledge(sink, 0, first() + 3, [], [], NOW, ())
    outbox.rewind("a")
    outbox.rewind("c")
    assert [(one.name, one.sequence, one.pending) for one in outbox.sinks()] == [
        ("a", 0, 4),
        ("b", first() + 3, 0),
        ("c", 0, 4),
    ]
    assert [one.sink for one in outbox.rejected()] == ["b"]


def test_a_sink_that_is_forgotten_begins_anew(outbox, site_id):
    outbox.number(NOW)
    for sink in "ab":
        refuse(outbox, site_id, NOW, sink=sink)
        outbox.acknowledge(sink, 0, first() + 3, [], [], NOW, ())
    assert [outbox.forget(name) for name in "aac"] == [True, False, False]
    assert [one.name for one in outbox.sinks()] == ["b"]
    assert [one.sink for one in outbox.rejected()] == ["b"]
    assert outbox.register("a") == 0


def test_since_when_a_sink_cannot_be_reached_is_kept_until_it_answers(outbox):
    outbox.register("a")
    outbox.register("b")
    assert outbox.fail("a", "x" * 1001, NOW) == NOW
    assert outbox.fail("a", "refused", NOW + SECOND) == NOW
    a, b = outbox.sinks()
    assert (a.failing_since, a.failure, b.failing_since) == (NOW, "refused", None)
    outbox.fail("a", "x" * 1001, NOW)
    assert outbox.sinks()[0].failure == "x" * 1000
    outbox.acknowledge("a", 0, 0, [], [], NOW, ())
    assert outbox.sinks()[0][2:5] == (NOW, None, None)


def test_a_page_whose_row_is_gone_is_deleted_from_the_index_by_the_url_it_was_queued_with(outbox):
    outbox.number(NOW)
    session = outbox.session
    session.execute(delete(PAGE).where(PAGE.c.url_key.in_((1, 2))))
    session.execute(update(OUTBOX).where(OUTBOX.c.url_key == 1).values(url="https://example.org/gone"))
    first_one, second, third, _ = outbox.after(0, 9)
    assert first_one[2:4] == (Operation.DELETE, "https://example.org/gone")
    assert second[2:4] == (Operation.DELETE, "")
    assert (first_one.depth, first_one.http_status, first_one.content) == (0, None, None)
    assert third.operation is Operation.UPSERT
