"""Computes means over sites with bootstrap intervals: 95 %, 1,000 resamples, a fixed seed.

Pages of one site resemble each other, so sites are resampled, not pages (the cluster bootstrap; B. Efron and R.
Tibshirani 1993, chapter 13: percentile intervals). All intervals over the same number of sites use the same resamples,
so that equal figures have equal intervals, whatever else is evaluated.
"""

from array import array
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import ceil, floor, fsum
from random import Random
from typing import Final

from sitecrawl.evaluation.results import Interval, PageScore

RESAMPLES: Final = 1000
LEVEL: Final = 0.95
SEED: Final = 20100

Figures = Mapping[str, Mapping[str, float]]
"""The figures of one metric and method, by site and page."""


def figures(scores: Iterable[PageScore], metric: str) -> Figures:
    """Return the values of one metric by site and page, from the scores of one method that have this metric."""
    found: dict[str, dict[str, float]] = {}
    for score in scores:
        if metric in score.metrics:
            found.setdefault(score.site, {})[score.page] = score.metrics[metric]
    return found


def site_means(found: Figures) -> dict[str, float]:
    """Return the mean over the pages of each site; sites are sorted by name."""
    return {site: fsum(pages.values()) / len(pages) for site, pages in sorted(found.items()) if pages}


def interval(found: Figures) -> Interval:
    """Return the mean over sites of the mean over pages, and its 95 % interval.

    With a single site its pages are resampled instead: the interval then says nothing about other sites.
    Raises ValueError when there is no figure.
    """
    means = list(site_means(found).values())
    if not means:
        raise ValueError("no figures to take a mean of")
    if len(means) == 1:
        means = [value for pages in found.values() for _, value in sorted(pages.items())]
    return _interval(means)


def difference(one: Figures, other: Figures) -> Interval:
    """Return the mean of `one` minus that of `other`, paired over the pages that have both figures.

    An interval that does not contain 0 shows a difference between the methods on sites like these. Raises ValueError if
    no page has both figures.
    """
    found: dict[str, dict[str, float]] = {}
    for site, pages in one.items():
        others = other.get(site, {})
        both = {page: value - others[page] for page, value in pages.items() if page in others}
        if both:
            found[site] = both
    if not found:
        raise ValueError("no page has figures of both methods")
    return interval(found)


def _interval(values: list[float]) -> Interval:
    """Return the mean of values, and the interval that contains 95 % of the means of their resamples."""
    size = len(values)
    means = sorted(fsum(map(values.__getitem__, draw)) / size for draw in _resamples(size))
    outside = (1 - LEVEL) / 2
    low, high = floor(outside * RESAMPLES), ceil((1 - outside) * RESAMPLES) - 1
    return Interval(fsum(values) / size, means[low], means[high])


@lru_cache(maxsize=4)
def _resamples(size: int) -> tuple["array[int]", ...]:
    """Return, for each resample, the positions of the values drawn from `size` values."""
    random = Random(SEED)  # noqa: S311 - reproducible, not secret
    places = range(size)
    return tuple(array("L", random.choices(places, k=size)) for _ in range(RESAMPLES))
