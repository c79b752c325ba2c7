"""The start URL of one crawl of a site, and the arguments given to this crawl."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class CrawlStart:
    """The start of one crawl. Settings are in `Config`."""

    url: str
    """The start URL."""
    max_depth: int = 0
    """Links to follow from the start page at most; 0 for any number."""
    owner: str | None = None
    """Holder of a lease that was taken for this crawl, which takes it over."""
    due: bool = False
    """Whether only pages that are due are fetched."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Options of this crawl alone, as text (`site_options.ARGUMENTS`)."""
    rests: bool = False
    """Whether the site is left alone for a while if the crawl fails or reaches its limit of pages."""
