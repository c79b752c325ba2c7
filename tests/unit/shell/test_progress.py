"""Tests of the lines at the end of a crawl."""

import pytest

from sitecrawl.crawl.depth_limits import MOST
from sitecrawl.shell.progress import left_out


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
