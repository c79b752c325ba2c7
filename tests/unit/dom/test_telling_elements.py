"""Tests of the elements that describe a page."""

import pytest
from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.telling_elements import MAX_ITEMS, telling_elements

URL = "https://example.org/"
HTML = """<html><head><title>A</title><meta name=a itemprop=b><link rel=x href=/y><base href=/></head>
<body><h1>One</h1><svg><title>Icon</title></svg><p itemprop=name>text<input type=text><script>1</script>
<noscript><iframe src=/f></iframe></noscript><h1 itemprop=headline>Two</h1></body></html>"""


@pytest.mark.parametrize("version", ["compiled", "reference"])
def test_elements_are_found_in_document_order_wherever_they_are(version):
    root = etree.fromstring(HTML, etree.HTMLParser())
    found = getattr(telling_elements, version)(root)
    tags = ["title", "meta", "link", "base", "h1", "title", "input", "script", "iframe", "h1"]
    assert [element.tag for element in found.named] == tags
    assert [element.get("itemprop") for element in found.items] == ["b", "name", "headline"]


@pytest.mark.parametrize("version", ["compiled", "reference"])
def test_only_what_is_below_the_element_counts(version):
    root = etree.fromstring("<p><b><h1>a</h1></b><h1 itemprop=x>b</h1>", etree.HTMLParser())
    found = getattr(telling_elements, version)(root.find(".//b"))
    assert ([element.text for element in found.named], found.items) == (["a"], [])


@pytest.mark.parametrize("version", ["compiled", "reference"])
def test_names_in_a_namespace_do_not_count(version):
    root = etree.fromstring("<a xmlns:x='urn:x'><x:title/><title x:itemprop='b'/></a>")
    found = getattr(telling_elements, version)(root)
    assert ([element.tag for element in found.named], found.items) == (["title"], [])


@pytest.mark.parametrize("version", ["compiled", "reference"])
def test_many_items_are_bounded(version):
    root = etree.fromstring("<p itemprop=x>" * (MAX_ITEMS + 5), etree.HTMLParser(huge_tree=True))
    assert len(getattr(telling_elements, version)(root).items) == MAX_ITEMS


def test_a_page_names_its_elements():
    page = Page.from_html(HTML, URL)
    assert [element.text for element in page.named("h1")] == ["One", "Two"]
    assert page.title == "A"
    with pytest.raises(KeyError):
        page.named("p")
