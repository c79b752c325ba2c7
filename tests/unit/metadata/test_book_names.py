"""Tests of headlines that are the name of a book or site."""

import pytest

from sitecrawl.metadata.book_names import is_whole, whole_names


@pytest.mark.parametrize(
    ("title", "headings", "lower", "expected"),
    [
        ("Waves and wind - The Book of Storms", ["The Book of Storms"], ["Waves and Wind"], ("The Book of Storms",)),
        ("Waves and wind - The Book of Storms", ["The Book of Storms", "Waves and wind"], [], ("The Book of Storms",)),
        ("Waves and wind - The Book of Storms", ["The Book of Storms"], ["Menu"], ()),
        ("python - Why do waves break?", ["Why do waves break?"], ["python"], ()),  # a tag of one word
        ("Waves and wind - The Book of Storms", [], ["Waves and wind"], ()),
        (None, ["Waves"], ["Waves"], ()),
    ],
)
def test_a_headline_behind_another_one_in_the_title_names_the_whole(title, headings, lower, expected):
    assert whole_names(title, headings, lower) == expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, True),
        ({"prefix": {"harbour wiki": 0.9}}, False),
        ({"prefix": {"harbour wiki": 0.2}, "suffix": {"moles": 0.9}}, True),
    ],
)
def test_an_end_of_fewer_pages_than_the_beginning_does_not_name_the_whole(known, expected):
    shared = lambda kind, one: known.get(kind, {}).get(one.casefold(), 0.0)  # noqa: E731
    assert is_whole("Harbour Wiki: Moles", "Moles", shared) is expected
