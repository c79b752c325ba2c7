import datetime as dt

from sqlalchemy import text

from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.storage.closed import ClosedRepository, StoredClosed
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.sites import SiteRepository

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
FOLDER = Closed(7, ClosedKind.FOLDER, "https://example.org/t/", "a trap: it answers any URL")
PATH = Closed(3, ClosedKind.COMBINATIONS, "example.org/shop?", "a trap: filters")


def test_what_is_closed_comes_back_as_it_was(engine):
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        closed = ClosedRepository(session)
        closed.put(site_id, [FOLDER], NOW)
        closed.put(site_id, [PATH], NOW + DAY)
        assert closed.all(site_id) == [StoredClosed(FOLDER, NOW), StoredClosed(PATH, NOW + DAY)]
        closed.put(site_id, [FOLDER], NOW + 2 * DAY)  # closed again
        assert closed.all(site_id) == [StoredClosed(PATH, NOW + DAY), StoredClosed(FOLDER, NOW + 2 * DAY)]
        closed.open(site_id, [PATH.key, 99])
        assert closed.all(site_id) == [StoredClosed(FOLDER, NOW + 2 * DAY)]
        closed.forget(site_id)
        assert closed.all(site_id) == []


def test_places_of_hostile_urls_are_stored_and_go_with_the_site(engine):
    hostile = Closed(9, ClosedKind.FOLDER, "https://example.org/\x00\ud800" + "a" * 2_083, "why\x00")
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        ClosedRepository(session).put(site_id, [hostile], NOW)
        assert len(ClosedRepository(session).all(site_id)) == 1
        SiteRepository(session).forget("example.org")
        assert session.scalar(text("SELECT count(*) FROM closed")) == 0
