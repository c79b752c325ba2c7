"""Fetches one page for a user, with the address rules and limits of a crawl.

Every connection is checked against the rules, which covers redirects and names that change their address. There are no
cookies, no stored credentials and no cache. robots.txt is not read, because a user requests each page.
"""

import asyncio
import re
import ssl
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

import httpcore
from scrapy.settings import BaseSettings

from sitecrawl.binary_files import has_markup, is_binary
from sitecrawl.config import Config
from sitecrawl.errors import FetchFailedError, FetchRefusedError, InputError, NotHtmlError, PageTooLargeError
from sitecrawl.links.urls import fetchable_url, masked, url_problem
from sitecrawl.middlewares.compression import BrokenBodyError, TooLargeBodyError, gunzip, inflate
from sitecrawl.printable import visible
from sitecrawl.service.places import FETCHES
from sitecrawl.settings import USER_AGENT
from sitecrawl.shell.addresses import AddressRules, literal_address, parse_allowances
from sitecrawl.shell.internet import IpAddress
from sitecrawl.shell.resolver import MOST, addresses_of, ascii_name

HTML: Final = frozenset(("text/html", "application/xhtml+xml"))
REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
REASONS: Final = {
    "address": "not a public address; the operator can open it: -s SITECRAWL_ALLOWED_ADDRESSES=NETWORK:PORT",
    "port": "not a port of the web; the operator can open it: -s SITECRAWL_ALLOWED_ADDRESSES=NETWORK:PORT",
    "scheme": "only http and https are fetched",
    "user_info": "a URL with a user name is not fetched",
    "malformed": "not a URL",
}
"""The message about a refused URL, by the reason that `AddressRules.refusal` returns."""
_FAILURES: Final = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
_LOOKUPS: Final = ThreadPoolExecutor(FETCHES, "lookup")
"""Threads for name look-ups only: a slow name server must not occupy the threads that clean pages."""
CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one fetch; the defaults are those of a crawl."""

    seconds: float = 30.0
    """Maximum seconds for the whole page, redirects included."""
    size: int = 10 * 2**20
    """Maximum bytes of a body, both as sent and when decompressed."""
    redirects: int = 10
    user_agent: str = USER_AGENT
    certificates: bool = True
    """Whether certificates are verified."""

    @classmethod
    def of(cls, settings: BaseSettings) -> "Limits":
        """Return the limits in Scrapy's settings."""
        usual = cls()
        return cls(
            settings.getfloat("DOWNLOAD_TIMEOUT", usual.seconds),
            settings.getint("DOWNLOAD_MAXSIZE", usual.size),
            settings.getint("REDIRECT_MAX_TIMES", usual.redirects),
            settings.get("USER_AGENT", usual.user_agent),
            settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES", True),
        )


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as sent by the server."""

    url: str
    """The URL after redirects."""
    body: bytes
    charset: str | None
    """The charset that the header declares."""


class Fetcher:
    """Fetches pages, each with its own connections."""

    def __init__(self, config: Config, limits: Limits) -> None:
        """Raise ConfigError if the allowed addresses cannot be parsed."""
        self.limits = limits
        self._allowances = parse_allowances(config.allowed_addresses)
        self._proxy_url, self._proxy = config.proxy, _proxy(config.proxy)
        self._tls = ssl.create_default_context()
        if not limits.certificates:
            self._tls.check_hostname, self._tls.verify_mode = False, ssl.CERT_NONE

    async def fetch(self, url: str) -> Fetched:
        """Fetch and return a page.

        Raises InputError for an invalid URL, FetchRefusedError for an address that may not be fetched,
        FetchFailedError, NotHtmlError, and PageTooLargeError.
        """
        try:
            async with asyncio.timeout(self.limits.seconds), AsyncExitStack() as stack:
                rules = AddressRules(None, self._allowances)
                if self._proxy_url:
                    rules.trust_proxy(self._proxy_url)
                pool = httpcore.AsyncConnectionPool(
                    ssl_context=self._tls, network_backend=_GuardedNetwork(rules), proxy=self._proxy
                )
                return await self._follow(url, rules, await stack.enter_async_context(pool))
        except TimeoutError as error:
            raise FetchFailedError(f"{url}: no complete page within {self.limits.seconds:g} s") from error
        except _FAILURES as error:
            reason = visible(" ".join(str(error).split()))[:200]
            raise FetchFailedError(f"{url}: {reason or type(error).__name__}") from error

    async def _follow(self, url: str, rules: AddressRules, pool: httpcore.AsyncConnectionPool) -> Fetched:
        """Return the page, following redirects."""
        here = fetchable_url(url)
        if here is None:
            shown = visible(masked(url))[:200]
            raise InputError(f"{shown!r}: {url_problem(url)}; give the http or https URL of a page")
        for _ in range(self.limits.redirects + 1):
            reason = rules.refusal(here)
            if reason is not None:
                raise FetchRefusedError(f"refused: {here}: {REASONS[reason]}")
            found = await self._get(here, pool)
            if isinstance(found, Fetched):
                return found
            target = _joined(here, found)
            if target is None:
                raise FetchFailedError(f"{here}: redirects to {visible(found)[:200]!r}, which is not a URL")
            here = target
        raise FetchFailedError(f"{url}: over {self.limits.redirects} redirects")

    async def _get(self, url: str, pool: httpcore.AsyncConnectionPool) -> Fetched | str:
        """Return the page at a URL, or the target of its redirect."""
        headers = [
            ("User-Agent", self.limits.user_agent),
            ("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"),
            ("Accept-Encoding", "gzip, deflate"),
        ]
        async with pool.stream("GET", url, headers=headers) as response:
            received = {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
            if response.status in REDIRECTS and received.get("location"):
                return received["location"]
            if response.status != 200:
                raise FetchFailedError(f"{url}: the site answered with status {response.status}")
            declared = received.get("content-type", "")
            if declared and declared.partition(";")[0].strip().lower() not in HTML:
                raise NotHtmlError(url, f"not HTML ({visible(declared)[:100]})")
            body = _decompressed(url, await self._body(url, response), received, self.limits.size)
            if is_binary(body) or not (declared or has_markup(body)):
                raise NotHtmlError(url, "not HTML, as its first bytes show")
            charset = CHARSET.search(declared)
            return Fetched(url, body, charset[1] if charset else None)

    async def _body(self, url: str, response: httpcore.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_stream():
            body += chunk
            if len(body) > self.limits.size:
                raise _too_large(url, self.limits.size)
        return bytes(body)


class _GuardedNetwork(httpcore.AsyncNetworkBackend):
    """A network backend that connects only to those addresses of a name that the rules allow."""

    def __init__(self, rules: AddressRules) -> None:
        self._rules = rules
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (of httpcore)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection to the first address that accepts. Raises FetchRefusedError, httpcore.ConnectError."""
        try:
            allowed = await allowed_addresses(self._rules, host, port)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in allowed:
            try:
                return await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


def _joined(url: str, location: str) -> str | None:
    """Return the target URL of a redirect; None if it cannot be fetched."""
    try:
        return fetchable_url(urljoin(url, location))
    except ValueError:
        return None


async def allowed_addresses(rules: AddressRules, host: str, port: int) -> list[IpAddress]:
    """Return those addresses of a host name or literal that the rules allow, at most MOST.

    Raises FetchRefusedError if the rules allow none of them, OSError if it has none.
    """
    literal = literal_address(host)
    try:
        look_up = asyncio.get_running_loop().run_in_executor
        found = [literal] if literal else await look_up(_LOOKUPS, addresses_of, ascii_name(host))
    except (OSError, ValueError) as error:
        raise OSError(f"{host} could not be looked up: {error}") from error
    allowed = rules.admitted(host, port, found)[:MOST]
    if not allowed and host.rstrip(".") in rules.refused:
        raise FetchRefusedError(f"refused: {rules.refused[host.rstrip('.')].why}")
    return allowed


def _decompressed(url: str, body: bytes, headers: Mapping[str, str], most: int) -> bytes:
    """Return a decompressed body. Raises FetchFailedError for a damaged one, and PageTooLargeError."""
    try:
        for encoding in reversed([one.strip().lower() for one in headers.get("content-encoding", "").split(",")]):
            if encoding in ("gzip", "x-gzip"):
                body = gunzip(body, most)
            elif encoding == "deflate":
                body = inflate(body, most)
            elif encoding not in ("", "identity"):
                raise FetchFailedError(f"{url}: compressed as {visible(encoding)[:40]!r}, which was not requested")
    except TooLargeBodyError as error:
        raise _too_large(url, most) from error
    except (BrokenBodyError, zlib.error, ValueError, EOFError, OSError) as error:
        raise FetchFailedError(f"{url}: the body is damaged: {visible(str(error))[:200]}") from error
    return body


def _too_large(url: str, most: int) -> PageTooLargeError:
    return PageTooLargeError(url, f"over {most} bytes (DOWNLOAD_MAXSIZE)")


def _proxy(url: str) -> httpcore.Proxy | None:
    """Return the proxy that SITECRAWL_PROXY names; None if it is empty."""
    if not url:
        return None
    parts: SplitResult = urlsplit(url)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    auth = (unquote(parts.username or ""), unquote(parts.password or "")) if parts.username else None
    return httpcore.Proxy(bare, auth=auth)
