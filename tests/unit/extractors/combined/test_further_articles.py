"""Articles that follow the page's own one are found by their headlines, by what other pages have, or by their marks."""

import time

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.further_articles import FEW, LONG, OWN, OWN_ALONE, further_articles
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

NAMES = ["The mole", "A new crane", "Tides of March", "Ropes and knots"]
SECONDS = 2.0
"""Far above what a page of the largest size takes."""


def text(name, length=LONG):
    return f"{name}: " + "a sentence about it. " * (length // 16)


def article(name, tag="article", head="h1", href="", attributes="", length=LONG):
    """Return an element with a headline and a text of its own."""
    shown = f"<a href='{href}'>{name}</a>" if href else name
    return f"<{tag} {attributes}><header><{head}>{shown}</{head}></header><p>{text(name, length)}</p></{tag}>"


def page_of(html, title=f"{NAMES[0]} | Harbour news", url="https://a.example/2026/the-mole"):
    return Page.from_html(f"<html><head><title>{title}</title></head><body><main>{html}</main></body></html>", url)


def found(page, site=None):
    """Return the beginnings of the further articles of a page."""
    flat = page.flat
    rows = further_articles(page, text_blocks(flat), site)
    return ["".join(flat.text[row : flat.end[row]]).split(":")[0].strip() for row in rows]


def known(pages):
    """Return the sums of a template that counts some pages."""
    template = SiteTemplate()
    for page in pages:
        template.learn(page.flat)
    return site_statistics(snapshot(template, 1))


def plain_site(number=12, tag="div"):
    """Return pages of a site without marks: each has its own article, and below it those of the next two pages."""
    names = [f"Ship number {i} came in" for i in range(number)]
    parts = [article(name, tag, "h2") for name in names]
    return [
        page_of("".join(parts[(i + k) % number] for k in range(3)), names[i], f"https://a.example/{i}")
        for i in range(number)
    ]


def test_articles_with_an_h1_each_follow_the_one_with_the_title():
    page = page_of("".join(map(article, NAMES)))
    assert found(page) == [name + name for name in NAMES[1:]]


@pytest.mark.parametrize("title", [NAMES[0], f"Harbour news: {NAMES[0]}", f"{NAMES[0]} - News - Harbour", "the MOLE"])
def test_the_title_may_have_the_name_of_the_site(title):
    assert len(found(page_of("".join(map(article, NAMES)), title))) == len(NAMES) - 1


def test_an_address_may_spell_the_headline_instead():
    names = ["Three old ships came home", *NAMES[1:]]
    spelt = page_of("".join(map(article, names)), "Harbour news", "https://a.example/three-old-ships-came-home")
    assert len(found(spelt)) == len(NAMES) - 1
    assert found(page_of("".join(map(article, names)), "Harbour news", "https://a.example/p/17")) == []


def test_a_page_whose_title_is_no_headline_has_none():
    assert found(page_of("".join(map(article, NAMES)), "Harbour news")) == []
    assert found(page_of("".join(map(article, NAMES)), "")) == []


def test_articles_of_a_lower_level_lead_to_their_pages():
    own = article(NAMES[0])
    linked = [article(name, head="h2", href=f"/2026/{i}") for i, name in enumerate(NAMES[1:])]
    assert len(found(page_of(own + "".join(linked)))) == len(linked)


@pytest.mark.parametrize(
    "href", ["#part", "/2026/the-mole", "/2026/the-mole/", "/2026/x#p7", "https://b.example/x", "mailto:a@b.example"]
)
def test_a_headline_that_leads_to_no_other_page_of_the_site_says_nothing(href):
    rest = "".join(article(name, head="h2", href=href) for name in NAMES[1:])
    assert found(page_of(article(NAMES[0]) + rest)) == []


def test_a_link_may_be_around_the_headline():
    rest = "".join(
        f"<article><a href='/2026/{i}'><h2>{name}</h2></a><p>{text(name)}</p></article>"
        for i, name in enumerate(NAMES[1:])
    )
    own = f"<article><div><h1>{NAMES[0]}</h1></div><p>{text(NAMES[0])}</p></article>"
    assert found(page_of(own + rest)) == []  # its elements are not alike
    own = f"<article><a href='/2026/the-mole'><h1>{NAMES[0]}</h1></a><p>{text(NAMES[0])}</p></article>"
    assert len(found(page_of(own + rest))) == len(NAMES) - 1


def test_sections_of_one_page_are_not_further_articles():
    for tag, head in (("section", "h1"), ("div", "h1"), ("article", "h2"), ("article", "h3")):
        rest = "".join(article(name, tag, head) for name in NAMES[1:])
        assert found(page_of(article(NAMES[0], tag, "h1") + rest)) == [], (tag, head)


def test_an_article_named_as_the_address_says_that_the_others_have_addresses_too():
    names = ["harbour-mole-built", "a-new-crane-came", "tides-of-march-26"]
    html = "".join(
        article(name, head="h2", attributes=f"id='{slug}'") for name, slug in zip(NAMES, names, strict=False)
    )
    assert len(found(page_of(html, url="https://a.example/news/harbour-mole-built/"))) == len(names) - 1
    assert found(page_of(html, url="https://a.example/news/another-page-here/")) == []


def test_names_of_themes_mark_an_article():
    for names in ("post hentry", "post-17 category-x", "type-post", "blog-post", "h-entry"):
        html = "".join(article(name, "div", "h1", attributes=f"class='{names}'") for name in NAMES)
        assert len(found(page_of(html))) == len(NAMES) - 1, names
    for names in ("posts", "blog-posts", "post-list", "entry"):
        html = "".join(article(name, "div", "h1", attributes=f"class='{names}'") for name in NAMES)
        assert found(page_of(html)) == [], names


def test_names_of_headlines_mark_an_article_too():
    def html(names):
        return "".join(article(name, "div").replace("<h1>", f"<h1 class='{names}'>") for name in NAMES)

    for names in ("entry-title", "large post_title", "articleHeadline"):
        assert len(found(page_of(html(names)))) == len(NAMES) - 1, names
    for names in ("title", "section-title", "entry-titles"):
        assert found(page_of(html(names))) == [], names


def test_without_marks_other_pages_tell():
    pages = plain_site()
    site = known(pages)
    assert [len(found(page, site)) for page in pages] == [2] * len(pages)
    assert found(pages[0]) == []
    assert found(pages[0], known(pages[:1])) == []  # no other page is known
    assert found(pages[0], known(pages[5:])) == []  # none with these texts
    assert len(found(pages[0], known(pages[1:3] + pages[6:8]))) == 2


@pytest.mark.parametrize(
    ("with_it", "without", "count"),
    [(FEW, FEW, 1), (FEW + 1, FEW + 1, 0), (3, 3, 1), (4, 3, 0), (20, 980, 1), (21, 979, 0)],
)
def test_a_heading_that_many_pages_have_is_that_of_a_section(with_it, without, count):
    details = article("Details", "div", "h2")
    names = [f"Class number {i}" for i in range(with_it + without)]
    pages = [
        page_of(article(name, "div", "h2") + (details if i < with_it else ""), name) for i, name in enumerate(names)
    ]
    assert len(found(pages[0], known(pages))) == count


def test_a_thread_has_answers():
    html = "".join(map(article, NAMES))
    assert found(page_of(html, url="https://a.example/viewtopic.php?t=7")) == []
    answers = article(NAMES[0]) + article(f"Re: {NAMES[0]}") * 2
    assert found(page_of(answers)) == []
    assert found(page_of(article("Mole") + article("Molehill") * 2, "Mole")) != []  # not the same word


def test_teasers_alone_are_none_and_go_with_an_article():
    short = article(NAMES[1], length=40)
    assert found(page_of(article(NAMES[0]) + short * 3)) == []
    between = "<hr><div>Read on</div>"
    page = page_of(article(NAMES[0]) + short + between + article(NAMES[2]) + article(NAMES[3], length=40))
    names = found(page)
    assert names[0] == NAMES[1] * 2
    assert "Read on" in names
    assert names[-1] == NAMES[3] * 2


def test_what_stands_before_and_after_is_left():
    page = page_of(f"<p>Before</p>{article(NAMES[0])}{article(NAMES[1])}<div><h1>Newsletter</h1><p>After</p></div>")
    assert found(page) == [NAMES[1] * 2]


def test_an_own_article_has_text():
    empty = f"<article><header><h1>{NAMES[0]}</h1></header>{{}}</article>"
    rest = article(NAMES[1])
    assert found(page_of(empty.format("") + rest)) == []
    headline = len(NAMES[0].replace(" ", ""))
    assert found(page_of(empty.format(f"<p>{'a' * (OWN_ALONE - headline - 1)}</p>") + rest)) == []
    assert len(found(page_of(empty.format(f"<p>{'a' * (OWN_ALONE - headline)}</p>") + rest))) == 1


def test_an_own_article_may_be_short_where_other_pages_have_the_others():
    pages = plain_site()
    for length, count in ((OWN - 1, 0), (OWN, 1)):
        own = "a" * length
        page = page_of(
            f"<div><header><h2>{own}</h2></header></div>{article('Ship number 1 came in', 'div', 'h2')}", own
        )
        assert len(found(page, known(pages))) == count, length


def test_the_name_of_the_site_is_not_the_headline():
    html = "<div><h1>Harbour news</h1></div>" + "".join(map(article, NAMES))
    assert len(found(page_of(html, "The mole of the old harbour | Harbour news"))) == 0
    named = "".join(map(article, ["The mole of the old harbour", *NAMES[1:]]))
    page = page_of(f"<div><h1>Harbour news</h1></div>{named}", "The mole of the old harbour | Harbour news")
    assert len(found(page)) == len(NAMES) - 1


def test_the_title_may_stand_above_the_article_too():
    html = f"<h1>{NAMES[0]}</h1>" + "".join(map(article, NAMES))
    assert len(found(page_of(html))) == len(NAMES) - 1


def test_the_constructor_of_a_class_is_no_article():
    html = "<h1>Class Mole</h1>" + "".join(article(name) for name in ("Mole", "dig", "sleep"))
    assert found(page_of(html, "Mole (Animals 17)")) == []


def test_a_large_page_takes_linear_time():
    many = "".join(article(f"{NAMES[1]} {i}", length=0) for i in range(3_000))
    same = f"<div><h2>{NAMES[0]}</h2></div>" * 10_000
    deep = "<div>" * 200 + "<h1>Deep</h1>" * 5_000
    for html in (article(NAMES[0]) + many, same, f"<div>{article(NAMES[0])}</div>{deep}"):
        page = page_of(html)
        blocks = text_blocks(page.flat)
        started = time.process_time()
        further_articles(page, blocks, None)
        assert time.process_time() - started < SECONDS


def test_a_section_that_a_few_pages_repeat_is_no_article_among_the_page_s_own_sections():
    about = article("About the harbour office", "section", "h2")

    def sections(i):
        own = [article(f"Step {k} towards place {i}", "section", "h2") for k in range(4)]
        parts = [article(f"Service {i}", "section", "h2"), *own[:3], *([about] if i < FEW else []), own[3]]
        return page_of("".join(parts), f"Service {i}", f"https://a.example/service/{i}")

    pages = [sections(i) for i in range(3 * FEW)]
    site = known(pages)
    assert [found(page, site) for page in pages[:2]] == [[], []]
