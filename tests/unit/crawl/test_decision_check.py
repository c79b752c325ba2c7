"""When more pages show that a layout decided wrongly."""

import pytest

from sitecrawl.crawl.decision_check import common_words, wrong

LONG = "river stone market winter letter garden window harbour engine paper"


def pairs(differing, new, total=20):
    """Pairs of equal texts, except for the first `differing` pairs."""
    return [(LONG, new)] * differing + [(LONG, LONG)] * (total - differing)


@pytest.mark.parametrize(
    ("differing", "new", "expected"),
    [
        (0, "", False),
        (4, "", False),
        (5, "", True),
        (20, LONG + " bridge", False),  # 0.95 in common
        (20, LONG.removesuffix(" paper"), False),
        (20, LONG + " bridge season village", True),
    ],
)
def test_a_decision_was_wrong_if_a_quarter_of_the_pages_lose_or_gain_a_tenth(differing, new, expected):
    assert wrong(pairs(differing, new)) is expected


def test_no_pages_say_nothing():
    assert not wrong([])


def test_words_in_common():
    assert common_words("", " ") == 1.0
    assert common_words("", LONG) == 0.0
    assert common_words("a b c d", "d c b x") == 0.75
    assert common_words("文字列", "文字") == pytest.approx(0.8)
