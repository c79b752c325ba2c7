"""Tests of the stored state of a page, as a visit reads it."""

import dataclasses
import datetime as dt

import pytest
from sqlalchemy import update

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.scheduling import History
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.page_state import GOOD, HISTORY, HISTORY_NAMES, Known, PageState, PageStatus, page_state
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CONTENT, PAGE
from tests.fetched import fetched
from tests.unit.storage.test_contents import NOW, record


@pytest.fixture
def session(sqlite_session):
    return sqlite_session


@pytest.fixture
def site_id(session):
    """A site with the pages 1 and 2, and another site with page 1."""
    sites, pages = SiteRepository(session), PageRepository(session)
    for host in ("b.example", "a.example"):
        site_id = sites.get_or_add(host, f"https://{host}/", NOW).id
        pages.record(site_id, [fetched(key) for key in (1, 2)])
    return site_id


def test_the_numbers_of_statuses_are_those_of_the_database():
    """docs/schema.md names them; a database of an earlier version has them."""
    names = ["DISCOVERED", "FETCHED", "UNCHANGED", "REDIRECTED", "ERROR", "GONE", "EXCLUDED", "DEAD"]
    assert [(one.name, one.value) for one in PageStatus] == [(name, number) for number, name in enumerate(names)]
    assert GOOD == (1, 2)


@pytest.mark.parametrize(
    ("row", "live", "deleted"),
    [
        (None, False, False),
        (RowStatus.NEW, True, False),
        (RowStatus.UNCHANGED, True, False),
        (RowStatus.GONE, False, True),
    ],
)
def test_readers_have_a_page_from_its_first_row_until_it_is_gone(row, live, deleted):
    known = Known(row=row)
    assert (known.live, known.deleted) == (live, deleted)


def test_a_page_without_a_row_has_an_empty_state(session, site_id):
    state = page_state(session, site_id, 99)
    assert state == PageState()
    assert state.known == (PageStatus.DISCOVERED, None, 0, None, False, False)
    assert state[1:] == (False, 0, 0, 0, False, History(), None)


def test_what_is_stored_of_a_page_comes_back(session, site_id):
    row = {"status": 4, "reason": "HTTP 503", "strikes": 2, "errors": 3, "fetches": 5, "not_modified": 6}
    history = History(86_400, NOW, 7, 4, 100, 200, -2, 1)
    times = dict(zip(HISTORY_NAMES, dataclasses.astuple(history), strict=True))
    here = (PAGE.c.site_id == site_id, PAGE.c.url_key == 1)
    session.execute(update(PAGE).where(*here).values(**row, surveyed=True, **times))
    found = page_state(session, site_id, 1)
    assert found == PageState(Known(PageStatus.ERROR, "HTTP 503", 2), True, 3, 5, 6, True, history)
    assert page_state(session, site_id, 2).known.status is PageStatus.FETCHED
    assert [column.name for column in HISTORY] == list(HISTORY_NAMES)


def test_its_content_is_read_where_that_is_wanted(session, site_id):
    one = record(extracted_at=NOW + dt.timedelta(hours=1))
    ContentRepository(session).put(site_id, one)
    whole, bare = (page_state(session, site_id, 1, content=content) for content in (True, False))
    assert (whole.content, bare.content) == (one, None)
    assert whole._replace(content=None) == bare
    assert (whole.known.row, whole.known.indexed) == (RowStatus.NEW, True)
    assert page_state(session, site_id, 1) == whole
    session.execute(update(CONTENT).values(status=RowStatus.GONE, indexed=False, digest=None, simhash=None, text=""))
    gone = page_state(session, site_id, 1)
    assert (gone.known.deleted, gone.known.indexed) == (True, False)
    assert (gone.content.digest, gone.content.simhash) == ("", 0)
    other = SiteRepository(session).get("b.example").id
    assert page_state(session, other, 1).content is None
