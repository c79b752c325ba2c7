"""Tests of content that follows the end tag of `html`."""

import time

import pytest

from sitecrawl.dom.page import Page

URL = "https://example.org/"
BEGIN = "<html><head><title>T</title></head><body><p>One</p></body></html>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"{BEGIN}two", "One\ntwo"),
        (f"{BEGIN}\n<!-- c --><p>two</p>three<div>four</div> five", "One\ntwo\nthree\nfour\nfive"),
        (f"{BEGIN}<p>two</p></html><p>three</p></html>four", "One\ntwo\nthree\nfour"),
        (f"{BEGIN}<html><head><title>U</title></head><body class=k>two<h1>three</h1></body></html>", "One\ntwo\nthree"),
        ("<html><body>One</body></html>two", "Onetwo"),
        ("<html><body></body></html><p>two", "two"),
        ("<main>One</main></html><p>two", "One\ntwo"),
        (f"{BEGIN}<script>x</script><!-- c -->", "One"),
    ],
)
def test_it_is_in_the_body_as_in_a_browser(html, text):
    page = Page.from_html(html, URL)
    assert page.text([0]) == text
    assert page.root.find("body") is not None
    assert page.title in ("T", None)


def test_its_links_and_structured_data_are_read():
    data = '<script type="application/ld+json">{"@type": "Article", "headline": "Storm"}</script>'
    page = Page.from_html(f"{BEGIN}<a href=/x>x</a>{data}", URL)
    assert [href for _, href, _ in page.flat.anchors] == ["/x"]
    assert list(page.root.iter("script")) != []


def test_a_page_whose_tree_was_released_has_it_again():
    html = f"{BEGIN}<p>two</p>"
    page = Page.from_html(html, URL)
    assert page.text([0]) == "One\ntwo"
    page.release(lambda: html)
    assert "".join(page.root.itertext()).endswith("two")


def test_many_ends_take_time_in_proportion():
    def seconds(count):
        html = "<html><body>" + "</html><p>x" * count
        began = time.process_time()
        assert len(Page.from_html(html, URL, max_nodes=10**6).root.find("body")) >= count
        return time.process_time() - began

    seconds(1000)
    assert seconds(20_000) < 20 * seconds(2_000) + 1
