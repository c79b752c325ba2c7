from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import get_extractor
from sitecrawl.overrides.extraction import extract
from sitecrawl.overrides.reading import parse_override
from sitecrawl.overrides.site_patterns import read_site_patterns

FILE = """
# The harbour paper
title: //h1[@class='head']
title: substring-before(//title, ' -')
body: //div[@id='story']
body: id('text') | //div[@class='more']
strip: //p[@class="ad"]
strip:   //div[@id='story']//aside
strip: //a/@onclick
strip: //p[matches(., 'x')]
strip_id_or_class: 'share-bar'
strip_id_or_class: share-bar
strip_image_src: /pixel/
strip_comments: yes
author: //span[@class='by']
date: //time/@datetime
single_page_link: //a[@class='all']
next_page_link: //a[@rel='next']
next_page_link: //a[@id='next']
replace_string(<noscript>): <div>
http_header(user-agent): Some browser: 1.0
find_string: x
replace_string: y
tidy: no
prune: no
parser: html5lib
autodetect_on_failure: no
test_url: https://harbour.example/1
test_contains: the first ship
empty:
no directive
"""


def test_what_maps_is_mapped_and_all_else_is_named():
    patterns = read_site_patterns(FILE)
    assert patterns.keys == {
        "title": ["//h1[@class='head']", "xpath:substring-before(//title, ' -')"],
        "published": ["//time/@datetime"],
        "content": ["//div[@id='story']", "xpath:id('text') | //div[@class='more']"],
        "exclude": [
            '//p[@class="ad"]',
            "//div[@id='story']//aside",
            '[class*="share-bar"], [id*="share-bar"]',
            'img[src*="/pixel/"]',
        ],
    }
    assert patterns.comments == "drop"
    assert patterns.mapped == 10
    assert patterns.needless == ["tidy: no", "prune: no", "parser: html5lib"]
    assert patterns.unmapped_names() == (
        "author, autodetect_on_failure, find_string, http_header(user-agent), next_page_link (2), no directive,"
        " replace_string, replace_string(<noscript>), single_page_link, strip (2)"
    )


def test_the_override_says_the_same_and_keeps_the_rest_as_comments():
    text = read_site_patterns(FILE).yaml("harbour.example.txt")
    for line in (
        "# From harbour.example.txt,",
        "# Not mapped: next_page_link: //a[@id='next']",
        "# Not mapped: strip: //a/@onclick  ['//a/@onclick' selects no elements]",
        "# Not needed: tidy: no",
        "# Test: the first ship",
    ):
        assert line in text
    rule = parse_override(text, "harbour.example.yaml").rest
    html = (
        "<title>Ships - Harbour</title><div id=text><p>one<p class=ad>two<p class='x share-bar y'>three"
        "<img src=/pixel/1.gif></div><div class=more>four<div id=comments>five</div></div>"
    )
    page = Page.from_html(html, "https://harbour.example/")
    found = extract(page, get_extractor("everything"), None, rule).extraction
    assert (page.text(found.nodes), found.title) == ("one\nfour", "Ships")
    assert "<img" not in page.html(found.nodes)


def test_files_with_nothing_for_us():
    patterns = read_site_patterns("\ufeff# only a comment\r\n\r\nnext_page_link: //a\r\n")
    assert (patterns.mapped, patterns.unmapped_names()) == (0, "next_page_link")
    assert read_site_patterns("").mapped == 0
    assert patterns.yaml("x").count("\n") == 2
