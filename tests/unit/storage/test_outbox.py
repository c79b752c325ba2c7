"""Tests of the outbox: the changes that a sink gets."""

import datetime as dt

import pytest
from sqlalchemy import delete, update

from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.tables.models import OUTBOX, PAGE
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
