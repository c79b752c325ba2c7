"""Tests of the longest common substring and subsequence."""

from random import Random
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecrawl.evaluation.strings import _by_automaton, subsequence_length, substring_length, without_spaces

TEXTS = st.one_of(
    st.text("ab", max_size=60),
    st.text("abcde", max_size=40),
    st.text(max_size=30),
    st.lists(st.sampled_from(("the ", "fox ", "dog ", "x")), max_size=20).map("".join),
)


def quadratic(one, other):
    """Return both lengths by the tables of the textbooks."""
    substring = 0
    ends, rows = [0] * (len(other) + 1), [0] * (len(other) + 1)
    for a in one:
        above_ends, above_rows = ends, rows
        ends, rows = [0], [0]
        for j, b in enumerate(other):
            ends.append(above_ends[j] + 1 if a == b else 0)
            rows.append(above_rows[j] + 1 if a == b else max(above_rows[j + 1], rows[j]))
        substring = max(substring, *ends)
    return substring, rows[-1]


@given(TEXTS, TEXTS)
@example("", "")
@example("", "a")
@example("aab", "ab" * 40)
def test_both_agree_with_the_tables(one, other):
    assert (substring_length(one, other), subsequence_length(one, other)) == quadratic(one, other)


@given(TEXTS, TEXTS)
def test_both_are_symmetric_and_in_order(one, other):
    substring, subsequence = substring_length(one, other), subsequence_length(one, other)
    assert substring == substring_length(other, one)
    assert subsequence == subsequence_length(other, one)
    assert 0 <= substring <= subsequence <= min(len(one), len(other))


@given(TEXTS, TEXTS, TEXTS)
def test_a_text_is_wholly_common_to_a_text_around_it(before, text, after):
    around = before + text + after
    assert substring_length(text, around) == subsequence_length(text, around) == len(text)


PIECES = st.lists(
    st.sampled_from(("the fox ran home", "0123456789" * 5, "x", "dogs and cats of all", "ab" * 9)), max_size=14
)


@given(PIECES.map("".join), PIECES.map("".join))
@example("ab" * 2000, "ba" * 1999 + "c")  # too many places to follow
@example("a" * 31 + "b" * 32 + "c" * 40, "c" * 40 + "b" * 32 + "a" * 31)
def test_parts_and_the_automaton_agree(one, other):
    short, long = sorted((one, other), key=len)
    assert substring_length(one, other) == _by_automaton(short, long)


def test_carries_over_the_top_do_no_harm():
    """More rows than `_TRIM` that all carry, with ends that differ so that nothing is trimmed beforehand."""
    one, other = "x" + "ab" * 1500 + "y", "y" + "ba" * 1500 + "x"
    assert subsequence_length(one, other) == 2 * 1500 - 1
    assert substring_length(one, other) == 2 * 1500 - 1


def test_unicode_white_space_is_removed():
    assert without_spaces(" a\u00a0b\u2003c\n\t\u3000d ") == "abcd"
    assert without_spaces("a\u200bb") == "a\u200bb"


def _pages(size):
    """Return two long texts that share two thirds, in other places."""
    text = "".join(Random(1).choices("etaoinshrdlu", k=size))
    third = size // 3
    return text, text[third : 2 * third] + text[:third][::-1] + text[2 * third :]


@pytest.mark.parametrize("length", [substring_length, subsequence_length])
def test_whole_pages_are_quick(length):
    """Ten times the size takes 100 times the time in a table; a page of 100,000 characters would take hours."""
    one, other = _pages(50_000)
    begun = process_time()
    found = length(one, other)
    assert process_time() - begun < 20
    assert found >= 50_000 // 3
