import pytest

from sitecrawl.ui.charts import share_bar, stacked_bars
from sitecrawl.ui.paging import paged


def test_bars_have_parts_labels_and_no_styles():
    chart = stacked_bars([("May", {"new": 3, "gone": 1}), ("<b>", {})], ("new", "gone"), 'a "title"')
    assert "<title>May: 3 new, 1 gone</title>" in chart
    assert "<title>&lt;b&gt;: none</title>" in chart
    assert 'aria-label="a &#34;title&#34;"' in chart
    assert chart.count('class="part new"') == 1
    assert "style" not in chart


def test_the_highest_bar_fills_the_chart():
    chart = stacked_bars([("a", {"new": 2}), ("b", {"new": 4})], ("new",), "t")
    assert 'y="60.0"' in chart and 'height="120.0"' in chart


def test_a_chart_of_nothing_is_not_drawn():
    assert stacked_bars([("May", {"new": 0})], ("new",), "t") == ""


def test_a_share_bar_is_as_wide_as_all_its_parts():
    chart = share_bar({"fetched": 3, "error": 1}, "t")
    assert 'width="450.0"' in chart and 'x="450.0"' in chart and 'width="150.0"' in chart


@pytest.mark.parametrize(
    ("page", "total", "expected"),
    [
        (None, 0, (1, 1, 0, 0)),
        ("1", 120, (1, 3, 1, 50)),
        ("3", 120, (3, 3, 101, 120)),
        ("99", 120, (3, 3, 101, 120)),
        ("0", 120, (1, 3, 1, 50)),
        ("x'", 120, (1, 3, 1, 50)),
        ("9" * 40, 120, (1, 3, 1, 50)),
        ("٣", 120, (1, 3, 1, 50)),
    ],
)
def test_a_page_number_gives_its_rows(page, total, expected):
    found = paged(page, 50, total)
    assert (found.page, found.pages, found.first, found.last) == expected
