import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.page_hints import CLAIM_NAMES, claims


def said(html):
    page = Page.from_html(html, "https://example.org/")
    found = dict(zip(CLAIM_NAMES, claims(page.flat, page.properties), strict=True))
    assert set(found.values()) <= {0.0, 1.0}
    return {name for name, value in found.items() if value}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("archive category category-7", {"says_listing"}),
        ("mediawiki ns-14 ns-subject", {"says_listing"}),
        ("single single-post postid-12", {"says_article"}),
        ("html node-type-story", {"says_article"}),
        ("home blog", {"says_listing"}),
        ("postage tagged homely", set()),
        ("", set()),
    ],
)
def test_class_names_of_the_body(names, expected):
    assert said(f"<body class='{names}'><p>Text</p></body>") == expected
    assert said(f"<html class='{names}'><body><p>Text</p></body></html>") == expected


def test_other_elements_do_not_speak_for_the_page():
    assert said("<body><div class='archive single'><p>Text</p></div></body>") == set()


def test_meta_elements():
    def meta(attributes):
        return said(f"<head><meta {attributes}></head><body><p>Text</p></body>")

    assert meta("property=og:type content=article") == {"og_article"}
    assert meta("property=og:type content=Website") == {"og_other"}
    assert meta("property=article:published_time content=2024-05-01") == {"published"}
    assert meta("itemprop=datePublished content=2024-05-01") == {"published"}
    assert meta("name=description content=article") == set()
