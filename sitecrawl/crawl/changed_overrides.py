"""Has stored pages extracted again after a change of the site's overrides.

A page that the server reports as unmodified is not read, so a new override would not reach it otherwise.
"""

from typing import Final, NamedTuple

from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository

DIGEST: Final = "overrides"
"""Name of the digest of the overrides in the figures of a crawl."""


class Marked(NamedTuple):
    """The stored pages of a site whose overrides have changed."""

    pages: int = 0
    """Pages that are extracted again before the crawl ends."""
    without_body: int = 0
    """Pages that cannot be, since their body is not stored."""


def figure(digest: str) -> dict[str, str]:
    """Return the figure that records which overrides a run applied to all pages; {} if the site has none."""
    return {DIGEST: digest} if digest else {}


def mark_pages(session: Session, site_id: int, digest: str) -> Marked:
    """Mark the stored pages to be extracted again, if the overrides differ from those of the last complete run."""
    if CrawlRepository(session).last_figures(site_id).get(DIGEST, "") == digest:
        return Marked()
    return Marked(*LayoutRepository(session).unsettle_all(site_id))
