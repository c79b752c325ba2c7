"""The compiled twin of the text blocks gives what the reference gives."""

from dataclasses import astuple, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom import blocks, speedups
from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import flatten

from .trees import odd_roots, page, roots


@pytest.fixture(scope="module")
def flattened_by():
    """Do not run these tests twice."""


def test_it_is_built_and_used(monkeypatch):
    assert blocks._twin is not None
    one = page("<p>a<p>b<br><br>c").flat
    expected = blocks.text_blocks_reference(one)
    monkeypatch.setattr(blocks, "text_blocks_reference", lambda flat: pytest.fail("the reference was used"))
    monkeypatch.setattr(blocks, "cover_texts_reference", lambda *args: pytest.fail("the reference was used"))
    speedups.choose()
    assert blocks.text_blocks(one).first == expected.first
    assert blocks.cover(one, expected, [True, True, True])


@given(odd_roots() | roots(), st.randoms(use_true_random=False))
def test_any_page(root, chance):
    flat = flatten(root)
    found, expected = blocks._twin.text_blocks(flat), blocks.text_blocks_reference(flat)
    assert astuple(found) == astuple(expected)
    assert {field.name for field in fields(Blocks)} == set(Blocks.__slots__)
    for chosen in ([True] * len(expected), [chance.random() < 0.5 for _ in range(len(expected))]):
        kept = [False] * len(flat)
        for first, stop, wanted in zip(expected.first, expected.stop, chosen, strict=True):
            kept[first:stop] = [wanted] * (stop - first)
        assert blocks._twin.cover_texts(flat, kept) == blocks.cover_texts_reference(flat, kept)


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="different lengths"):
        blocks._twin.cover_texts(page("<p>a").flat, [True])
