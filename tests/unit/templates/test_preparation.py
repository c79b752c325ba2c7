"""Tests of the preparation phase on random pages."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.atomic import SIMILARITY, atomic_blocks, cosine
from sitecrawl.templates.preparation import block_pages, noise_threshold, prepare

from ..dom.trees import pages


def test_threshold_grows_with_the_sample():
    assert [noise_threshold(pages) for pages in (1, 3, 10, 25, 100)] == [2, 2, 2, 5, 20]


@settings(max_examples=40)
@given(st.lists(pages(), min_size=1, max_size=5))
def test_pages_are_counted_as_by_comparing_all_pairs(found):
    flats = [each.flat for each in found]
    blocks = [atomic_blocks(flat) for flat in flats]
    counts = block_pages(flats, blocks)
    vectors = [[part.features(flat, b) for b in range(len(part))] for flat, part in zip(flats, blocks, strict=True)]
    for page, row in enumerate(vectors):
        for b, vector in enumerate(row):
            similar = [
                any(vector == other or cosine(vector, other) > SIMILARITY for other in others) for others in vectors
            ]
            assert counts[page][b] == sum(similar)


@settings(max_examples=40)
@given(st.lists(pages(), min_size=1, max_size=5))
def test_noise_stands_on_content_paths_and_the_order_does_not_matter(found):
    flats = [each.flat for each in found]
    template, other = prepare(flats), prepare(flats[::-1])
    assert template.content_paths == other.content_paths
    assert len(template.noise) == len(other.noise)
    if not template.content_paths:
        assert len(template.noise) == 0
