import re

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.links.scope import SiteScope, registrable_domain


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.org/a/b?c", "example.org"),
        ("http://example.org:80/", "example.org"),
        ("https://example.org:443/", "example.org"),
        ("http://example.org:443/", "example.org:443"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://[::0:1]:8000/", "[::1]:8000"),
        ("http://LOCALHOST./", "localhost"),
        ("http://www.b\u00fccher.example/", "xn--bcher-kva.example"),
        ("https://www.org/", "www.org"),
    ],
)
def test_key(url, key):
    scope = SiteScope.of(url)
    assert scope == SiteScope(key, "host")
    assert scope.contains(url)


def test_host_scope():
    scope = SiteScope.of("https://www.example.org/start")
    for url in (
        "http://example.org/",
        "https://www.example.org:443/x",
        "http://EXAMPLE.org.:80/",
        "https://example.org?q",
    ):
        assert scope.contains(url), url
    for url in (
        "https://blog.example.org/",
        "https://example.org:8443/",
        "https://example.org.evil.test/",
        "https://notexample.org/",
        "https://example.org@evil.test/",
        "https://evil.test/?https://example.org/",
        "ftp://example.org/",
        "http://[",
        "//example.org/",
    ):
        assert not scope.contains(url), url


def test_ports_are_sites_of_their_own():
    scope = SiteScope.of("http://localhost:8000/")
    assert scope.contains("https://localhost:8000/x")
    assert not scope.contains("http://localhost/")
    assert not scope.contains("http://localhost:8001/")


def test_ipv6_scope():
    scope = SiteScope.of("http://[2001:DB8:0::1]/")
    assert scope.contains("https://[2001:db8::1]/x")
    assert not scope.contains("https://[2001:db8::2]/x")


def test_idn_scope():
    assert SiteScope.of("https://b\u00fccher.example/").contains("http://www.xn--bcher-kva.example/x")


def test_domain_scope():
    scope = SiteScope.of("https://blog.example.co.uk/", "domain")
    assert scope == SiteScope("example.co.uk", "domain")
    for url in ("https://example.co.uk/", "http://www.example.co.uk/", "https://a.b.example.co.uk/"):
        assert scope.contains(url), url
    for url in ("https://other.co.uk/", "https://badexample.co.uk/", "https://blog.example.co.uk:81/"):
        assert not scope.contains(url), url
    ported = SiteScope.of("https://blog.example.co.uk:81/", "domain")
    assert ported.key == "example.co.uk:81"
    assert ported.contains("http://example.co.uk:81/")
    assert not ported.contains("http://example.co.uk/")


def test_private_suffixes_are_sites_of_their_own():
    scope = SiteScope.of("https://someone.github.io/", "domain")
    assert scope.key == "someone.github.io"
    assert scope.contains("https://www.someone.github.io/")
    assert not scope.contains("https://another.github.io/")
    assert not scope.contains("https://github.io/")


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "http://[::1]/", "http://localhost/", "https://github.io/"])
def test_domain_scope_falls_back_to_host(url):
    assert SiteScope.of(url, "domain") == SiteScope.of(url, "host")


def test_registrable_domain():
    assert registrable_domain("a.b.example.org") == "example.org"
    assert registrable_domain("10.0.0.1") is registrable_domain("[::1]") is registrable_domain("localhost") is None


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("example.org", "not an absolute http or https URL"),
        ("ftp://example.org/", "not an absolute http or https URL"),
        ("https://", "no valid host or port"),
        ("https://u:p@example.org/", "user name or password"),
        ("https://example.org:x/", "not a valid URL"),
        ("https:/example.org/", "no valid host or port"),
    ],
)
def test_unusable_start_url(url, reason):
    with pytest.raises(ConfigError, match=reason) as caught:
        SiteScope.of(url)
    assert url.replace("u:p@", "...@") in str(caught.value)
    assert "such as https://example.org/" in str(caught.value)


@pytest.mark.parametrize("url", ["example.net/", "example.net:8080/docs/", "www.example.net/"])
def test_a_start_url_without_its_scheme_is_given_back_with_it(url):
    with pytest.raises(ConfigError, match=re.escape(f"give a start URL such as https://{url}")):
        SiteScope.of(url)


def test_an_unknown_scope_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match="'galaxy' cannot be used: one of host, domain"):
        SiteScope.of("https://example.org/", "galaxy")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@a.example/", "https://...@a.example/"),
        ("ftp://user:secret@a.example/", "ftp://...@a.example/"),
        ("//u:secret@a/@b", "//...@a/@b"),
        ("user:secret@a.example/x", "...@a.example/x"),
        ("user:secret@a.example:8080", "...@a.example:8080"),
    ],
)
def test_passwords_are_not_shown(url, shown):
    with pytest.raises(ConfigError) as caught:
        SiteScope.of(url)
    assert "secret" not in str(caught.value)
    assert f"'{shown}'" in str(caught.value)
