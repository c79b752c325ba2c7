"""The start URL of one crawl of a site, and the arguments given to this crawl."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class CrawlStart:
    """Start URL and arguments of one crawl. Settings are in `Config`."""

    url: str
    """The start URL."""
    max_depth: int = 0
    """Maximum links between the start page and a page; 0 for no limit."""
    owner: str | None = None
    """Name of the process that already leased the site for this crawl; the crawl takes that lease over."""
    due: bool = False
    """Whether only pages that are due are fetched."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Spider arguments that set options of this crawl only, as text (`site_options.ARGUMENTS`)."""
    rests: bool = False
    """Whether the next crawl of the site is postponed if this one fails or reaches its page limit."""
