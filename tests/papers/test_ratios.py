"""Worked numbers of CETR, words/leafs and content code blurring."""

import pytest

from sitecrawl.extractors.papers.ccb import blur
from sitecrawl.extractors.papers.cetr import TagRatios, deviation, differences, smoothed
from sitecrawl.extractors.papers.words_leafs import leaf_counts, words_leafs_ratios

from ..unit.dom.trees import page

RATIOS = (0.0, 2.0, 60.0, 80.0, 0.0, 0.5)
SMOOTH = (0.5481, 17.3478, 49.5854, 52.5931, 22.0625, 0.3630)


def test_tag_ratios_are_smoothed_and_cut_at_their_deviation():
    found = smoothed(RATIOS)
    assert found == pytest.approx(SMOOTH, abs=1e-4)
    assert deviation(found) == pytest.approx(20.9305, abs=1e-4)
    content = TagRatios(variant="threshold").content_lines(RATIOS)
    assert [i for i, wanted in enumerate(content) if wanted] == [2, 3, 4]


def test_the_second_coordinate_is_how_far_the_next_lines_differ():
    """`difference_smoothed` in the vector is the smoothed difference of raw ratios, as its numbers show."""
    raw = differences(RATIOS)
    assert raw == pytest.approx((47.3333, 44.6667, 33.1667, 79.75, 0.5, 0.25), abs=1e-4)
    assert smoothed(raw) == pytest.approx((46.6025, 42.2457, 49.0855, 45.263, 22.1514, 0.3185), abs=1e-4)


def test_words_for_each_leaf():
    flat = page("<div><div><p>one two three four</p><p>five six</p></div><img></div>").flat
    root = flat.tag.index("div")
    ratios, leaves = words_leafs_ratios(flat), leaf_counts(flat)
    assert (flat.words[root], leaves[root], ratios[root]) == (6, 3, 2.0)
    assert (flat.words[root + 1], leaves[root + 1], ratios[root + 1]) == (6, 2, 3.0)
    assert ratios[flat.tag.index("p")] == 4.0


def test_one_round_of_blurring():
    blurred = blur((0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0), 2, 1.0)
    expected = (0.0, 0.0576, 0.2987, 0.6468, 0.7013, 0.5974, 0.7558, 0.9455, 0.9455, 0.7013, 0.3159, 0.0777)
    assert blurred == pytest.approx(expected, abs=1e-4)
    assert [i for i, value in enumerate(blurred) if value >= 0.75] == [6, 7, 8]
