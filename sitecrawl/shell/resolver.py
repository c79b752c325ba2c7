"""A resolver that applies the address rules of the crawls that request a name.

Twisted connects only to addresses that its resolver returns. A check here therefore covers every form of address and
every request: links, redirects, robots.txt, sitemaps, retries.
"""

import ipaddress
import logging
import socket
from collections.abc import Sequence
from time import monotonic
from typing import Any, ClassVar, Final, Literal, Protocol
from weakref import WeakSet

from scrapy.crawler import Crawler, CrawlerProcessBase
from scrapy.resolver import HostResolution
from scrapy.settings import BaseSettings
from scrapy.utils.datatypes import LocalCache
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IAddress, IHostnameResolver
from twisted.internet.threads import deferToThreadPool
from zope.interface import implementer

from sitecrawl.shell.addresses import AddressRules, literal_address
from sitecrawl.shell.internet import IpAddress

logger = logging.getLogger(__name__)

KEPT: Final = 300.0
"""Seconds for which the addresses of a name are cached, so that a running crawl finds a server that moves."""
NAMES: Final = 10_000
"""Number of names above which those of ended crawls are forgotten."""
MOST: Final = 4
"""Maximum addresses of a name that are tried; Twisted tries a further one every 0.3 s until one answers."""


class Receiver(Protocol):
    """Receives the addresses of a name (`twisted.internet.interfaces.IResolutionReceiver`)."""

    def resolutionBegan(self, resolution: HostResolution) -> None:  # noqa: N802
        """Receive the start of a resolution, before any address."""

    def addressResolved(self, address: IPv4Address | IPv6Address) -> None:  # noqa: N802
        """Receive one address of the name."""

    def resolutionComplete(self) -> None:  # noqa: N802
        """Receive the end of the resolution; no address follows."""


@implementer(IHostnameResolver)
class GuardedResolver:
    """Resolves names to IPv4 and IPv6 addresses, and returns only those to which the crawl may connect.

    A process has one resolver for all its crawls. A name must satisfy the rules of all crawls that requested it at that
    port; a name that no crawl requested is a proxy's, which must satisfy the rules of one running crawl. Results are
    cached for `KEPT` seconds, as Scrapy's DNSCACHE_ENABLED and DNSCACHE_SIZE say, and checked at each use.
    """

    running: ClassVar[WeakSet[AddressRules]] = WeakSet()
    asked: ClassVar[dict[tuple[str, int], WeakSet[AddressRules]]] = {}

    def __init__(self, reactor: Any, cache_size: int, timeout: float) -> None:
        self.reactor = reactor
        self.timeout = timeout
        self._cache: LocalCache[str, tuple[float, list[IpAddress]]] | None = (
            LocalCache(cache_size) if cache_size else None
        )

    @classmethod
    def from_settings(cls, settings: BaseSettings, reactor: Any) -> "GuardedResolver":
        """Return a resolver with the settings of Scrapy's own resolvers."""
        cache_size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, cache_size, settings.getfloat("DNS_TIMEOUT"))

    @classmethod
    def from_crawler(cls, crawler: Crawler | CrawlerProcessBase, reactor: Any) -> "GuardedResolver":
        """Return a resolver for a crawler, or for the process that runs it."""
        return cls.from_settings(crawler.settings, reactor)

    @classmethod
    def installed(cls, settings: BaseSettings) -> "GuardedResolver":
        """Return the resolver of this process; install one if the project uses another resolver."""
        from twisted.internet import reactor  # noqa: PLC0415  (Scrapy chooses the reactor before this)

        present: Any = reactor
        if not isinstance(present.nameResolver, cls):
            cls.from_settings(settings, reactor).install_on_reactor()
        resolver: GuardedResolver = present.nameResolver
        return resolver

    def install_on_reactor(self) -> None:
        """Make Twisted use this resolver."""
        self.reactor.installNameResolver(self)

    @classmethod
    def ask(cls, host: str, port: int, rules: AddressRules) -> None:
        """Register the rules that decide from now on to which addresses a host may resolve at a port."""
        if len(cls.asked) > NAMES:
            for place in [place for place, asking in cls.asked.items() if not asking]:
                del cls.asked[place]
        cls.running.add(rules)
        cls.asked.setdefault((host, port), WeakSet()).add(rules)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Receiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: Literal["TCP", "UDP"] = "TCP",  # noqa: N803
    ) -> HostResolution:
        """Resolve a name and pass its allowed addresses for the port to the receiver; return the resolution."""
        resolution = HostResolution(hostName)
        types = (IPv4Address, IPv6Address) if addressTypes is None else tuple(addressTypes)
        resolutionReceiver.resolutionBegan(resolution)

        async def resolve() -> None:
            try:
                for address in await self._admitted(ascii_name(hostName), portNumber):
                    kind = IPv4Address if address.version == 4 else IPv6Address
                    if kind in types:
                        resolutionReceiver.addressResolved(kind(transportSemantics, str(address), portNumber))
            except DNSLookupError as error:
                logger.debug("%s", error)  # Twisted itself reports that there is no address
            except Exception:
                logger.exception("%s could not be looked up", hostName)
            resolutionReceiver.resolutionComplete()

        Deferred.fromCoroutine(resolve())
        return resolution

    async def look_up(self, name: str) -> list[IpAddress]:
        """Return all addresses of a name or literal, IPv4 first. Raises DNSLookupError if there is none."""
        literal = literal_address(name)
        if literal is not None:
            return [literal]
        if self._cache is not None and name in self._cache:
            looked_at, known = self._cache[name]
            if monotonic() - looked_at < KEPT:
                return known
        try:
            looked = deferToThreadPool(self.reactor, self.reactor.getThreadPool(), addresses_of, name)
            found = await looked.addTimeout(self.timeout, self.reactor)
        except TimeoutError as error:
            raise DNSLookupError(f"{name} could not be looked up: no response within {self.timeout:.0f} s") from error
        except (OSError, ValueError) as error:
            raise DNSLookupError(f"{name} could not be looked up: {error}") from error
        if self._cache is not None:
            self._cache[name] = monotonic(), found
        return found

    async def _admitted(self, name: str, port: int) -> list[IpAddress]:
        host = name.rstrip(".")
        found = await self.look_up(name)
        rules = list(self.asked.get((host, port), ()))
        if rules:
            admitted = [set(one.admitted(host, port, found)) for one in rules]
            good = set.intersection(*admitted)
        else:
            good = {one for one in found if any(rule.may_connect(host, one, port) for rule in self.running)}
        return [one for one in found if one in good][:MOST]


def ascii_name(name: str) -> str:
    """Return a name in its ASCII form; Twisted passes international names decoded."""
    if name.isascii():
        return name.lower()
    from twisted.internet import _idna  # noqa: PLC0415  (the module that decoded the name, corrected by Scrapy)

    return str(_idna._idnaBytes(name), "ascii")


def addresses_of(name: str) -> list[IpAddress]:
    """Return the distinct addresses of a name, IPv4 first; without IPv6 if the machine itself has no IPv6."""
    rows = socket.getaddrinfo(name.encode(), None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    found = (ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in rows)
    return sorted(dict.fromkeys(found), key=lambda address: address.version)
