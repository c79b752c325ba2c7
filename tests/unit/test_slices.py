"""Sequences in slices of a limited size."""

import pytest

from sitecrawl.slices import slices


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], []),
        ([1], [[1]]),
        ([1, 2], [[1, 2]]),
        ([1, 2, 3], [[1, 2], [3]]),
        ([1, 2, 3, 4], [[1, 2], [3, 4]]),
    ],
)
def test_slices_have_at_most_two_items_in_order(items, expected):
    assert list(slices(items, 2)) == expected


def test_a_large_size_gives_the_whole_sequence():
    assert list(slices((1, 2, 3), 500)) == [(1, 2, 3)]
