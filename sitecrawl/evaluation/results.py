"""The figures of an evaluation: one row per page and method, and summaries by method.

A summary is macro: the mean over sites of the mean over the pages of a site, so that a large site weighs no more than a
small one (the papers CNR and Web-ConEx report means over pages with one page per site, which is the same).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageScore:
    """The result of one method on one gold page."""

    collection: str
    """Name of the gold data: a directory of recorded sites, a page set, a golden directory."""
    site: str
    page: str
    """URL or name of the page, unique within the site."""
    method: str
    """Name of a method of sitecrawl with its options (`webconex size=2`), or `peer:NAME`."""
    learned: int
    """Pages of the site that were learned before; 0 for none."""
    site_kind: str
    """Kind of the site if the gold data names it, else ""."""
    metrics: Mapping[str, float]
    """Figures by the metric's name (`word_p`, `word_r`, `word_f1`, `node_f1`, `lcs_f1`, ...)."""
    seconds: float
    """Time of the extraction alone, parsing not included; for a peer, parsing included if it parses itself."""
    size: int
    """Bytes of the page's HTML."""
    verdict: str = ""
    """Kind that the method gave the page; "" if it gave none."""
    error: str = ""
    """Class and message of an exception, in which case all metrics are 0."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """One method on one collection."""

    collection: str
    method: str
    learned: int
    sites: int
    pages: int
    metrics: Mapping[str, Interval]
    seconds_per_page: float
    seconds_per_megabyte: float
    errors: int
    by_site: Mapping[str, float]
    """Mean word F1 by site."""
    by_site_kind: Mapping[str, float]
    """Macro word F1 by kind of site."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two methods on the pages of both."""

    collection: str
    method: str
    learned: int
    other: str
    other_learned: int
    metric: str
    difference: Interval
    """The method's figure minus the other one's."""


@dataclass(frozen=True, slots=True)
class Report:
    """The complete result of an evaluation."""

    date: str
    """ISO date."""
    versions: Mapping[str, str]
    """Version by package: sitecrawl, lxml, Python, the peers."""
    summaries: Sequence[MethodSummary]
    problems: Sequence[str]
    """Sentences about gold pages that were left out, missing peers, and the like."""
    comparisons: Sequence[Comparison] = ()
    """Paired differences between methods."""
