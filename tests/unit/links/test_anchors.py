import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.links import anchors as module
from sitecrawl.links.anchors import NOT_HTML, NOT_HTML_KINDS, AnchorCounts, AnchorReader, anchors, may_be_html
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.traps import TrapGuard, TrapLimits
from sitecrawl.links.urls import fetchable_url, split_url, url_key
from tests.strategies import paths, urls

URL = "https://example.org/news/2024/key.html?page=2"
SCOPE = SiteScope.of(URL)


def _page(html, url=URL):
    return Page.from_html(html, url)


def _read(html, url=URL, **options):
    return AnchorReader(SCOPE, **options).read(_page(html, url))


def _links(*hrefs):
    return "<p>" + "".join(f'<a href="{href}">x</a>' for href in hrefs)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("a.html", "https://example.org/news/2024/a.html"),
        ("../a.html", "https://example.org/news/a.html"),
        ("..\\a.html", "https://example.org/news/a.html"),
        ("../../../a.html", "https://example.org/a.html"),
        ("/a", "https://example.org/a"),
        ("\\a", "https://example.org/a"),
        ("./", "https://example.org/news/2024/"),
        ("?page=3", "https://example.org/news/2024/key.html?page=3"),
        ("//www.example.org/a", "https://www.example.org/a"),
        ("http://example.org/a#part", "http://example.org/a"),
        ("HTTP://EXAMPLE.ORG/a", "http://example.org/a"),
        (" \n /a\t ", "https://example.org/a"),
        ("/a b", "https://example.org/a%20b"),
        ("/a\nb", "https://example.org/ab"),
        ("/\xfc?\xfc", "https://example.org/%C3%BC?%C3%BC"),
        ("/a?utm_source=x&amp;b=1", "https://example.org/a?b=1"),
        ("/a?z=1&amp;b=1", "https://example.org/a?z=1&b=1"),
    ],
)
def test_hrefs_are_resolved(href, url):
    found = _read(_links(href)).found
    assert [anchor.url for anchor in found] == [url]
    assert found[0].url_key == url_key(url)


BAD = (
    *(
        "http://[",
        "http://[::1",
        "http://a:b",
        "http://a:99999/",
        "//",
        "http://",
        "https://u:p@example.org/",
    ),
    *(
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "mailto:a@example.org",
        "tel:+1",
        "data:text/html,x",
        "ftp://x/",
    ),
    *("/" + 3000 * "a", 20_000 * "a", "/\udcff"),
)


def test_a_bad_href_never_loses_the_others():
    page = Page.from_root(etree.fromstring("<html><body/></html>"), URL)
    for number, href in enumerate(BAD):
        page.flat.anchors.extend(((0, href, ""), (0, f"/{number}", "")))
    result = anchors(page, SCOPE)
    assert [anchor.url for anchor in result.found] == [f"https://example.org/{n}" for n in range(len(BAD))]
    assert result.skipped == AnchorCounts(bad=len(BAD))


def test_skipped_are_counted_by_reason():
    result = _read(
        _links("/a", "/a#x", "http://www.example.org/a", "#top", "", "key.html?page=2")
        + _links("https://other.test/", "https://blog.example.org/", "/a.pdf", "/feed/", "/x/x/x/x", "mailto:a")
        + '<a href="/b" rel="external NoFollow">b</a><area href="/c" alt="">'
    )
    assert [anchor.url for anchor in result.found] == ["https://example.org/a", "https://example.org/c"]
    assert result.skipped == AnchorCounts(bad=1, offsite=2, not_html=2, nofollow=1, trapped=1, duplicate=5)


def test_nofollow_anchors_can_be_kept():
    html = '<a href="/a" rel="nofollow">one</a><a href="/a">two</a><a href="/b" rel=nofollow>three</a>'
    assert [(a.text, a.nofollow) for a in _read(html).found] == [("two", False)]
    kept = _read(html, keep_nofollow=True)
    assert [(a.text, a.nofollow) for a in kept.found] == [("one", True), ("three", True)]
    assert kept.skipped.nofollow == 0


def test_base_element():
    html = "<head><base href='/dir/'></head>" + _links("child.html", "/root", "#part")
    assert [a.url for a in _read(html).found] == [
        "https://example.org/dir/child.html",
        "https://example.org/root",
        "https://example.org/dir/",
    ]


@pytest.mark.parametrize("base", ["http://169.254.169.254/", "https://other.test/x/"])
def test_base_element_on_another_host_leaves_the_site(base):
    result = _read(f"<head><base href='{base}'></head>" + _links("child.html", "https://example.org/own"))
    assert [a.url for a in result.found] == ["https://example.org/own"]
    assert result.skipped.offsite == 1


@pytest.mark.parametrize("base", ["javascript:alert(1)", "http://[", "data:x", "file:///etc/"])
def test_unusable_base_element_is_ignored(base):
    html = f"<head><base href='{base}'></head>" + _links("child.html")
    assert [a.url for a in _read(html).found] == ["https://example.org/news/2024/child.html"]


def test_hidden_anchors_are_kept():
    html = "<nav hidden><a href='/a'>a</a></nav><a href='/b' style='display:none'>b</a>"
    assert [a.url for a in _read(html).found] == ["https://example.org/a", "https://example.org/b"]


def test_text():
    html = (
        "<a href='/1'> Read\n <b>more</b> </a><a href='/2'><img></a>"
        "<a href='/3'><h3>Title</h3><p>Teaser</p></a>"
        f"<a href='/4'>{'word ' * 100}</a><a href='/5'><i>{'word ' * 100}</i>{'more ' * 900}</a>"
    )
    texts = [a.text for a in _read(html).found]
    assert texts[:3] == ["Read more", "", "Title Teaser"]
    assert texts[3] == texts[4] == ("word " * 100)[:200]


def test_nodes_are_rows_of_the_anchors():
    page = _page("<div><a href='/1'>x</a><p><a href='/2'>y</a></div>")
    assert [(page.flat.tag[a.node], page.flat.text[a.node + 1]) for a in anchors(page, SCOPE).found] == [
        ("a", "x"),
        ("a", "y"),
    ]


@pytest.mark.parametrize("extension", ["pdf", "JPG", "mp3", "zip", "css", "js", "rss", "xml", "docx", "pdf/"])
def test_files_that_are_not_html(extension):
    assert not may_be_html(split_url(f"https://example.org/a/b.{extension}?x=1"))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a",
        "/a.html",
        "/a.php?f=x.pdf",
        "/wiki/File:Map.png",
        "/wiki/File%3AMap.png",
        "/example.com",
        "/.js",
    ],
)
def test_paths_that_may_be_html(path):
    assert may_be_html(split_url("https://example.org" + path))


def test_table_of_extensions_has_no_pages_and_nothing_twice():
    listed = " ".join(NOT_HTML_KINDS.values()).split()
    assert len(listed) == len(set(listed)) == len(NOT_HTML)
    assert not NOT_HTML & {"html", "htm", "xhtml", "shtml", "php", "php3", "asp", "aspx", "jsp", "cgi"}
    assert all(name == name.lower() for name in NOT_HTML)


def test_number_of_anchors_is_limited(monkeypatch):
    monkeypatch.setattr(module, "MAX_ANCHORS", 5)
    result = _read(_links(*(f"/{n}" for n in range(30))))
    assert [a.url for a in result.found] == [f"https://example.org/{n}" for n in range(5)]
    assert result.skipped == AnchorCounts(over=25)


def test_guard_is_shared_by_the_pages_of_a_crawl():
    guard = TrapGuard(TrapLimits(query_variants=3))
    reader = AnchorReader(SCOPE, guard)
    first = reader.read(_page(_links("/c?m=1", "/c?m=2")))
    second = reader.read(_page(_links("/c?m=2", "/c?m=3", "/c?m=4")))
    assert (len(first.found), len(second.found), second.skipped.trapped) == (2, 2, 1)


def test_reader_remembers_per_directory_only_what_depends_on_it(monkeypatch):
    resolved = []
    once = AnchorReader._resolve_once
    monkeypatch.setattr(AnchorReader, "_resolve_once", lambda *given: resolved.append(given[2]) or once(*given))
    reader = AnchorReader(SCOPE)
    html = _links("/menu", "https://example.org/home", "next.html", "?sort=up")
    seen = [
        [
            a.url.removeprefix("https://example.org")
            for a in reader.read(_page(html, f"https://example.org{path}")).found
        ]
        for path in ("/a/1.html", "/a/2.html", "/b/1.html")
    ]
    assert seen == [
        ["/menu", "/home", "/a/next.html", "/a/1.html?sort=up"],
        ["/menu", "/home", "/a/next.html", "/a/2.html?sort=up"],
        ["/menu", "/home", "/b/next.html", "/b/1.html?sort=up"],
    ]
    assert len(resolved) == 2 + 2 + 3


def test_an_href_below_the_root_is_not_one_of_the_same_name_elsewhere():
    reader = AnchorReader(SCOPE)
    found = [
        reader.read(_page(_links("x.html", "/y.html"), f"https://example.org{path}")).found
        for path in ("/", "/a/", "/b/c.html", "/")
    ]
    assert [page[0].url for page in found] == [
        f"https://example.org{path}" for path in ("/x.html", "/a/x.html", "/b/x.html", "/x.html")
    ]
    assert {page[1].url for page in found} == {"https://example.org/y.html"}


def test_what_a_reader_remembers_is_bounded():
    reader = AnchorReader(SCOPE, memory=40)
    for number in range(200):
        page = _page(_links("/menu#a", f"{number}.html", f"/{number}#b", "?q"), f"https://example.org/{number}/x.html")
        assert len(reader.read(page).found) == 4
    assert sum(map(len, reader._known.values())) <= 42
    assert len(reader._known) <= 42


@given(st.lists(paths() | urls() | st.text(), max_size=8), urls())
@settings(deadline=None)
def test_found_anchors_can_be_fetched_and_are_distinct(hrefs, base):
    page = Page.from_root(etree.fromstring("<html><body/></html>"), URL)
    page.__dict__["base_url"] = base
    page.flat.anchors[:] = [(0, href, "") for href in hrefs]
    fresh, reader = anchors(page, SCOPE), AnchorReader(SCOPE)
    assert reader.read(page) == reader.read(page) == fresh
    for anchor in fresh.found:
        assert fetchable_url(anchor.url) == anchor.url
        assert SCOPE.contains(anchor.url)
        assert anchor.url_key == url_key(anchor.url) != url_key(URL)
    assert len({anchor.url_key for anchor in fresh.found}) == len(fresh.found)
    skipped = fresh.skipped
    assert len(fresh.found) + sum(getattr(skipped, name) for name in skipped.__slots__) == len(hrefs)
