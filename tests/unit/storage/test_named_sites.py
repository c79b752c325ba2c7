"""People name a site as they know it: by a host, with or without `www.`, or by a URL from their browser."""

import datetime as dt

import pytest

from sitecrawl.errors import ConfigError, UnknownSiteError
from sitecrawl.storage.named_sites import SHOWN, named_site
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import SITE

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def add(session, *hosts):
    for host in hosts:
        SiteRepository(session).get_or_add(host, f"https://{host}/", NOW)


@pytest.mark.parametrize(
    ("stored", "name", "scope"),
    [
        ("example.org", "example.org", "host"),
        ("example.org", "https://example.org/a/page.html?q=1#part", "host"),
        ("example.org", "http://www.example.org/", "host"),
        ("example.org", "www.example.org", "host"),
        ("example.org", "Example.ORG", "host"),
        ("example.org", " example.org/ ", "host"),
        ("example.org", "example.org/a/page.html", "host"),
        ("127.0.0.1:8000", "127.0.0.1:8000", "host"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/index.html", "host"),
        ("xn--bcher-kva.example", "bücher.example", "host"),
        ("example.org", "https://blog.example.org/", "domain"),
        ("example.org", "blog.example.org", "domain"),
        ("blog.example.org", "https://blog.example.org/", "domain"),  # it was crawled with the scope `host`
    ],
)
def test_a_site_is_found_by(session, stored, name, scope):
    add(session, "other.example", stored)
    assert named_site(session, name, scope).host == stored


def test_a_site_of_its_own_goes_before_that_of_its_domain(session):
    add(session, "example.org", "blog.example.org")
    assert named_site(session, "blog.example.org", "domain").host == "blog.example.org"


def test_a_host_is_no_site_of_another_host(session):
    add(session, "example.org")
    with pytest.raises(UnknownSiteError):
        named_site(session, "https://blog.example.org/", "host")


def test_the_error_names_sites_with_a_like_name(session):
    add(session, "docs.example.org", "example.org:8080", "other.example")
    with pytest.raises(
        UnknownSiteError, match=r"^example\.org: .*; did you mean docs\.example\.org or example\.org:8080\?$"
    ):
        named_site(session, "https://www.example.org/", "host")


def test_signs_of_patterns_are_no_pattern(session):
    add(session, "example.org")
    with pytest.raises(UnknownSiteError, match=r"known: example\.org$"):
        named_site(session, "e%g", "host")


def test_the_error_names_some_sites_where_none_is_like_it(session):
    add(session, *(f"{letter}.example" for letter in "fedcba"))
    with pytest.raises(UnknownSiteError, match=r"; known: a\.example, b\.example, .*, e\.example and more; see"):
        named_site(session, "nowhere.test", "host")


def test_as_many_sites_as_are_shown_are_all(session):
    add(session, *(f"{letter}.example" for letter in "abcdefgh"[:SHOWN]))
    with pytest.raises(UnknownSiteError, match=r"d\.example, e\.example$"):
        named_site(session, "nowhere.test", "host")


def test_an_empty_database_has_no_site_to_name(session):
    with pytest.raises(UnknownSiteError, match="no site is known yet; start with: "):
        named_site(session, "example.org", "host")


def test_a_forgotten_site_is_unknown(session):
    add(session, "example.org")
    session.execute(SITE.update().values(reach="private"))  # known alone where its name may lead
    with pytest.raises(UnknownSiteError, match="no site is known yet"):
        named_site(session, "example.org", "host")


def test_a_url_that_cannot_be_used_says_why_without_its_password(session):
    with pytest.raises(ConfigError) as error:
        named_site(session, "ftp://me:secret@example.org/", "host")
    assert "secret" not in str(error.value)


def test_what_is_no_host_is_an_unknown_site(session):
    with pytest.raises(UnknownSiteError, match=r"^no such host: "):
        named_site(session, "no such host", "host")
