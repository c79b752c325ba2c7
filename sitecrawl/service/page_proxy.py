"""The decisions of a proxy that cleans pages in flight; `mitmproxy_addon` makes mitmproxy obey them."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from sitecrawl.config import Config
from sitecrawl.dom.charset import decoded
from sitecrawl.errors import EmptyPageError, FetchRefusedError, NoContentError
from sitecrawl.service.cleaning import Cleaned, Cleaner
from sitecrawl.service.fetching import CHARSET, HTML, REASONS, allowed_addresses
from sitecrawl.service.site_settings import Choice, read_site_settings
from sitecrawl.shell.addresses import AddressRules, parse_allowances, port_of
from sitecrawl.ui.access import is_loopback

METHOD: Final = "crunch"
"""The method without a file of settings: it edits the page, so that a browser shows it as the site meant it."""
DOCUMENTS: Final = ("", "document")
"""Values of `Sec-Fetch-Dest` with which a browser asks for a page to show, and what other clients send."""


class PageProxy:
    """Decides what may be requested, and cleans pages."""

    def __init__(self, settings: Mapping[str, Any], sites: str | None) -> None:
        """Raises ConfigError for settings, or a file of settings by host, that cannot be used."""
        config = Config.from_mapping(settings)
        if "SITECRAWL_EXTRACTOR" not in settings:
            config = config.replaced({"extractor": METHOD})
        self._allowances = parse_allowances(config.allowed_addresses)
        self._cleaner = Cleaner(config)
        self._sites = read_site_settings(sites, config)

    async def check(self, url: str) -> None:
        """Raise FetchRefusedError for a URL that may not be requested, OSError for a host without address."""
        rules = AddressRules(None, self._allowances)
        reason = rules.refusal(url)
        if reason is not None:
            raise FetchRefusedError(f"refused: {url}: {REASONS[reason]}")
        await allowed_addresses(rules, urlsplit(url).hostname or "", port_of(url))

    async def address(self, host: str, port: int) -> str:
        """Return the address to connect to. Raises FetchRefusedError, and OSError for a host without address."""
        allowed = await allowed_addresses(AddressRules(None, self._allowances), host, port)
        if not allowed:
            raise OSError(f"{host} has no address")
        return str(allowed[0])

    def cleans(self, method: str, status: int, content_type: str, destination: str) -> bool:
        """Return whether an answer is a page to clean: HTML that a browser asked for to show it, or another client."""
        html = content_type.partition(";")[0].strip().lower() in HTML
        return html and (method, status) == ("GET", 200) and destination in DOCUMENTS

    async def cleaned(self, body: bytes, content_type: str, url: str) -> Cleaned | None:
        """Return a page as its host's method cleans it; None for a page that stays as it is.

        That is an empty page, and one in which the method finds no main content: it may be a page of links. Raises
        PageError for a page that cannot be read, ExtractorError for a method that needs a template.
        """
        charset = CHARSET.search(content_type)
        choice: Choice = self._sites.choice(url)
        try:
            return await self._cleaner.clean(decoded(body, charset[1] if charset else None), url, choice, "html")
        except (EmptyPageError, NoContentError):
            return None


def unsafe_listening(host: str, password: str | None) -> str | None:
    """Return why a proxy may not listen at a host ("" for all addresses) without a password; None if it may."""
    if password or is_loopback(host):
        return None
    where = host or "all addresses"
    return f"{where}: other machines can reach the proxy; give --listen-host 127.0.0.1, or --proxyauth NAME:PASSWORD"
