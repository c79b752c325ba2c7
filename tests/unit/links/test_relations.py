import pytest

from sitecrawl.dom.page import Page
from sitecrawl.links.relations import MAX_ALTERNATES, MAX_FEEDS, Relation, canonical_page, relations
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import url_key

URL = "https://example.org/a.html?page=2"
SCOPE = SiteScope.of(URL)


def read(head, url=URL):
    return relations(Page.from_html(f"<head>{head}</head><p>x", url), SCOPE)


@pytest.mark.parametrize(
    ("head", "canonical", "elsewhere"),
    [
        ("<link rel=canonical href=/a.html>", "https://example.org/a.html", False),
        ("<link rel=canonical href=https://example.org/a.html?page=2>", None, False),
        ("<link rel=canonical href='http://www.example.org/a.html?page=2&utm_source=x'>", None, False),
        ("<link rel=canonical href=https://other.example/a.html>", None, True),
        ("<link rel=canonical href=http://127.0.0.66/>", None, True),
        ("<link rel=canonical href=''>", None, False),
        ("<link rel=canonical href=/b><link rel=canonical href=/c>", None, False),
        ("<link rel=canonical href=/b><link rel='CANONICAL shortlink' href=/b>", "https://example.org/b", False),
        ("<link rel=canonical href='https://[bad'>", None, False),
        ("<link rel=canonical href='https://user:pw@example.org/'>", None, False),
        ("", None, False),
    ],
)
def test_canonical(head, canonical, elsewhere):
    found = read(head)
    assert (found.canonical.url if found.canonical else None) == canonical
    assert found.canonical_elsewhere is elsewhere


@pytest.mark.parametrize(
    ("url", "declared", "named"),
    [
        ("https://example.org/news/1", "https://example.org/", None),
        ("https://example.org/news/1?page=2", "http://www.example.org", None),
        ("https://example.org/de/", "https://example.org/", None),
        ("https://example.org/?page=2", "https://example.org/", "https://example.org/"),
        ("https://example.org/index.html", "https://example.org/", "https://example.org/"),
        ("https://example.org/Default.aspx?x=1", "https://example.org/", "https://example.org/"),
        ("https://example.org/news/1", "https://example.org/news/", "https://example.org/news/"),
        ("https://example.org/news/1", "https://example.org/?p=1", "https://example.org/?p=1"),
    ],
)
def test_the_front_page_is_the_canonical_page_of_its_own_names_alone(url, declared, named):
    assert canonical_page(url, declared, SCOPE) == named


def test_translations_of_the_same_site():
    found = read(
        "<link rel=alternate hreflang=de href=/de/a.html><link rel=alternate hreflang=fr href=https://example.fr/>"
        "<link rel=alternate hreflang=en href=?page=2><link rel=alternate hreflang=x-default href=/de/a.html>"
        "<link rel=alternate hreflang=es href='http://['><link rel=alternate media=print href=/print>"
        "<link rel='alternate stylesheet' hreflang=pt href=/x.css>"
    )
    assert found.alternates == (Relation("https://example.org/de/a.html", url_key("https://example.org/de/a.html")),)


def test_feeds_of_the_same_site():
    found = read(
        "<link rel=alternate type=application/rss+xml href=/feed/>"
        "<link rel=Alternate type='Application/ATOM+XML; charset=utf-8' href=/atom.xml hreflang=en>"
        "<link rel=alternate type=application/rss+xml href=/feed/#again>"
        "<link rel=alternate type=application/rss+xml href=https://feeds.example.net/x>"
        "<link rel=alternate type=application/json+oembed href=/oembed><link rel=alternate type=text/xml href=/x>"
    )
    assert [feed.url for feed in found.feeds] == ["https://example.org/feed/", "https://example.org/atom.xml"]


def test_floods_are_bounded():
    feeds = "".join(f"<link rel=alternate type=application/rss+xml href=/{i}>" for i in range(200))
    alternates = "".join(f"<link rel=alternate hreflang=de href=/{i}>" for i in range(200))
    assert len(read(feeds).feeds) == MAX_FEEDS
    assert len(read(alternates).alternates) == MAX_ALTERNATES
