import pytest

from sitecrawl.crawl.depth_limits import MOST, first_limit, is_highest, next_limit


@pytest.mark.parametrize(
    ("hard", "step", "deepest", "expected"),
    [
        (0, 0, 90, 0),
        (7, 0, 90, 7),
        (0, 20, 0, 20),
        (0, 20, 20, 20),
        (0, 20, 21, 40),  # an earlier crawl went farther
        (30, 20, 45, 30),
        (7, 20, 0, 7),
    ],
)
def test_a_crawl_begins_with_the_lowest_limit_that_holds_the_known_pages(hard, step, deepest, expected):
    assert first_limit(hard, step, deepest) == expected


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
