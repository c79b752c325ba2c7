"""Worked numbers of the metrics: the density paper (S2), section 5; FastContentExtractor (S3), section IV."""

import pytest

from sitecrawl.evaluation.metrics import block_prf, lcs_prf, lcstring_prf, prf, word_prf
from sitecrawl.evaluation.strings import subsequence_length, substring_length, without_spaces

from ..unit.dom.trees import page

DOG = "the dog jumps over the brown fox"
FOX = "the fox jumps over the brown dog"
OUTPUT, GOLD = "Menu Home Storm hits coast Share", "Storm hits coast today"


def rounded(figures):
    return [round(figure, 4) for figure in figures]


def test_the_example_of_s2_corrected():
    """S2 gives 20 and 23; " jumps over the brown " has 22 characters, and "the o jumps over the brown o" has 28."""
    assert (substring_length(DOG, FOX), subsequence_length(DOG, FOX)) == (22, 28)
    assert len(" jumps over the brown ") == 22
    assert len("the o jumps over the brown o") == 28
    dog, fox = without_spaces(DOG), without_spaces(FOX)
    assert len(dog) == len(fox) == 26
    assert (substring_length(dog, fox), subsequence_length(dog, fox)) == (17, 22)
    assert rounded(lcstring_prf(DOG, FOX)) == [0.6538] * 3
    assert rounded(lcs_prf(DOG, FOX)) == [0.8462] * 3


def test_strings_of_a_small_page():
    assert [len(without_spaces(text)) for text in (OUTPUT, GOLD)] == [27, 19]
    assert rounded(lcstring_prf(OUTPUT, GOLD)) == [0.5185, 0.7368, 0.6087]
    assert rounded(lcs_prf(OUTPUT, GOLD)) == [0.5556, 0.7895, 0.6522]


def test_words_of_a_small_page():
    assert word_prf(OUTPUT, GOLD) == pytest.approx((0.5, 0.75, 0.6))


def test_blocks_of_s3():
    """Eight content blocks exist, seven are extracted, six of these are content."""
    assert rounded(prf(6, 7, 8)) == [0.8571, 0.75, 0.8]
    flat = page("".join(f"<p>Block {number}</p>" for number in range(10))).flat
    blocks = [i for i in range(len(flat)) if flat.tag[i] == "p"]
    content = {row for i in blocks[:8] for row in range(i, flat.end[i])}
    extracted = {row for i in blocks[2:9] for row in range(i, flat.end[i])}
    assert rounded(block_prf(flat, extracted, content)) == [0.8571, 0.75, 0.8]


def test_recall_of_words_counts_common_words_only():
    """S3 prints the ratio of word counts, by which any three words would be a full recall of three."""
    assert word_prf("other three words", "storm hits coast").recall == 0
