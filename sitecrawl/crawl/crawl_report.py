"""The report of a crawl, which grows while the crawl runs."""

from collections import Counter
from dataclasses import dataclass, field

from sitecrawl.crawl.changed_overrides import Marked
from sitecrawl.crawl.deletions import Conclusion


@dataclass(slots=True)
class CrawlReport:
    """Failures, exclusions, deletions and seconds of a crawl, for its result, its history and the stats."""

    failures: dict[str, int] = field(default_factory=dict)
    """The number of URLs that failed, by reason."""
    exclusions: list[str] = field(default_factory=list)
    """Reasons of the first URLs that were excluded."""
    postponed: list[str] = field(default_factory=list)
    """Reasons of the URLs that are left to the next run."""
    unsettled: list[str] = field(default_factory=list)
    """URLs that failed, and whose failure could not be stored."""
    replaced: list[str] = field(default_factory=list)
    """URLs of pages that were extracted again and whose feed row was replaced."""
    too_deep: Counter[int] = field(default_factory=Counter)
    """Number of links to unknown URLs beyond the depth limit of their page, by that limit."""
    overridden: Marked = field(default_factory=Marked)
    """The stored pages that are extracted again because the overrides have changed."""
    unused: list[str] = field(default_factory=list)
    """The parts of overrides that applied to no page, in words."""
    retired: list[int] = field(default_factory=list)
    """Numbers of the layouts that were retired."""
    given_up: str = ""
    """The reason why the crawl gave the site up; empty if it did not."""
    moved: tuple[str, str] | None = None
    """For a start host with a forbidden address: the reason of the refusal, and advice; None otherwise."""
    elsewhere: str = ""
    """URL on another site to which the start page redirects; empty if it does not."""
    conclusion: Conclusion = field(default_factory=lambda: Conclusion(0, 0, 0, 0))
    """The deletions at its end."""
    seconds: dict[str, float] = field(default_factory=lambda: {"select": 0.0, "learn": 0.0})
    """Seconds by stage."""
