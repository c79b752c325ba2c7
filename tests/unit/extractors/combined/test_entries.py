from math import log1p

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.extractors.combined.entries import ENTRY_NAMES, entry_figures, kept_below
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

from ...dom.trees import page

TEASERS = "".join(f"<div class=t><h3><a href=/{n}>Head</a></h3><p>A few words.</p></div>" for n in range(8))
POSTS = "".join("<div class=t><h3><a href=/profile>Someone</a></h3><p>A few words.</p></div>" for _ in range(8))
ARTICLE = "<div class=t><h3><a href=#top>Head</a></h3><p>A few words.</p><p>And some more.</p></div>"


def figures(html, site=None):
    parsed = page(html)
    blocks = text_blocks(parsed.flat)
    kept = list(range(len(blocks)))
    found = entry_figures(parsed.flat, blocks, kept, kept_below(parsed.flat, blocks, kept), site)
    return dict(zip(ENTRY_NAMES, found, strict=True))


def test_each_teaser_leads_to_a_page_of_its_own():
    found = figures(TEASERS)
    assert found["entry_share"] == 1
    assert found["entries"] == log1p(8)
    assert found["entry_own"] == found["entry_first"] == found["entry_own_share"] == 1
    assert found["entry_chars"] == log1p(len("Head") + len("Afewwords."))


def test_posts_lead_to_the_same_few_pages():
    found = figures(POSTS)
    assert found["entries"] == log1p(8)
    assert found["entry_own"] == found["entry_own_share"] == 0
    assert found["entry_first"] == 1 / 8


def test_an_article_has_no_entries():
    assert set(figures(ARTICLE).values()) == {0.0}


def test_an_archive_holds_more_posts_than_the_average_page():
    template = SiteTemplate()
    for html in (ARTICLE,) * 7 + (TEASERS,):
        template.learn(page(html).flat)
    site = site_statistics(snapshot(template, 1))
    assert figures(TEASERS, site)["entry_excess"] == log1p(8) - log1p(15 / 8)
    assert figures(TEASERS, site)["path_excess"] > 0.5 > 0 > figures(ARTICLE, site)["path_excess"]
    assert 0 < figures(ARTICLE, site)["path_usual"] <= 1
