"""Where a page leads without a link: to the target of its `meta refresh`, and into its frames."""

import re
from typing import Final, NamedTuple
from urllib.parse import urljoin

from sitecrawl.dom.page import Page
from sitecrawl.links.urls import fetchable_url, url_key

QUICK: Final = 10.0
"""Seconds up to which a page without own text is a redirect: as fast as nobody reads on. Own choice."""
SLOW: Final = 30.0
"""Seconds from which a refresh is no link: a news ticker, a slide show, a session that ends. Own choice."""
OWN_TEXT: Final = 300
"""Characters outside links, white space not counted, that a page without own text may have: "You are being redirected,
click here", in two languages. Own choice."""
MAX_LENGTH: Final = 4096
"""Characters of `content` that are read."""
_CONTENT: Final = re.compile(
    r"""\s*+(?P<seconds>\d++)(?:\.[\d.]*+)?+(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?(?P<quote>["']?)(?P<url>.*)""",
    re.IGNORECASE | re.DOTALL,
)
"""The value as the HTML standard reads it (4.2.5.3)."""


class Refresh(NamedTuple):
    """What a page asks browsers to load instead."""

    seconds: float
    href: str
    """As it is written; to be resolved against the base of the page."""


def refresh_of(page: Page) -> Refresh | None:
    """Return where a page sends its readers, None for nowhere: without an address it loads itself again."""
    found = _CONTENT.fullmatch((page.refresh or "")[:MAX_LENGTH])
    if found is None:
        return None
    href = found["url"]
    if found["quote"]:
        href = href.partition(found["quote"])[0]
    href = href.strip()
    return Refresh(float(found["seconds"][:9]), href) if href else None


def without_text(page: Page) -> bool:
    """Say whether a page has no text of its own beside links."""
    flat = page.flat
    return flat.chars[0] - flat.link_chars[0] <= OWN_TEXT


def redirects(page: Page) -> Refresh | None:
    """Return the refresh of a page that only sends its readers on to another page; its `href` is absolute.

    None for a page that has text of its own, loads itself again, or names no web address.
    """
    found = refresh_of(page)
    if found is None or found.seconds > QUICK or not without_text(page):
        return None
    try:
        target = fetchable_url(urljoin(page.base_url, found.href))
    except ValueError:
        return None
    if target is None or url_key(target) == url_key(page.url):
        return None
    return Refresh(found.seconds, target)


def for_good(page: Page, refresh: Refresh) -> bool:
    """Say whether a page has moved for good: walls and maintenance pages refresh as well, so it must say so twice."""
    canonical = page.canonical_url
    return refresh.seconds == 0 and canonical is not None and url_key(canonical) == url_key(refresh.href)


def unlinked(page: Page) -> list[str]:
    """Return the addresses that a page leads to without a link, as they are written.

    Those are the target of a refresh, and the sources of frames; of `iframe` elements only where the page has no text
    of its own, for others hold advertisements and players.
    """
    found = refresh_of(page)
    hrefs = [found.href] if found is not None and found.seconds <= SLOW else []
    frames = page.frames
    if frames:
        alone = without_text(page)
        hrefs += [src for tag, src in frames if tag == "frame" or alone]
    return hrefs
