import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitecrawl.links import urls
from sitecrawl.links.urls import (
    MAX_URL_LENGTH,
    canonical_url,
    fetchable_url,
    identity,
    resolve_dots,
    split_url,
    url_id,
    url_key,
    url_problem,
)
from tests.strategies import urls as any_urls

BAD = {
    "http://[": "not a valid URL",
    "http://[::1": "not a valid URL",
    "http://a:b/": "not a valid URL",
    "http://a:99999/": "not a valid URL",
    "http://a:0/": "no valid host or port",
    "http://": "no valid host or port",
    "//": "not an absolute http or https URL",
    "//example.org/": "not an absolute http or https URL",
    "/path": "not an absolute http or https URL",
    "": "not an absolute http or https URL",
    "example.org": "not an absolute http or https URL",
    "javascript:alert(1)": "not an absolute http or https URL",
    "mailto:a@example.org": "not an absolute http or https URL",
    "ftp://example.org/": "not an absolute http or https URL",
    "file:///etc/passwd": "not an absolute http or https URL",
    "http://user:secret@example.org/": "user name or password in the URL",
    "http://@example.org/": "user name or password in the URL",
    "http://a b/": "no valid host or port",
    "http://a..b/": "no valid host or port",
    "http://" + 64 * "a" + ".org/": "no valid host or port",
    "http://" + 64 * "abcd." + "org/": "no valid host or port",
    "http://%65xample.org/": "no valid host or port",
    "http://[fe80::1%25eth0]/": "no valid host or port",
    "http://example.org/\ud800": "not a valid URL",
    "http://example.org/" + MAX_URL_LENGTH * "a": "longer than 2083 characters",
    "http://example.org/" + 9 * MAX_URL_LENGTH * "a": "longer than 2083 characters",
}


@pytest.mark.parametrize("url", BAD)
def test_unusable_urls_have_a_reason_and_never_raise(url):
    assert fetchable_url(url) is canonical_url(url) is split_url(url) is None
    assert url_problem(url)
    assert identity(url) == url.strip()
    assert 0 <= url_key(url) < 2**63


@pytest.mark.parametrize(("url", "reason"), BAD.items())
def test_the_reason_is_the_right_one(url, reason):
    assert url_problem(url) == reason


CANONICAL = {
    "HTTP://Example.ORG": "http://example.org/",
    "http://example.org:80/a": "http://example.org/a",
    "https://example.org:443/a": "https://example.org/a",
    "https://example.org:80/a": "https://example.org:80/a",
    "http://example.org./a": "http://example.org/a",
    "http://example.org/a#part": "http://example.org/a",
    "http://example.org/a?": "http://example.org/a",
    "http://example.org/a?&&": "http://example.org/a",
    "http://example.org/a?b=2&a=1": "http://example.org/a?a=1&b=2",
    "http://example.org/a?a=1&&b=2&": "http://example.org/a?a=1&b=2",
    "http://example.org/a?f=3&f=3&g=1&f=3": "http://example.org/a?f=3&g=1",
    "http://example.org/a?f=a%3A3&f=a:3&f=a%3a3": "http://example.org/a?f=a%3A3",
    "http://example.org/a?f=4&f=3&f=4": "http://example.org/a?f=3&f=4",
    "http://example.org/a?f&f=": "http://example.org/a?f=",
    "http://example.org/a?utm_source=x&UTM_Medium=y&id=7&gclid=z": "http://example.org/a?id=7",
    "http://example.org/a?%75tm_source=x": "http://example.org/a",
    "http://example.org/a?fbclid=1&msclkid=2&mc_cid=3&mc_eid=4&_ga=5": "http://example.org/a",
    "http://example.org/a?id=7&PHPSESSID=abc&jsessionid=1": "http://example.org/a?id=7",
    "http://example.org/a?sid=12": "http://example.org/a?sid=12",
    "http://example.org/a?sid=20240517": "http://example.org/a?sid=20240517",
    "http://example.org/a?sid=9f86d081884c7d65": "http://example.org/a",
    "http://example.org/a?s=music": "http://example.org/a?s=music",
    "http://example.org/a?s=9f86d081": "http://example.org/a?s=9f86d081",
    "http://example.org/a?s=9f86d081884c7d659a2feaa0c55ad015": "http://example.org/a",
    "http://example.org/a.do;jsessionid=1A2B?x=1": "http://example.org/a.do?x=1",
    "http://example.org/;jsessionid=1A2B": "http://example.org/",
    "http://example.org/a/..;jsessionid=1/b": "http://example.org/b",
    "http://example.org/(S(lit3py55t21z5v55))/a.aspx": "http://example.org/a.aspx",
    "http://example.org/wiki/Mercury_(planet)": "http://example.org/wiki/Mercury_(planet)",
    "http://example.org/a/./b/../c": "http://example.org/a/c",
    "http://example.org/a/%2e%2E/c": "http://example.org/c",
    "http://example.org/../../c": "http://example.org/c",
    "http://example.org/%7Ejo/%61%2f%e9": "http://example.org/~jo/a%2F%E9",
    "http://example.org/%2541": "http://example.org/%2541",
    "http://example.org/a b?c=d e": "http://example.org/a%20b?c=d+e",
    "http://b\u00fccher.example/\u00fc": "http://xn--bcher-kva.example/%C3%BC",
    "http://XN--BCHER-KVA.example/": "http://xn--bcher-kva.example/",
    "http://[::0:1]:8000/": "http://[::1]:8000/",
    " \thttp://example.org/a\n ": "http://example.org/a",
    "http://example.org\\a\\b": "http://example.org/a/b",
}


@pytest.mark.parametrize(("url", "canonical"), CANONICAL.items())
def test_urls_have_their_canonical_form(url, canonical):
    assert canonical_url(url) == canonical


def test_fetchable_url_changes_nothing_that_the_server_may_want():
    spelled = "https://www.example.org/B%7e/?z=1&a=2&PHPSESSID=x;y&b"
    assert fetchable_url(spelled) == spelled
    assert fetchable_url(spelled + "&utm_campaign=x#top") == spelled
    assert fetchable_url("http://example.org?q") == "http://example.org/?q"


def test_identity_ignores_scheme_and_www():
    one = "https://www.example.org/a?b=1&a=2"
    assert identity(one) == "example.org/a?a=2&b=1"
    assert url_key(one) == url_key("http://example.org/a?a=2&b=1#x")
    assert url_id(one) == url_id("http://example.org:80/a?a=2&b=1&utm_id=1")
    assert url_key(one) != url_key("https://example.org:8443/a?a=2&b=1")
    assert identity("http://www.org/") == "www.org/"
    assert identity("http://www.example.org:81/") == "example.org:81/"


def test_keys_are_stable_and_agree():
    url = "https://example.org/"
    assert re.fullmatch("[0-9a-f]{32}", url_id(url))
    assert url_key(url) == int(url_id(url)[:16], 16) >> 1
    assert url_id(url) == "ef0577201a94bcfb1f199b84fc9fb774"  # printf example.org/ | b2sum -l 128


def test_many_session_ids_in_a_path_take_no_time():
    url = "http://example.org/" + 100 * "a;sid=1/" + 500 * ";"
    assert canonical_url(url) == "http://example.org/" + 100 * "a/"


@given(any_urls() | st.text())
@settings(deadline=None, max_examples=500)
@example("http://h/;;sid=a1b2c3d4")
@example("http://h/.;jsessionid=1/")
@example("http://h/;sid=1;sid=2")
@example("http://h/%%41a")
def test_forms_are_idempotent_and_agree(url):
    fetchable, canonical = fetchable_url(url), canonical_url(url)
    assert (fetchable is None) == (canonical is None) == (url_problem(url) is not None)
    if fetchable is None or canonical is None:
        return
    assert fetchable_url(fetchable) == fetchable
    assert canonical_url(canonical) == canonical == canonical_url(fetchable)
    assert identity(url) == identity(fetchable) == identity(canonical)
    assert "#" not in fetchable + canonical
    assert (fetchable + canonical).isascii()


@given(
    st.builds(
        "{}{}/{}{}".format,
        st.sampled_from(("http://www.example.org", "https://localhost", "http://10.0.0.1", "https://-a.b-.org")),
        st.sampled_from(("", ":80", ":443", ":8000", ":99", ":22200", ":59999", ":60000", ":65535", ":65536")),
        st.text("abAZ019._~-/", max_size=12),
        st.text("abAZ0._~-=&", max_size=12).map("?".__add__) | st.sampled_from(("", "?utm_x=1", "?b=2&sid=a1b2c3d4&a")),
    )
)
@settings(max_examples=500)
def test_the_short_cut_agrees_with_the_long_way(url):
    short = fetchable_url(url), canonical_url(url), split_url(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "_CLEAN", re.compile(r"(?!)"))
        assert (fetchable_url(url), canonical_url(url), split_url(url)) == short


@pytest.mark.parametrize(
    ("path", "resolved"),
    [
        ("/a/b/../../../c", "/c"),
        ("/a/.", "/a/"),
        ("/a/b/..", "/a/"),
        ("/..", "/"),
        ("/a/.b/...", "/a/.b/..."),
    ],
)
def test_dot_segments_of_a_path_are_resolved(path, resolved):
    assert resolve_dots(path) == resolved
