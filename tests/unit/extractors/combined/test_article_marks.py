"""Articles and their headlines are recognised by tags and class names; a headline may link to another page of the site."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.article_marks import is_article, is_headline, other_page


def page_of(html):
    return Page.from_html(f"<html><body>{html}</body></html>", "https://a.example/posts/2")


@pytest.mark.parametrize(
    ("element", "article", "headline"),
    [
        ("<article>x</article>", True, False),
        ('<div class="post hentry">x</div>', True, False),
        ('<div id="post-12">x</div>', True, False),
        ('<div class="blogpost">x</div>', True, False),
        ('<div class="post">x</div>', False, False),
        ('<div class="repost-12">x</div>', False, False),
        ('<h2 class="Entry-Title">x</h2>', False, True),
        ('<h2 class="post_headline">x</h2>', False, True),
        ('<h2 class="posttitles">x</h2>', False, False),
    ],
)
def test_tags_and_names_mark_articles_and_headlines(element, article, headline):
    flat = page_of(element).flat
    row = len(flat) - 2  # before its text
    assert is_article(flat, row) is article
    assert is_headline(flat, row) is headline


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ('<h2><a href="/ships">Ships</a></h2>', "/ships"),
        ('<a href="/ships"><span><h2>Ships</h2></span></a>', "/ships"),
        ('<a href="/ships"><p><b><h2>Ships</h2></b></p></a>', None),  # too far around
        ('<h2><a href="#ships">#</a><a href="/ships">Ships</a></h2>', "/ships"),
        ('<h2><a href="/posts/2/">This page</a></h2>', None),
        ('<h2><a href="/posts/2?page=3">Ships</a></h2>', "/posts/2?page=3"),
        ('<h2><a href="https://www.a.example/ships">Ships</a></h2>', "https://www.a.example/ships"),
        ('<h2><a href="https://b.example/ships">Ships</a></h2>', None),
        ('<h2><a href="mailto:ships@a.example">Ships</a></h2>', None),
        ('<h2><a href="http://[">Ships</a></h2>', None),
        ('<a href="/boats">Boats</a><h2>Ships</h2><a href="/boats">Boats</a>', None),
    ],
)
def test_a_headline_leads_to_another_page_of_the_site(html, target):
    page = page_of(html)
    assert other_page(page, page.flat.tag.index("h2")) == target
