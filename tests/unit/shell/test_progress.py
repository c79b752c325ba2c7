"""Tests of the lines at the end of a crawl."""

import pytest

from sitecrawl.crawl.changed_overrides import Marked
from sitecrawl.crawl.depth_limits import MOST
from sitecrawl.shell.progress import extracted_again, left_out, left_out_by_limit


@pytest.mark.parametrize(
    ("limit", "hard", "line"),
    [
        (6, 6, "pages over DEPTH_LIMIT=6 links away were left out; 2 links lead there"),
        (40, 0, "no list with links to main content leads there; SITECRAWL_DEPTH_STEP=0 follows all links"),
        (20 * MOST, 0, "lists are followed for 50 times SITECRAWL_DEPTH_STEP=20 links; raise that setting for more"),
    ],
)
def test_why_pages_are_too_deep_is_said(limit, hard, line):
    assert left_out(2, limit, hard, 20).endswith(line)


@pytest.mark.parametrize(
    ("too_deep", "hard", "expected"),
    [
        ({}, 0, {}),
        ({40: 2, 20: 1, 60: 3}, 0, {20: 6}),
        ({20: 1, 20 * MOST: 5}, 0, {20: 1, 20 * MOST: 5}),
        ({20: 1, 30: 4}, 30, {20: 1, 30: 4}),
    ],
)
def test_links_beyond_several_limits_are_counted_by_reason(too_deep, hard, expected):
    assert left_out_by_limit(too_deep, hard, 20) == expected


@pytest.mark.parametrize(
    ("marked", "line"),
    [
        (Marked(), ""),
        (Marked(1), "changed since the last crawl: 1 stored page extracted again"),
        (
            Marked(2, 1),
            "changed since the last crawl: 2 stored pages extracted again; not the 1 page without a stored body",
        ),
    ],
)
def test_pages_that_a_changed_override_reached_are_reported(marked, line):
    assert extracted_again(marked) == line
