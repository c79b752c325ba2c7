import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.links.anchors import AnchorReader
from sitecrawl.links.meta_refresh import for_good, redirects, refresh_of, unlinked
from sitecrawl.links.scope import SiteScope

URL = "https://example.org/old/page.html"
LONG = "<p>A page with text of its own, which says what the harbour was like before the mole was built.</p>" * 5
SHORT = "<p>This page has moved. You will be sent on, or click <a href='/new'>here</a>.</p>"


def page(content, body=SHORT, head=""):
    return Page.from_html(f'<meta http-equiv="Refresh" content="{content}">{head}<body>{body}', URL)


@pytest.mark.parametrize(
    ("content", "seconds", "href"),
    [
        ("0;url=/new", 0, "/new"),
        ("0; URL='/new'", 0, "/new"),
        ("0;url=&quot;/new&quot; and more", 0, "/new"),
        (" 5 , url = new.html ", 5, "new.html"),
        ("3.7;https://example.org/x?a=1;b=2", 3, "https://example.org/x?a=1;b=2"),
        ("0 new.html", 0, "new.html"),
        ("0;/url", 0, "/url"),
    ],
)
def test_a_refresh_is_read_as_browsers_do(content, seconds, href):
    assert refresh_of(page(content)) == (seconds, href)


@pytest.mark.parametrize("content", ["", "300", "0", "5;", "0;url=", "0;url=''", "soon;url=/x", "-1;url=/x", "url=/x"])
def test_what_names_no_other_page_is_no_refresh(content):
    assert refresh_of(page(content)) is None


def test_a_refresh_for_browsers_without_scripts_is_none():
    html = f'<head><noscript><meta http-equiv="refresh" content="0;url=/no-script"></noscript></head><body>{SHORT}'
    assert refresh_of(Page.from_html(html, URL)) is None


def test_the_first_refresh_counts():
    assert refresh_of(page("0;url=/a", head='<meta http-equiv="refresh" content="0;url=/b">')).href == "/a"


@given(st.text(max_size=300))
def test_no_content_raises(content):
    html = Page.from_html("<p>text", URL)
    html.__dict__["refresh"] = content
    refresh_of(html), redirects(html), unlinked(html)


def test_a_page_that_only_sends_on_is_a_redirect():
    assert redirects(page("0;url=../new#top")) == (0, "https://example.org/new")
    assert redirects(page("5;url=https://elsewhere.example/")) == (5, "https://elsewhere.example/")


@pytest.mark.parametrize(
    "one",
    [
        page("0;url=/new", LONG),
        page("60;url=/new"),
        page("0;url=page.html"),
        page("0;url=#top"),
        page("0;url=javascript:alert(1)"),
        page("0;url=file:///etc/passwd"),
        page("0;url=http://["),
        page("300"),
    ],
)
def test_a_page_that_is_to_be_read_is_no_redirect(one):
    assert redirects(one) is None


def test_a_page_has_moved_for_good_if_its_canonical_address_says_so_too():
    moved = page("0;url=/new", head='<link rel="canonical" href="https://example.org/new">')
    assert for_good(moved, redirects(moved))
    for other in (
        page("0;url=/new"),
        page("5;url=/new", head='<link rel="canonical" href="/new">'),
        page("0;url=/new", head='<link rel="canonical" href="/old/page.html">'),
    ):
        assert not for_good(other, redirects(other))


def hrefs(one):
    return [(anchor.node, anchor.url) for anchor in AnchorReader(SiteScope.of(URL)).read(one).found]


def test_a_refresh_of_a_page_with_text_is_a_link():
    assert hrefs(page("0;url=/new", LONG)) == [(0, "https://example.org/new")]
    assert hrefs(page("30;url=/new", LONG)) == [(0, "https://example.org/new")]
    assert hrefs(page("31;url=/new", LONG)) == []
    assert hrefs(page("0;url=https://elsewhere.example/", LONG)) == []


def test_the_sources_of_frames_are_links():
    html = "<frameset cols=20%,80%><frame src=menu.html name=m><frame src=/main.html><frame name=empty></frameset>"
    found = hrefs(Page.from_html(html, URL))
    assert found == [(0, "https://example.org/old/menu.html"), (0, "https://example.org/main.html")]


def test_the_source_of_an_iframe_is_a_link_where_the_page_has_nothing_else():
    frame = '<h1>The manual</h1><iframe src="/manual/"></iframe><iframe src="https://elsewhere.example/"></iframe>'
    assert hrefs(Page.from_html(f"<body>{frame}", URL)) == [(0, "https://example.org/manual/")]
    assert hrefs(Page.from_html(f"<body>{frame}{LONG}", URL)) == []
