"""Tests of words and n-grams."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.scripts import UNSPACED_CLASS
from sitecrawl.evaluation.words import ngrams, runs, words


def test_words_are_lower_case_runs():
    assert words("The STORM's 2nd_hit, naïve Straße!") == ["the", "storm", "s", "2nd_hit", "naïve", "straße"]
    assert words(" ,. \n") == []


def test_runs_keep_what_is_written():
    assert runs("The STORM's") == ["The", "STORM", "s"]
    assert runs("你好 World") == ["你好", "World"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天天气 good", ["今", "天", "天", "气", "good"]),
        ("ひらカタｶﾅー", list("ひらカタｶﾅー")),
        ("Python3版本", ["python3", "版", "本"]),
        ("版本v2。人々〇", ["版", "本", "v2", "人", "々", "〇"]),
        ("ພາສາລາວ", [c for c in "ພາສາລາວ" if c.isalnum()]),
        ("ประเทศไทย", [c for c in "ประเทศไทย" if c.isalnum()]),
        ("ភាសាខ្មែរ", [c for c in "ភាសាខ្មែរ" if c.isalnum()]),
        ("မြန်မာ", [c for c in "မြန်မာ" if c.isalnum()]),
        ("𠀀𠀁", ["𠀀", "𠀁"]),
        ("한국어 문장", ["한국어", "문장"]),
    ],
)
def test_scripts_without_spaces_are_split_by_character(text, expected):
    assert words(text) == expected


@given(st.text())
def test_words_are_made_of_word_characters_only(text):
    found = words(text)
    assert "".join(found) == "".join(runs(text.lower()))
    assert all(re.fullmatch(r"\w+", word) for word in found)
    assert all(len(word) == 1 for word in found if re.search(f"[{UNSPACED_CLASS}]", word))


@given(st.text(st.characters(exclude_categories=["Lo", "Nl"])))
def test_scripts_with_spaces_are_plain_runs(text):
    if not re.search(f"[{UNSPACED_CLASS}]", text.lower()):
        assert words(text) == runs(text.lower())


def test_ngrams_are_counted():
    assert ngrams(["a", "b", "a", "b"], 2) == {("a", "b"): 2, ("b", "a"): 1}
    assert ngrams(["a", "b"], 4) == {("a", "b"): 1}
    assert ngrams([], 4) == {}
    with pytest.raises(ValueError, match="0 words"):
        ngrams(["a"], 0)


@given(st.lists(st.sampled_from("abc")), st.integers(1, 5))
def test_ngrams_agree_with_slices(sequence, n):
    slices = [tuple(sequence[i : i + n]) for i in range(max(1, len(sequence) - n + 1)) if sequence]
    assert ngrams(sequence, n) == Counter(slices)
