"""Tests of the lines that differ between two texts."""

from collections import Counter
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.crawl.text_difference import text_difference

LINES = st.lists(st.sampled_from(["one", "two", "three", "", " "]), max_size=8)


@pytest.mark.parametrize(
    ("old", "new", "added", "removed"),
    [
        ("", "", [], []),
        ("one\ntwo", "one\ntwo", [], []),
        ("one\ntwo", "one\nthree", ["three"], ["two"]),
        ("one\ntwo", "two\none", [], []),
        ("one", "one\none\nlast", ["one", "last"], []),
        ("", "one\n\ntwo", ["one", "two"], []),
        ("one\ntwo\none", "two", [], ["one", "one"]),
    ],
)
def test_lines_that_were_added_and_removed(old, new, added, removed):
    assert text_difference(old, new) == (added, removed)


@given(LINES, LINES)
def test_the_old_lines_without_the_removed_and_with_the_added_are_the_new_ones(old, new):
    added, removed = text_difference("\n".join(old), "\n".join(new))
    before, after = (Counter(line for line in lines if line.strip()) for lines in (old, new))
    assert before - Counter(removed) + Counter(added) == after


def test_long_texts_take_linear_time():
    old, new = ("\n".join(f"line {i} {word}" for i in range(100_000)) for word in ("old", "new"))
    began = process_time()
    assert len(text_difference(old, new).added) == 100_000
    assert process_time() - began < 10
