"""Links of a page other than anchors: the target of its `meta refresh`, and the sources of its frames."""

import re
from typing import Final, NamedTuple
from urllib.parse import urljoin

from sitecrawl.dom.page import Page
from sitecrawl.links.urls import fetchable_url, url_key

QUICK: Final = 10.0
"""Maximum delay in seconds of a refresh that redirects: too short for reading the page. Own choice."""
SLOW: Final = 30.0
"""Delay in seconds from which a refresh is no link: a news ticker, a slide show, a session timeout. Own choice."""
OWN_TEXT: Final = 300
"""Maximum characters outside links, without white space, of a page that counts as having no text of its own: "You are
being redirected, click here", in two languages. Own choice."""
MAX_LENGTH: Final = 4096
"""Maximum characters of `content` that are read."""
_CONTENT: Final = re.compile(
    r"""\s*+(?<!\d)(?P<seconds>\d++)(?:\.[\d.]*+)?+(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?(?P<quote>["']?)(?P<url>.*)""",
    re.IGNORECASE | re.DOTALL,
)
"""Syntax of the value in the HTML standard (4.2.5.3)."""


class Refresh(NamedTuple):
    """The target and delay of a `meta refresh`."""

    seconds: float
    href: str
    """The URL as written, relative to the base URL of the page."""


def refresh_of(page: Page) -> Refresh | None:
    """Return the refresh of a page; None without one, or if it has no URL and so only reloads the page."""
    found = _CONTENT.fullmatch((page.refresh or "")[:MAX_LENGTH])
    if found is None:
        return None
    href = found["url"]
    if found["quote"]:
        href = href.partition(found["quote"])[0]
    href = href.strip()
    return Refresh(float(found["seconds"][:9]), href) if href else None


def without_text(page: Page) -> bool:
    """Return whether a page has no text of its own apart from links."""
    flat = page.flat
    return flat.chars[0] - flat.link_chars[0] <= OWN_TEXT


def redirects(page: Page) -> Refresh | None:
    """Return the refresh, with an absolute `href`, of a page that only redirects.

    Return None for a page that has text of its own, reloads itself, or has no http(s) target.
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
    """Return whether a page has moved permanently: it refreshes at once, as bot walls do too, to its canonical URL."""
    canonical = page.canonical_url
    return refresh.seconds == 0 and canonical is not None and url_key(canonical) == url_key(refresh.href)


def unlinked(page: Page) -> list[str]:
    """Return the URLs, as written, that a page leads to without an anchor.

    These are the target of a refresh and the sources of frames. Sources of `iframe` elements count only if the page has
    no text of its own, since other iframes contain advertisements and players.
    """
    found = refresh_of(page)
    hrefs = [found.href] if found is not None and found.seconds <= SLOW else []
    frames = page.frames
    if frames:
        alone = without_text(page)
        hrefs += [src for tag, src in frames if tag == "frame" or alone]
    return hrefs
