"""Tests of the stored counts of what pages declare."""

import datetime as dt

import pytest

from sitecrawl.metadata.shared_values import LEAST, PRUNED
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageChange, PageRepository
from sitecrawl.storage.site_values import AT_ONCE, SiteValueRepository
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
def stored(engine):
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        pages = [fetched(key, html="", discovery=1) for key in (1, 2)]
        PageRepository(session).record(site_id, pages)
        yield SiteValueRepository(session), site_id


def test_values_are_counted(stored):
    counts, site_id = stored
    for key in (1, 2):
        counts.count(site_id, [(0, 0), (7, 5), (7, key + 10)])
    assert counts.load(site_id) == {(0, 0): 2, (7, 5): 2, (7, 11): 1, (7, 12): 1}


def test_a_page_is_marked_as_counted_with_its_row(stored):
    counts, site_id = stored
    pages = PageRepository(counts.session)
    pages.write(site_id, PageChange(1, pages.state(site_id, 1), surveyed=True))
    assert counts.surveyed(site_id) == {1}
    assert [pages.state(site_id, key).surveyed for key in (1, 2)] == [True, False]


def test_many_values_are_counted_in_few_statements(stored):
    counts, site_id = stored
    many = [(7, value) for value in range(40)]
    for _ in range(2):
        counts.count(site_id, many)
    assert counts.load(site_id) == dict.fromkeys(many, 2)


@pytest.mark.parametrize("pages", [2, 3])
def test_of_a_small_site_the_values_of_all_pages_are_decided(stored, pages):
    counts, site_id = stored
    for key in range(pages):
        counts.count(site_id, [(0, 0), (1, 5), (1, 10 + min(key, 1))])
    counts.decide(site_id)
    assert counts.decided(site_id) == {(0, 0): pages, (1, 5): pages}


def test_rare_values_are_pruned(stored):
    counts, site_id = stored
    counts.count(site_id, [(0, 0), (7, 1)])
    counts.session.connection().exec_driver_sql(f"UPDATE site_value SET pages = {PRUNED - 1} WHERE field = 0")
    counts.count(site_id, [(0, 0), (7, 2)])
    assert counts.load(site_id) == {(0, 0): PRUNED}


def test_what_was_decided_counts_until_it_is_decided_anew(stored):
    counts, site_id = stored
    for _ in range(LEAST):
        counts.count(site_id, [(0, 0), (7, 5)])
    counts.count(site_id, [(0, 0), (7, 6)])
    assert counts.decided(site_id) == {}
    assert counts.used(site_id) == counts.load(site_id) == {(0, 0): LEAST + 1, (7, 5): LEAST, (7, 6): 1}
    counts.decide(site_id)
    first = {(0, 0): LEAST + 1, (7, 5): LEAST}
    counts.count(site_id, [(0, 0), (7, 5)])
    assert counts.used(site_id) == counts.decided(site_id) == first
    counts.decide(site_id)
    assert counts.used(site_id) == {(0, 0): LEAST + 2, (7, 5): LEAST + 1}


def test_a_page_with_many_values_prunes_too(stored):
    counts, site_id = stored
    many = [(7, value) for value in range(AT_ONCE + 3)]
    counts.count(site_id, [(0, 0), *many])
    counts.session.connection().exec_driver_sql(f"UPDATE site_value SET pages = {PRUNED - 1} WHERE field = 0")
    counts.count(site_id, [(0, 0), (8, 1), *many[1:]])
    assert counts.load(site_id) == {(0, 0): PRUNED}
