"""The figures of an evaluation: one row per page and method, and summaries by method.

A summary is a macro mean: the mean over sites of the mean over the pages of a site, so that large sites have no more
weight than small ones (the papers CNR and Web-ConEx report means over pages with one page per site, which is the same).
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
    """Number of pages of the site that were learned before."""
    site_kind: str
    """Kind of the site if the gold data states it, else ""."""
    metrics: Mapping[str, float]
    """Figures by name (`word_p`, `word_r`, `word_f1`, `node_f1`, `lcs_f1`, ...)."""
    seconds: float
    """Time of the extraction without parsing; for a peer that parses itself, including parsing."""
    size: int
    """Bytes of the page's HTML."""
    verdict: str = ""
    """Kind of the page according to the method; "" if the method does not tell."""
    error: str = ""
    """Class and message of an exception, after which all metrics are 0; "" if there was none."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """The summary of one method on one collection."""

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
    """Macro mean of word F1 by kind of site."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two methods by one metric, on the pages that both have."""

    collection: str
    method: str
    learned: int
    other: str
    other_learned: int
    metric: str
    difference: Interval
    """The figure of the method minus that of the other one."""


@dataclass(frozen=True, slots=True)
class Report:
    """The complete result of an evaluation."""

    date: str
    """Date of the evaluation, in ISO 8601."""
    versions: Mapping[str, str]
    """Version by package: sitecrawl, lxml, Python, the peers."""
    summaries: Sequence[MethodSummary]
    problems: Sequence[str]
    """Sentences about gold pages that were left out, missing peers, and the like."""
    comparisons: Sequence[Comparison] = ()
    """Paired differences between methods."""
