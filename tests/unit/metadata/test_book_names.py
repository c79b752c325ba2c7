"""Tests of headlines that are the name of a book or site."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.metadata.book_names import is_whole, leads_home, whole_names


@pytest.mark.parametrize(
    ("title", "headings", "lower", "expected"),
    [
        ("Waves and wind - The Book of Storms", ["The Book of Storms"], ["Waves and Wind"], ("The Book of Storms",)),
        ("Waves and wind - The Book of Storms", ["The Book of Storms", "Waves and wind"], [], ("The Book of Storms",)),
        ("Waves and wind - The Book of Storms", ["The Book of Storms"], ["Menu"], ()),
        ("python - Why do waves break?", ["Why do waves break?"], ["python"], ()),  # a tag of one word
        ("Waves and wind - The Book of Storms", [], ["Waves and wind"], ()),
        (None, ["Waves"], ["Waves"], ()),
    ],
)
def test_a_headline_behind_another_one_in_the_title_names_the_whole(title, headings, lower, expected):
    assert whole_names(title, headings, lower) == expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, True),
        ({"prefix": {"harbour wiki": 0.9}}, False),
        ({"prefix": {"harbour wiki": 0.2}, "suffix": {"moles": 0.9}}, True),
    ],
)
def test_an_end_of_fewer_pages_than_the_beginning_does_not_name_the_whole(known, expected):
    shared = lambda kind, one: known.get(kind, {}).get(one.casefold(), 0.0)  # noqa: E731
    assert is_whole("Harbour Wiki: Moles", "Moles", shared) is expected


@pytest.mark.parametrize(
    ("html", "url", "expected"),
    [
        ("<h1><a href='/'>Harbour Blog</a></h1>", "https://a.example/storm", True),
        ("<a href='https://a.example'><h1>Harbour <b>Blog</b></h1></a>", "https://a.example/storm", True),
        ("<h1><a href='/'>Harbour Blog</a></h1>", "https://a.example/", False),
        ("<h1><a href='/'>Harbour</a> Blog</h1>", "https://a.example/storm", False),
        ("<h1><a href='/blog/'>Harbour Blog</a></h1>", "https://a.example/storm", False),
        ("<h1><a href='https://b.example/'>Harbour Blog</a></h1>", "https://a.example/storm", False),
        ("<h1><a href='http://['>Harbour Blog</a></h1>", "https://a.example/storm", False),
        ("<h1><a href='/'>Harbour Blog</a></h1>", "https://a.example/a-harbour-blog-post", True),
        ("<h1><a href='/'>A storm at sea</a></h1>", "https://a.example/a-storm-at-sea", False),
        ("<h1>Harbour Blog</h1>", "https://a.example/storm", False),
    ],
)
def test_a_headline_that_leads_to_the_front_page_is_the_name_of_the_site(html, url, expected):
    page = Page.from_html(html, url)
    [headline] = page.named("h1")
    assert leads_home(headline, "".join(headline.itertext()), page) is expected
