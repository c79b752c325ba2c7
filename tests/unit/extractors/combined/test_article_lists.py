"""A page is a list of articles if most of its kept text is in siblings marked as such, each with a page of its own."""

import time

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.article_lists import LEAST, SHARE, lists_articles

SECONDS = 2.0
"""Far above what a page with thousands of nested articles takes."""
TEXT = "The harbour has a new crane. " * 20


def article(number, tag="article", attributes="", href="/ship-{}", head="h2"):
    name = f"Ship number {number}"
    shown = f'<a href="{href.format(number)}">{name}</a>' if href else name
    return f"<{tag} {attributes.format(number)}><header><{head}>{shown}</{head}></header><p>{TEXT}</p></{tag}>"


def listed(html, url="https://a.example/posts/2", dropped=(), body=""):
    """Return whether a page of which all blocks but some are kept is a list of articles."""
    page = Page.from_html(f"<html><body {body}><main>{html}</main></body></html>", url)
    blocks = text_blocks(page.flat)
    return lists_articles(page, blocks, [block not in dropped for block in range(len(blocks))])


def several(count=LEAST, **how):
    return "".join(article(number, **how) for number in range(count))


def test_whole_posts_with_pages_of_their_own_are_a_list():
    assert listed(several())
    assert listed(several(9))
    assert not listed(several(LEAST - 1))


@pytest.mark.parametrize(
    ("names", "marked"),
    [
        ('class="post hentry"', True),
        ('id="post-{}" class="post"', True),
        ('class="h-entry"', True),
        ('class="post"', False),
        ("", False),
    ],
)
def test_names_mark_articles_too(names, marked):
    assert listed(several(tag="div", attributes=names)) is marked


@pytest.mark.parametrize("head", ["h1", "h2", "h3"])
def test_the_link_is_in_the_headline_or_around_it(head):
    assert listed(several(head=head))
    around = "".join(
        f'<article><a href="/ship-{i}"><{head}>Ship {i}</{head}></a><p>{TEXT}</p></article>' for i in range(3)
    )
    assert listed(around)
    below = "".join(
        f'<article><{head}>Ship {i}</{head}><p>{TEXT}<a href="/ship-{i}">More</a></p></article>' for i in range(3)
    )
    assert not listed(below)


@pytest.mark.parametrize("href", ["", "#ship-{}", "https://b.example/ship-{}", "/posts/2", "/ships"])
def test_articles_without_pages_of_their_own_are_sections(href):
    assert not listed(several(href=href))


def test_a_page_with_an_article_of_its_own_is_no_list():
    own = article("of this page", href="", head="h1")
    assert not listed(own + several(9))
    assert not listed(article("of this page", href="/posts/2") + several(9))


def test_one_article_of_five_may_have_no_page_of_its_own():
    assert listed(several(4) + article("without a page", href=""))
    assert not listed(several(3) + article("without a page", href=""))


def test_most_of_the_kept_text_is_in_the_articles():
    rest = "<p>" + "x" * int(3 * len(TEXT.replace(" ", "")) * (1 - SHARE) / SHARE) + "</p>"
    assert listed(several() + rest)
    assert not listed(several() + rest * 2)
    assert listed(several() + rest * 2, dropped=(6, 7))  # its headlines and texts are the six blocks before


def test_articles_that_are_not_kept_do_not_count():
    assert not listed(several() + f"<p>{TEXT}</p>", dropped=(1, 3, 5))


def test_posts_of_a_thread_are_no_list():
    assert not listed(several(), url="https://a.example/t/a-question/1234")
    assert not listed(several(), body='class="thread"')
    assert listed(several(), body='class="thready"')


def test_articles_are_siblings():
    apart = "".join(f"<section><p>Ships</p>{article(i)}</section>" for i in range(3))
    assert not listed(apart)


def test_each_may_be_alone_in_a_box():
    assert listed("".join(f'<div><div class="card">{article(i)}</div></div>' for i in range(3)))


def line(number, above="", below="", link='<a href="/ship-{0}">Ship {0}</a>', attributes=""):
    shown = f'{above}<p class="title">{link.format(number)}</p>{below}<p>{TEXT}</p>'
    return f"<div><article {attributes}>{shown}</article></div>"


def test_a_line_at_the_top_that_is_a_link_is_a_headline():
    date = '<div>Posted <time>2023-08-08</time> <a href="/boats">boats</a></div>'
    assert listed("".join(line(i) for i in range(3)))
    assert listed("".join(line(i, above=date) for i in range(3)))
    assert listed("".join(line(i, above=date, below=f"<p>{TEXT}</p><h2>A section</h2>") for i in range(3)))
    assert not listed("".join(line(i, above=f"<p>{TEXT}</p>" * 3) for i in range(3)))
    assert not listed("".join(line(i, link='<a href="/ship-{0}">Ship {0}</a> at sea') for i in range(3)))
    assert not listed("".join(line(i, link='<a href="/a-{0}">One</a> <a href="/b-{0}">two</a>') for i in range(3)))
    assert not listed("".join(line(i, link='<a href="#ship-{0}">Ship {0}</a>') for i in range(3)))


def test_a_heading_below_such_a_line_is_the_headline():
    assert not listed("".join(line(i, below="<h2>The ship</h2>") for i in range(3)))


def test_comments_begin_with_their_authors():
    assert not listed("".join(line(i, attributes='class="comment"') for i in range(3)))


def test_thousands_of_nested_articles_take_no_time():
    opened = "".join(f'<article><h2><a href="/ship-{i}">Ship</a></h2><p>{TEXT}</p>' for i in range(1500))
    page = Page.from_html(
        f"<main>{opened}{'</article><article><h3>Ship</h3><p>x</p></article>' * 1500}", "https://a.example/"
    )
    blocks = text_blocks(page.flat)
    started = time.process_time()
    lists_articles(page, blocks, [True] * len(blocks))
    assert time.process_time() - started < SECONDS


def test_the_body_is_no_article():
    heads = "".join(f'<h2><a href="/ship-{i}">Ship {i}</a></h2><p>{TEXT}</p>' for i in range(3))
    assert not listed(heads, body='class="hentry"')


@pytest.mark.parametrize(
    ("when", "is_list"),
    [("<a href=#post-{0}>4 May</a>", False), ("<a href=/ship-{0}#post-{0}>4 May</a>", False), ("4 May", True)],
)
def test_posts_with_links_to_themselves_are_no_articles(when, is_list):
    post = "<div id=post-{0}><p><a href=/keeper-{0}>Keeper {0}</a></p><p>" + when + f"</p><p>{TEXT}</p></div>"
    assert listed("".join(post.format(number) for number in range(4)), url="https://a.example/topic/ships") is is_list


def test_a_line_beside_which_there_is_another_link_is_no_headline():
    line = "<div class=line><b><a href=/keeper-{0}>Keeper {0}</a> Member</b><div></div><a href=/now>4 May</a></div>"
    post = f"<div id=post-{{0}}>{line}<p>{TEXT}</p></div>"
    assert not listed("".join(post.format(number) for number in range(4)))
