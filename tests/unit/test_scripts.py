import re

import pytest

from sitecrawl.crawl import digest
from sitecrawl.dom.scripts import UNSPACED, UNSPACED_CLASS, count_words, letters
from sitecrawl.evaluation.words import words
from sitecrawl.storage.search.terms import RUN


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Don't stop - now", 4),  # as white space separates them
        ("Où est-il ?", 3),
        ("我们在北京。", 5),
        ("使用 Python编程, 好吗？", 7),
        ("これはペンです", 7),
        ("ｶﾀｶﾅ", 4),
        ("한국어 문장입니다", 2),
        ("。 ！", 2),
    ],
)
def test_words_are_counted_in_any_script(text, count):
    assert count_words(text) == count


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("Où est-il ?", 11), ("我们", 5), ("Python编程, ok", 15), ("한국어", 3), ("ไทย", 7.5)]
)
def test_a_letter_of_a_script_without_spaces_counts_two_and_a_half(text, count):
    assert letters(text) == count


@pytest.mark.parametrize("character", "字かカｶกຂကကខཀ々〇𠀀")
def test_search_near_copies_and_evaluation_know_the_same_scripts(character):
    """There were three lists, with three contents."""
    assert len(words(character * 3)) == 3
    (hashed,) = digest.read_words(character)[1]
    assert digest.read_words(character * 3)[1] == [hashed] * 3
    assert RUN.fullmatch(character * 3)


def test_ranges_do_not_overlap():
    ends = [ord(end) for first, last in sorted(UNSPACED) for end in (first, last)]
    assert ends == sorted(ends)
    assert not re.match(f"[{UNSPACED_CLASS}]", "a한é")
