import datetime as dt

from sqlalchemy import text

from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.robots import RobotsRepository
from sitecrawl.storage.sites import SiteRepository

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def test_the_last_robots_txt_of_a_host_comes_back_while_it_is_young(engine):
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        robots = RobotsRepository(session)
        robots.keep(site_id, "example.org", b"old", NOW - DAY)
        robots.keep(site_id, "example.org", b"User-agent: *\n" * 1000, NOW)
        robots.keep(site_id, "example.org:8080", b"", NOW)
        robots.keep(site_id, "x" * 301, b"no name", NOW)
        assert robots.last(site_id, "example.org", NOW - DAY) == (b"User-agent: *\n" * 1000, NOW)
        assert robots.last(site_id, "example.org:8080", NOW) == (b"", NOW)
        assert robots.last(site_id, "example.org", NOW + DAY) is None
        assert robots.last(site_id, "other.example.org", NOW - DAY) is None
        assert robots.last(site_id, "x" * 301, NOW - DAY) is None


def test_a_damaged_copy_is_none_and_a_forgotten_site_has_none(engine):
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        RobotsRepository(session).keep(site_id, "example.org", b"Disallow: /", NOW)
        session.execute(text("UPDATE robots SET body = :body"), {"body": b"damaged"})
        assert RobotsRepository(session).last(site_id, "example.org", NOW) is None
        SiteRepository(session).forget("example.org")
        assert session.scalar(text("SELECT count(*) FROM robots")) == 0
