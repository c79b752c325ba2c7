"""The decisions of a proxy that cleans pages on their way to the browser; `mitmproxy_addon` applies them."""

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
"""The default method: it edits the page, so that a browser still shows it with the site's own styles."""
DOCUMENTS: Final = ("", "document")
"""Values of `Sec-Fetch-Dest` in a browser's request for a page to show, and in requests of other clients."""


class PageProxy:
    """Decides what may be requested, and cleans pages."""

    def __init__(self, settings: Mapping[str, Any], sites: str | None) -> None:
        """Raise ConfigError for invalid settings, or an invalid file of settings by host."""
        config = Config.from_mapping(settings)
        if "SITECRAWL_EXTRACTOR" not in settings:
            config = config.replaced({"extractor": METHOD})
        self._allowances = parse_allowances(config.allowed_addresses)
        self._cleaner = Cleaner(config)
        self._sites = read_site_settings(sites, config)

    async def check(self, url: str) -> None:
        """Raise FetchRefusedError for a URL that may not be requested, OSError for a host without an address."""
        rules = AddressRules(None, self._allowances)
        reason = rules.refusal(url)
        if reason is not None:
            raise FetchRefusedError(f"refused: {url}: {REASONS[reason]}")
        await allowed_addresses(rules, urlsplit(url).hostname or "", port_of(url))

    async def address(self, host: str, port: int) -> str:
        """Return the address to connect to. Raises FetchRefusedError, and OSError for a host without an address."""
        allowed = await allowed_addresses(AddressRules(None, self._allowances), host, port)
        if not allowed:
            raise OSError(f"{host} has no address")
        return str(allowed[0])

    def cleans(self, method: str, status: int, content_type: str, destination: str) -> bool:
        """Return whether a response is a page to clean: HTML that was requested to be shown, or by another client."""
        html = content_type.partition(";")[0].strip().lower() in HTML
        return html and (method, status) == ("GET", 200) and destination in DOCUMENTS

    async def cleaned(self, body: bytes, content_type: str, url: str) -> Cleaned | None:
        """Return a page cleaned by the method for its host; None for a page that is passed on unchanged.

        Empty pages, and pages without main content (perhaps pages of links), are passed on unchanged. Raises PageError
        for an unreadable page, ExtractorError for a method that needs a template.
        """
        charset = CHARSET.search(content_type)
        choice: Choice = self._sites.choice(url)
        try:
            return await self._cleaner.clean(decoded(body, charset[1] if charset else None), url, choice, "html")
        except (EmptyPageError, NoContentError):
            return None


def unsafe_listening(host: str, password: str | None) -> str | None:
    """Return why a proxy may not listen at a host ("" for all addresses) with this password; None if it may."""
    if password or is_loopback(host):
        return None
    where = host or "all addresses"
    return f"{where}: other machines can reach the proxy; give --listen-host 127.0.0.1, or --proxyauth NAME:PASSWORD"
