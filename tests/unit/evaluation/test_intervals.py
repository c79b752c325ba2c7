"""Tests of means over sites and their intervals."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.evaluation.intervals import difference, figures, interval, site_means
from sitecrawl.evaluation.results import Interval

from .figures import score

UNIT = st.floats(0, 1)
SITES = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.dictionaries(st.text("xy", max_size=2), UNIT, min_size=1),
    min_size=1,
    max_size=8,
)


def sites(*values):
    """Return one page for each value, each of its own site."""
    return {f"site {i:03}": {"page": value} for i, value in enumerate(values)}


def test_scores_by_site_and_page():
    found = figures(
        [score("a", "1", f1=0.5), score("a", "2", f1=0.7), score("b", "1", f1=1.0), score("c", p=1.0)], "f1"
    )
    assert found == {"a": {"1": 0.5, "2": 0.7}, "b": {"1": 1.0}}


def test_a_large_site_weighs_no_more_than_a_small_one():
    found = {"large": dict.fromkeys("abcdefgh", 0.0), "small": {"a": 1.0}}
    assert site_means(found) == {"large": 0, "small": 1}
    assert interval(found).mean == 0.5


def test_an_interval_is_that_of_the_normal_distribution_for_many_sites():
    random = Random(7)
    values = [random.gauss(0.6, 0.1) for _ in range(400)]
    found = interval(sites(*values))
    assert found.mean == pytest.approx(sum(values) / 400)
    assert found.low == pytest.approx(found.mean - 1.96 * 0.1 / 20, abs=0.002)
    assert found.high == pytest.approx(found.mean + 1.96 * 0.1 / 20, abs=0.002)


def test_intervals_are_always_the_same():
    """Figures of the fixed seed: they change with the seed, the resamples or the percentiles only."""
    found = interval(sites(0.1, 0.5, 0.6, 0.9, 0.95))
    assert found == interval(dict(reversed(sites(0.1, 0.5, 0.6, 0.9, 0.95).items())))
    assert [round(value, 6) for value in (found.mean, found.low, found.high)] == [0.61, 0.36, 0.86]


@given(SITES)
def test_the_mean_is_inside(found):
    result = interval(found)
    values = [value for pages in found.values() for value in pages.values()]
    assert min(values) - 1e-9 <= result.low <= result.high <= max(values) + 1e-9
    if len(set(values)) == 1:
        assert result.low == pytest.approx(result.high) == pytest.approx(result.mean)


def test_the_pages_of_a_single_site_are_resampled():
    found = interval({"only": {"a": 0.0, "b": 1.0, "c": 0.5, "d": 0.5}})
    assert found == interval(sites(0.0, 1.0, 0.5, 0.5))
    assert found.low < found.mean < found.high


def test_differences_are_paired():
    """Methods that differ little on sites that differ much: each interval is wide, that of the difference narrow."""
    random = Random(3)
    values = [random.random() for _ in range(60)]
    one, other = sites(*(value + 0.01 for value in values)), sites(*values)
    assert interval(one).low < interval(other).mean
    found = difference(one, other)
    assert (found.mean, found.low, found.high) == pytest.approx((0.01, 0.01, 0.01))
    assert difference(other, one) == Interval(-found.mean, -found.high, -found.low)


def test_differences_are_over_common_pages():
    one = {"a": {"1": 0.5, "2": 0.9}, "b": {"1": 0.2}, "c": {"1": 0.3}}
    other = {"a": {"1": 0.4, "3": 0.0}, "b": {"2": 1.0}, "d": {"1": 1.0}}
    assert difference(one, other).mean == pytest.approx(0.1)


def test_nothing_has_no_mean():
    with pytest.raises(ValueError, match="no figures"):
        interval({})
    with pytest.raises(ValueError, match="both methods"):
        difference({"a": {"1": 0.5}}, {"a": {"2": 0.5}})
