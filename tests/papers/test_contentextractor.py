"""ContentExtractor in the worked examples of "FastContentExtractor": Figures 1 to 3, and a small site."""

import pytest

from sitecrawl.dom.atomic import TraversalPaths, atomic_blocks, cosine
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.extractors.papers.contentextractor import published_order
from sitecrawl.templates.preparation import BlockPages

from ..unit.dom.trees import page
from .test_fastce import FIGURE_2, REST, SPANS


def test_blocks_are_in_the_order_of_figure_3():
    """Vector `ce_figure3`: the order of the output is the defect that FastContentExtractor removes."""
    blocks = atomic_blocks(FIGURE_2)
    everything = range(len(blocks))
    texts = published_order(FIGURE_2, blocks, everything)
    assert texts == [*SPANS, REST]
    assert published_order(FIGURE_2, blocks, [0, 2]) == [SPANS[1], REST]
    paths = TraversalPaths()
    assert {paths.of(FIGURE_2, node) for node in blocks.node} == {"HTML.BODY.P", "HTML.BODY.P.SPAN"}
    assert not any("the US House of Representatives" in text for text in texts)


def _page(story, *menu):
    links = "".join(f"<a href=/{word}>{word}</a> " for word in menu or ("home", "news", "about", "help"))
    return page(f"<div>{links}</div><div>{story}</div>")


SITE = [_page("storm hits coast towns"), _page("nothing in common here"), _page("storm hits city final")]


def test_links_outweigh_words_in_the_similarity_of_blocks():
    """Vector `ce_similarity`: links outweigh words, so a menu with another word in it is still the same."""
    menus, articles = zip(*[[atomic_blocks(p.flat).features(p.flat, b) for b in (0, 1)] for p in SITE], strict=True)
    assert cosine(menus[0], menus[1]) == pytest.approx(1)
    other = _page("", "home", "news", "about", "other").flat
    assert cosine(menus[0], atomic_blocks(other).features(other, 0)) == pytest.approx(0.95)
    assert cosine(articles[0], articles[1]) == 0
    assert cosine(articles[0], articles[2]) == pytest.approx(0.5)
    sample = BlockPages()
    for found in SITE:
        sample.add(found.flat, atomic_blocks(found.flat))
    assert [1 / (len(sample.holding(vector)) + 1) for vector in (menus[0], articles[0])] == [0.25, 0.5]


def test_a_changed_menu_is_not_content():
    found = _page("council votes today", "home", "news", "about", "other")
    site = SiteContext(neighbours=tuple(other.flat for other in SITE))
    assert found.text(get_extractor("contentextractor").extract(found, site).nodes) == "council votes today"


def test_phrases_stay_whole_in_document_order():
    found = page("<p>On Sept. 27, the US <span>House of Representatives</span> unanimously passed a resolution.</p>")
    site = SiteContext(neighbours=tuple(other.flat for other in SITE))
    extraction = get_extractor("contentextractor").extract(found, site)
    assert "the US House of Representatives unanimously" in found.text(extraction.nodes)
