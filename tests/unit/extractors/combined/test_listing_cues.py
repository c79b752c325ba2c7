from math import log1p

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.listing_cues import CUE_NAMES, cue_figures
from sitecrawl.extractors.combined.page_hints import claims


def figures(html, url="https://example.org/x", chance=0.9, share=-1.0):
    page = Page.from_html(html, url)
    blocks = text_blocks(page.flat)
    n = len(blocks)
    claimed = claims(page.flat, page.properties)
    found = cue_figures(page.url, page.title, page.flat, blocks, [chance] * n, [share] * n, claimed)
    return dict(zip(CUE_NAMES, found, strict=True))


def test_cues_are_counted():
    html = "<title>Category: Boats</title><body class='archive category'><h2>Archives</h2><p>Text</p>"
    assert figures(html)["cues"] == 3
    assert figures(html, "https://example.org/tag/boats/page/2")["cues"] == 5
    assert figures(html, "https://example.org/blog/2012/05/")["cues"] == 4
    assert figures("<p>Text</p>")["cues"] == 0


def test_words_of_a_listing_in_the_title_of_an_article_are_no_cue():
    html = "<title>Archive and compression tools</title><h1>Archive and compression tools</h1><p>Text</p>"
    assert figures(html)["cues"] == 2
    assert figures(html, "https://example.org/posts/archive-and-compression-tools/")["cues"] == 0


def test_cues_of_an_article_count_against():
    html = "<meta property=og:type content=article><body class='single'><p>Text</p>"
    found = figures(html, "https://example.org/tag/boats")
    assert (found["cues"], found["cues_against"], found["cues_rest"]) == (1, 2, -1)
    assert figures("<body class='single category-boats'><p>Text</p>")["cues"] == 0


def test_the_heading_is_the_page_s_own():
    html = "<body><h2>Archives</h2><p>Text</p>"
    assert figures(html)["cues"] == 1
    assert figures(html, chance=0.1)["cues"] == 0  # of a box beside the text
    assert figures(html.replace("h2", "h1"), chance=0.1)["cues"] == 1
    assert figures(html, share=0.9)["cues"] == 0  # of the site


def test_titles_are_measured():
    found = figures("<title>Boats of old | A site</title><p>Text</p>")
    assert found["title"] == log1p(21)
    assert found["title_first"] == found["title_longest"] == log1p(12)
    assert (found["title_parts"], found["title_words"]) == (2, 3)
    empty = figures("<p>Text</p>")
    assert not any(empty[name] for name in CUE_NAMES if name.startswith("title"))


def test_elements_are_counted():
    found = figures("<form><textarea>a</textarea></form>" * 3 + "<article><time>May</time></article>" * 4)
    assert (found["forms"], found["times"], found["articles"]) == (2, log1p(4), log1p(4))


def test_a_letter_of_a_script_without_spaces_counts_more_in_titles():
    found = figures("<title>旧船 | 网站 A</title><p>Text</p>")
    assert found["title_first"] == log1p(5)
    assert found["title_longest"] == log1p(7)  # two letters, a space and a letter
    assert found["title"] == log1p(15)
