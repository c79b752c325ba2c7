"""Tests of sites that are forgotten."""

import pytest

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.forgetting import Forgotten, forget_site
from sitecrawl.errors import SiteLeasedError, UnknownSiteError
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import crawled, during


@pytest.fixture
def session(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, (1, 2, 3)), reason="finished")
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        yield session
    engine.dispose()


def test_a_host_of_a_domain_does_not_forget_the_domain(session):
    with pytest.raises(UnknownSiteError, match=r"^blog\.example\.org: "):
        forget_site(session, Config(site_scope="domain"), "blog.example.org")


@pytest.mark.parametrize("sinks", [0, 1])
def test_a_site_is_forgotten_with_its_urls(session, sinks):
    for number in range(sinks):
        SinkRepository(session).register(f"sink{number}")
    assert forget_site(session, Config(), "https://www.example.org/") == Forgotten(
        "example.org", 4, bool(sinks)
    )  # `/` is known, not fetched
    assert SiteRepository(session).get("example.org") is None
    with pytest.raises(UnknownSiteError, match=r"example\.org: the database holds nothing about this site"):
        forget_site(session, Config(), "example.org")


def test_a_site_that_is_crawled_is_not_forgotten(session):
    sites = SiteRepository(session)
    sites.lease(sites.get("example.org").id, "another:1:2", now(), 3600)
    with pytest.raises(SiteLeasedError, match="is being crawled by another"):
        forget_site(session, Config(), "example.org")
    assert sites.get("example.org") is not None
