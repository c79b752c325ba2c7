import pytest

from sitecrawl.crawl.depth_limits import MOST, is_highest, limit_of, next_limit


@pytest.mark.parametrize(
    ("hard", "step", "depth", "expected"),
    [
        (0, 0, 90, 0),
        (7, 0, 90, 7),
        (0, 20, 0, 20),
        (0, 20, 20, 20),
        (0, 20, 21, 40),  # the limit was raised for its branch
        (30, 20, 45, 30),
        (7, 20, 0, 7),
    ],
)
def test_the_limit_of_a_page_is_the_next_step_beyond_it(hard, step, depth, expected):
    assert limit_of(hard, step, depth) == expected


@pytest.mark.parametrize(
    ("hard", "step", "limit", "expected"),
    [(0, 20, 20, 40), (30, 20, 20, 30), (30, 20, 30, 0), (0, 0, 20, 0), (0, 20, 0, 0), (0, 20, 20 * MOST, 0)],
)
def test_a_limit_is_raised_by_a_step_and_never_beyond_that_of_scrapy(hard, step, limit, expected):
    assert next_limit(hard, step, limit) == expected


def test_the_highest_limit_is_that_of_all_steps():
    assert (is_highest(20, 20 * MOST - 1), is_highest(20, 20 * MOST), is_highest(20, 20 * MOST + 1)) == (
        False,
        True,
        True,
    )
