"""The compiled twin of the figures of a page gives those of the reference, to the last bit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom import speedups
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.combined import page_features

from ...dom.trees import odd_roots, page, roots
from .test_block_classifier import GOLDEN, known

TEASERS = "".join(
    f"<li><a href=/p{n % 5}#x>Title {n}</a><p>Words of teaser {n}, <a href='#top'>up</a> <a href=/all>all</a></li>"
    for n in range(9)
)


def assert_equal(flat, site, chances, threshold):
    blocks = text_blocks(flat)
    share = [(0.3 * i) % 1.2 - 0.1 for i in range(len(blocks))]
    for pages in (0, 3):
        given_to = (flat, blocks, chances, threshold, share, pages, site)
        assert page_features._twin.kept_figures(*given_to) == page_features.kept_figures_reference(*given_to)


def test_it_is_built_and_used(monkeypatch):
    one = page("<h1>Title</h1><p>Text of a page.</p>")
    blocks = text_blocks(one.flat)
    told = (one, blocks, [0.9, 0.8], 0.5, [0.0, 0.1], 2)
    expected = page_features.page_figures(*told)
    monkeypatch.setattr(page_features, "kept_figures_reference", lambda *args: pytest.fail("the reference was used"))
    speedups.choose("auto")
    assert page_features.page_figures(*told) == expected
    assert len(expected) == len(page_features.PAGE_NAMES)


@given(odd_roots() | roots(), st.randoms(use_true_random=False), st.booleans(), st.sampled_from((0.0, 0.5, 0.95, 1.0)))
def test_any_page(root, chance, learned, threshold):
    flat = flatten(root)
    count = len(text_blocks(flat))
    if count:
        assert_equal(flat, known([flat, flat]) if learned else None, [chance.random() for _ in range(count)], threshold)


@pytest.mark.parametrize("threshold", [0.0, 0.4, 0.8])
def test_golden_pages_and_teasers(threshold):
    pages = [page(path.read_text("utf-8")).flat for path in GOLDEN if path.suffix == ".html"]
    pages.append(page(f"<nav><a href=/>Home</a></nav><ul>{TEASERS}</ul><h2><a href=/x>All of it</a></h2>").flat)
    site = known(pages)
    for flat in pages:
        chances = [(i * 7 % 10) / 10 for i in range(len(text_blocks(flat)))]
        assert_equal(flat, site, chances, threshold)
        assert_equal(flat, None, chances, threshold)


def test_columns_that_do_not_fit_are_refused():
    one = page("<p>a<p>b").flat
    blocks = text_blocks(one)
    with pytest.raises(ValueError, match="different lengths"):
        page_features._twin.kept_figures(one, blocks, [0.5], 0.5, [0.0, 0.0], 0, None)
    with pytest.raises(ValueError, match="different lengths"):
        page_features._twin.kept_figures(one, blocks, [0.5, 0.5], 0.5, [0.0], 0, None)
