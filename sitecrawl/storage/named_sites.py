"""Finds the site that a user gives by its host, with or without `www.`, or by one of its URLs."""

from typing import Final

from sitecrawl.errors import ConfigError, UnknownSiteError
from sitecrawl.links.scope import SiteScope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.sites import SiteRef, SiteRepository

NO_SITES: Final = "no site is known yet; start with: sitecrawl crawl site -a url=https://example.org/"
"""The message about a database without sites."""
SHOWN: Final = 5
"""Maximum sites listed in the error about an unknown site."""


def named_site(session: Session, name: str, scope: str) -> SiteRef:
    """Return the site of a host or a URL.

    `scope` is SITECRAWL_SITE_SCOPE. Raises UnknownSiteError, whose message lists similar sites, and ConfigError for an
    unusable URL.
    """
    sites, keys = SiteRepository(session), site_hosts(name, scope)
    found = sites.first(keys)
    if found is None:
        others, see = _others(sites, keys[0])
        raise UnknownSiteError(f"{keys[0]}: the database holds nothing about this site; {others}", see)
    return found


def site_hosts(name: str, scope: str) -> list[str]:
    """Return the hosts under which the site of a host or a URL may be stored, the likeliest first.

    Raises ConfigError for a URL that cannot be used.
    """
    if "://" in name:
        return [SiteScope.of(name, scope).key, SiteScope.of(name).key]
    try:
        url = f"https://{name.strip()}"
        return [name, SiteScope.of(url).key, SiteScope.of(url, scope).key]
    except ConfigError:
        return [name]


def _others(sites: SiteRepository, host: str) -> tuple[str, str]:
    """Return a hint (sites with a similar name, or else some stored sites) and the command that lists more."""
    like = sites.hosts(SHOWN, like=host.removeprefix("www.").partition(":")[0])
    if like:
        return f"did you mean {' or '.join(like)}?", ""
    hosts = sites.hosts(SHOWN + 1)
    if not hosts:
        return NO_SITES, ""
    known = f"known: {', '.join(hosts[:SHOWN])}"
    return (f"{known} and more", "sitecrawl sites list") if len(hosts) > SHOWN else (known, "")
