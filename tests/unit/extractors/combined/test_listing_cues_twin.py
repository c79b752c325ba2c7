"""The compiled twin finds in the rows of a page what `cues` finds in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom import speedups
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.combined import listing_cues

from ...dom.trees import odd_roots, page, roots


def test_it_is_built_and_used(monkeypatch):
    one = page("<title>A title</title><h1>Blog</h1><p>Text<textarea>x</textarea><time>1</time><article>y</article>")
    blocks = text_blocks(one.flat)
    told = ("https://example.org/", "A title", one.flat, blocks, [0.9] * len(blocks), [0.0] * len(blocks), [0.0] * 5)
    expected = listing_cues.cue_figures(*told)
    monkeypatch.setattr(listing_cues, "own_heading", lambda *args: pytest.fail("the reference was used"))
    monkeypatch.setattr(listing_cues, "tag_counts", lambda *args: pytest.fail("the reference was used"))
    speedups.choose("auto")
    assert listing_cues.cue_figures(*told) == expected
    assert expected[0] == 1


@given(odd_roots() | roots(), st.sampled_from(("h1", "h2", "time", "article", "textarea")), st.floats(0, 1))
def test_any_page(root, tag, chance):
    for element in root.iter("p", "b"):
        element.tag = tag
    flat = flatten(root)
    blocks = text_blocks(flat)
    chances, shares = [chance] * len(blocks), [i % 3 / 5 for i in range(len(blocks))]
    assert listing_cues._twin.tag_counts(flat) == listing_cues.tag_counts(flat)
    assert listing_cues._twin.own_heading(flat, blocks, chances, shares) == listing_cues.own_heading(
        flat, blocks, chances, shares
    )


def test_columns_that_do_not_fit_are_refused():
    one = page("<p>a<p>b").flat
    with pytest.raises(ValueError, match="different lengths"):
        listing_cues._twin.own_heading(one, text_blocks(one), [0.5], [0.5, 0.5])
