"""Tests of the progress of sinks, and of the pages that they refuse."""

import pytest
from sqlalchemy import select

from sitecrawl.errors import SinkError
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.outbox import Outbox, PageKey
from sitecrawl.storage.sinks import Refusal, SinkRepository
from sitecrawl.storage.tables.models import REJECTION
from tests.integration.feeding import add_pages
from tests.unit.storage.test_outbox import NOW, SECOND, first


@pytest.fixture
def site_id(engine):
    return add_pages(engine, 4)


@pytest.fixture
def outbox(engine, site_id):
    with session_scope(engine) as session:
        yield Outbox(session)


@pytest.fixture
def sinks(outbox):
    return SinkRepository(outbox.session)


def test_a_sink_begins_at_the_beginning_and_goes_on_where_it_was(outbox, sinks):
    outbox.number(NOW)
    assert (sinks.register("a"), sinks.register("b")) == (0, 0)
    sinks.acknowledge("a", 0, first() + 1, [], [], NOW, ())
    assert (sinks.register("a"), sinks.register("b")) == (first() + 1, 0)
    a, b = sinks.all()
    assert a == ("a", first() + 1, NOW, None, None, 2, 0)
    assert b == ("b", 0, None, None, None, 4, 0)
    with pytest.raises(SinkError, match="a: another process feeds this sink; run one at a time"):
        sinks.acknowledge("a", 0, first() + 2, [], [], NOW, ())


def refuse(sinks, site_id, moment, *, sink="a", final=False, retries=(10.0, 60.0), key=1, reason="no"):
    at = sinks.register(sink)
    sinks.acknowledge(sink, at, at, [], [Refusal(PageKey(site_id, key), reason, final)], moment, retries)


def test_a_refused_page_is_tried_again_as_often_as_there_are_retries_and_then_set_aside(outbox, sinks, site_id):
    outbox.number(NOW)
    seen = []
    for attempt in range(1, 4):
        moment = NOW + attempt * SECOND
        refuse(sinks, site_id, moment, reason=f"no {attempt}")
        (page,) = sinks.rejected("a")
        seen.append((page.attempts, page.reason, page.rejected_at - moment, page.retry_at and page.retry_at - moment))
    none = 0 * SECOND
    assert seen == [(1, "no 1", none, 10 * SECOND), (2, "no 2", none, 60 * SECOND), (3, "no 3", none, None)]
    assert [one.set_aside for one in sinks.all()] == [1]


def test_a_page_that_is_refused_for_good_is_set_aside_at_once(outbox, sinks, site_id):
    outbox.number(NOW)
    refuse(sinks, site_id, NOW, final=True, reason="x" * 1001)
    (page,) = sinks.rejected()
    assert (page.sink, page.attempts, page.retry_at, page.reason) == ("a", 1, None, "x" * 1000)
    assert page.url.endswith("/1")


def test_a_refused_page_is_due_when_its_time_has_come_and_for_its_sink_alone(outbox, sinks, site_id):
    outbox.number(NOW)
    refuse(sinks, site_id, NOW, key=2)
    refuse(sinks, site_id, NOW - SECOND, key=3)
    refuse(sinks, site_id, NOW, sink="b", key=4)

    def due(sink, moment, limit=9):
        return [one.key.url_key for one in outbox.due(sink, moment, limit)]

    assert due("a", NOW + 8.9 * SECOND) == []
    assert due("a", NOW + 9 * SECOND) == [3]
    assert due("a", NOW + 10 * SECOND) == [3, 2]
    assert due("a", NOW + 10 * SECOND, 1) == [3]
    assert due("b", NOW + 10 * SECOND) == [4]
    assert [(one.sink, one.url[-1]) for one in sinks.rejected()] == [("a", "3"), ("a", "2"), ("b", "4")]
    assert len(sinks.rejected("b")) == 1


def test_a_page_that_is_delivered_later_is_refused_no_more(outbox, sinks, site_id):
    outbox.number(NOW)
    for sink in "ab":
        for key in (1, 2):
            refuse(sinks, site_id, NOW, sink=sink, key=key)
    sinks.acknowledge("a", 0, 0, [PageKey(site_id, 1), PageKey(site_id, 3)], [], NOW, ())
    assert [(one.sink, one.url[-1]) for one in sinks.rejected()] == [("a", "2"), ("b", "1"), ("b", "2")]


def test_pages_that_were_set_aside_are_tried_again_when_that_is_asked_for(outbox, sinks, site_id):
    outbox.number(NOW)
    refuse(sinks, site_id, NOW, final=True, key=1)
    refuse(sinks, site_id, NOW, final=True, key=2, sink="b")
    refuse(sinks, site_id, NOW, key=3)
    assert sinks.retry("a", NOW + SECOND) == 1
    rows = {row.url_key: (row.attempts, row.retry_at) for row in sinks.session.execute(select(REJECTION))}
    assert rows == {1: (0, NOW + SECOND), 2: (1, None), 3: (1, NOW + 10 * SECOND)}
    assert sinks.retry("a", NOW) == 0


def test_everything_is_sent_to_one_sink_again(outbox, sinks, site_id):
    outbox.number(NOW)
    for sink in "ab":
        refuse(sinks, site_id, NOW, sink=sink)
        sinks.acknowledge(sink, 0, first() + 3, [], [], NOW, ())
    sinks.rewind("a")
    sinks.rewind("c")
    assert [(one.name, one.sequence, one.pending) for one in sinks.all()] == [
        ("a", 0, 4),
        ("b", first() + 3, 0),
        ("c", 0, 4),
    ]
    assert [one.sink for one in sinks.rejected()] == ["b"]


def test_a_sink_that_is_forgotten_begins_anew(outbox, sinks, site_id):
    outbox.number(NOW)
    for sink in "ab":
        refuse(sinks, site_id, NOW, sink=sink)
        sinks.acknowledge(sink, 0, first() + 3, [], [], NOW, ())
    assert [sinks.forget(name) for name in "aac"] == [True, False, False]
    assert [one.name for one in sinks.all()] == ["b"]
    assert [one.sink for one in sinks.rejected()] == ["b"]
    assert sinks.register("a") == 0


def test_since_when_a_sink_cannot_be_reached_is_kept_until_it_answers(sinks):
    sinks.register("a")
    sinks.register("b")
    assert sinks.fail("a", "x" * 1001, NOW) == NOW
    assert sinks.fail("a", "refused", NOW + SECOND) == NOW
    a, b = sinks.all()
    assert (a.failing_since, a.failure, b.failing_since) == (NOW, "refused", None)
    sinks.fail("a", "x" * 1001, NOW)
    assert sinks.all()[0].failure == "x" * 1000
    sinks.acknowledge("a", 0, 0, [], [], NOW, ())
    assert sinks.all()[0][2:5] == (NOW, None, None)
