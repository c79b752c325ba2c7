"""Decides which URLs belong to a website."""

from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ConfigError
from sitecrawl.links.urls import UrlParts, masked, split_url, url_problem, without_www

if TYPE_CHECKING:
    from tldextract import TLDExtract

SCOPES: Final = ("host", "domain")


@dataclass(frozen=True, slots=True)
class SiteScope:
    """One website: a host, for any scheme and with or without `www.`, or a whole registrable domain."""

    key: str
    """Name of the site in the database: host or domain, with the port unless it is the default (`example.org`,
    `127.0.0.1:8000`)."""
    scope: str = "host"
    """`host` or `domain`."""

    @classmethod
    def of(cls, url: str, scope: str = "host") -> "SiteScope":
        """Return the site of a start URL.

        With scope `domain`, hosts without a registrable domain (addresses, `localhost`, a public suffix such as
        `github.io` itself) get the scope `host`. Raises ConfigError for an unusable URL and for an unknown scope.
        """
        if scope not in SCOPES:
            raise ConfigError(f"site scope {scope!r} cannot be used: one of {', '.join(SCOPES)}")
        parts = split_url(url)
        if parts is None:
            whole = None if "//" in url or url.lower().startswith(("http:", "https:")) else split_url(f"https://{url}")
            meant = "https://example.org/" if whole is None else whole.url
            raise ConfigError(f"{masked(url)!r:.200}: {url_problem(url)}; give a start URL such as {meant:.200}")
        domain = registrable_domain(parts.host) if scope == "domain" else None
        if domain is None:
            return cls(parts.site)
        return cls(domain if parts.port is None else f"{domain}:{parts.port}", "domain")

    def contains(self, url: str) -> bool:
        """Return whether an absolute URL belongs to the site; False for a URL that cannot be fetched."""
        parts = split_url(url)
        return parts is not None and self.contains_parts(parts)

    def contains_parts(self, parts: UrlParts) -> bool:
        """Return whether a URL that is already split belongs to the site."""
        if self.scope == "host":
            return parts.site == self.key
        domain, _, port = self.key.partition(":")
        if (str(parts.port) if parts.port is not None else "") != port:
            return False
        return parts.host == domain or (parts.host.endswith(f".{domain}") and registrable_domain(parts.host) == domain)


def registrable_domain(host: str) -> str | None:
    """Return the public suffix of a host and one more label, or None if there is no suffix.

    Private suffixes count, so `foo.github.io` is a registrable domain. The list is the one bundled with tldextract;
    nothing is downloaded.
    """
    if host.startswith("["):
        return None
    try:
        ip_address(host)
    except ValueError:
        return public_suffixes()(without_www(host)).top_domain_under_public_suffix or None
    return None


@cache
def public_suffixes() -> "TLDExtract":
    """Return the list of public suffixes; loaded on first use, which sites of a single host never need."""
    from tldextract import TLDExtract  # noqa: PLC0415

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
