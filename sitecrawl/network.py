"""Which addresses a crawl may reach, and the resolver that holds every name to it (RELIABILITY 4.2).

Checked is the address that is connected to, so neither a redirect nor a name that resolves to a private address gets
past. The exception is the host and port of the operator's own start URL, and what SITECRAWL_ALLOWED_ADDRESSES lists.
"""

import ipaddress
import socket
from collections.abc import Sequence
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit
from weakref import WeakSet, WeakValueDictionary

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from sitecrawl.errors import ConfigError

PORTS: Final = frozenset((80, 443, 8080, 8443))
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_LOCAL_NAMES: Final = (".localhost", ".local", ".internal")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Allowance = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, int]


def parse_allowances(entries: Sequence[str]) -> tuple[Allowance, ...]:
    """Return `CIDR port` (or `CIDR:port` for IPv4) entries as networks. Raises ConfigError naming the entry."""
    found = []
    for entry in entries:
        network, _, port = entry.replace(":", " ").rpartition(" ") if "." in entry else entry.rpartition(" ")
        try:
            found.append((ipaddress.ip_network(network.strip()), int(port)))
        except ValueError as error:
            raise ConfigError(f"SITECRAWL_ALLOWED_ADDRESSES: {entry!r} is not like 10.0.0.0/8 8080") from error
    return tuple(found)


def literal_address(host: str) -> IpAddress | None:
    """Return the address that a host literal means, in any spelling (127.1, hex, octal, decimal), None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        try:
            return ipaddress.ip_address(socket.inet_ntoa(socket.inet_aton(host)))
        except (OSError, ValueError):
            return None


def is_public(address: IpAddress) -> bool:
    """Say whether an address is on the public internet; an IPv4 address inside IPv6 counts as itself."""
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        address = mapped
    return address.is_global and not address.is_multicast


class AddressRules:
    """What one crawl may reach."""

    def __init__(self, start_url: str | None, allowances: Sequence[Allowance] = ()) -> None:
        self.allowances = tuple(allowances)
        self.refused: set[str] = set()
        """Names that resolved to an address out of reach; Twisted passes on no more than that there is none."""
        self.own: tuple[str, int] | None = None
        if start_url:
            parts = urlsplit(start_url)
            self.own = ((parts.hostname or "").rstrip("."), parts.port or _DEFAULT_PORTS.get(parts.scheme, 0))

    def refusal(self, url: str) -> str | None:
        """Return why a URL may not be fetched, None if it may."""
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").rstrip("."), parts.port or _DEFAULT_PORTS.get(parts.scheme)
        except ValueError:
            return "malformed"
        if parts.scheme not in _DEFAULT_PORTS or port is None:
            return "scheme"
        if not host or parts.username is not None or parts.password is not None:
            return "user_info"
        if (host, port) == self.own:
            return None
        address = literal_address(host)
        if address is not None:
            if any(address in network and port == allowed for network, allowed in self.allowances):
                return None
            if not is_public(address):
                return "address"
        elif host == "localhost" or host.endswith(_LOCAL_NAMES):
            return "address"
        own_port = self.own is not None and host == self.own[0] and port == self.own[1]
        return None if port in PORTS or own_port else "port"

    def may_connect(self, name: str, address: IpAddress) -> bool:
        """Say whether a name may resolve to an address."""
        if self.own is not None and name.rstrip(".") == self.own[0]:
            return True
        return is_public(address) or any(address in network for network, _ in self.allowances)


class GuardedResolver(CachingThreadedResolver):
    """Refuses names that resolve to an address which the crawl may not reach.

    A process has one resolver, whatever crawls run in it: each name is held to the rules of the crawl that asked for
    it last. A name that no crawl asked for is a proxy's, which any running crawl may have been given.
    """

    running: ClassVar[WeakSet[AddressRules]] = WeakSet()
    asked: ClassVar[WeakValueDictionary[str, AddressRules]] = WeakValueDictionary()

    @classmethod
    def ask(cls, host: str, rules: AddressRules) -> None:
        """Note by which rules a host is reached from now on."""
        cls.running.add(rules)
        cls.asked[host] = rules

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802
        """Resolve, then check."""
        found: Deferred[str] = super().getHostByName(name, timeout)
        found.addCallback(self._checked, name)
        return found

    def _checked(self, address: Any, name: str) -> Any:
        host = name.rstrip(".")
        rules = self.asked.get(host)
        reached = ipaddress.ip_address(str(address))
        if not any(one.may_connect(name, reached) for one in ((rules,) if rules is not None else self.running)):
            if rules is not None:
                rules.refused.add(host)
            raise DNSLookupError(f"{name} resolves to {address}, which is not a public address")
        return address
