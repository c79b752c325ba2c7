"""Rules for the addresses to which a crawl may connect; they do not depend on Scrapy or Twisted.

The addresses to which the start host of a site may resolve are decided at its first crawl and stored with the site
(`Reach`). All other hosts of a crawl must have public addresses, or addresses in SITECRAWL_ALLOWED_ADDRESSES.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from sitecrawl.errors import ConfigError
from sitecrawl.shell.internet import IpAddress, is_public, unmapped

PORTS: Final = frozenset((80, 443, 8080, 8443))
ANY_PORT: Final = 0
"""Stands for an unknown port: Twisted resolves the name of a proxy without a port."""
PUBLIC: Final = "public"
"""The stored form of a `Reach` without private addresses."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_LOCAL_NAMES: Final = (".localhost", ".local", ".internal")
_ALLOWANCE: Final = re.compile(
    r"(?:\[(?P<bracketed>[^\]]+)\]:|(?P<v4>[\d./]+):|(?P<any>\S+)\s+)(?P<port>[0-9]{1,5})", re.ASCII
)


class Allowance(NamedTuple):
    """A network and port that the operator has allowed."""

    network: ipaddress.IPv4Network | ipaddress.IPv6Network
    port: int

    def covers(self, address: IpAddress, port: int) -> bool:
        """Return whether this allowance covers an address at a port; an unknown port matches any."""
        return address in self.network and port in (self.port, ANY_PORT)


def parse_allowances(entries: Sequence[str]) -> tuple[Allowance, ...]:
    """Return the allowances in `10.0.0.0/8:8080`, `[fd00::/8]:8080` or `fd00::/8 8080`, else raise ConfigError."""
    return tuple(_allowance(entry) for entry in entries)


def _allowance(entry: str) -> Allowance:
    found = _ALLOWANCE.fullmatch(entry.strip())
    try:
        if found is None:
            raise ValueError(entry)
        network = ipaddress.ip_network(found["bracketed"] or found["v4"] or found["any"])
        port = int(found["port"])
        if not 0 < port < 65_536:
            raise ValueError(port)
    except ValueError as error:
        raise ConfigError(
            f"SITECRAWL_ALLOWED_ADDRESSES: {entry!r} is not a network and a port, such as 10.0.0.0/8:8080"
            " or [fd00::/8]:8080"
        ) from error
    return Allowance(network, port)


def literal_address(host: str) -> IpAddress | None:
    """Return the address of a host literal in any spelling (127.1, hex, octal, decimal); None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        try:
            return ipaddress.ip_address(socket.inet_ntoa(socket.inet_aton(host)))
        except (OSError, ValueError):
            return None


def is_local_name(host: str) -> bool:
    """Return whether a name does not belong to the public DNS: `localhost`, a single label, .local, .internal."""
    return literal_address(host) is None and ("." not in host or host.endswith(_LOCAL_NAMES))


def is_loopback(url: str) -> bool:
    """Return whether a URL is on this machine, where politeness is not needed."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def port_of(url: str) -> int:
    """Return the port of a URL, or the default of its scheme; 0 if it is missing or invalid."""
    parts = urlsplit(url)
    try:
        return parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class Reach:
    """The addresses to which a site's start host may resolve: all public ones, and the private ones listed here."""

    private: frozenset[IpAddress] = frozenset()

    @classmethod
    def of(cls, addresses: Iterable[IpAddress]) -> "Reach":
        """Return the reach of a host with these addresses; if one of them is public, the host is public."""
        found = frozenset(unmapped(address) for address in addresses)
        return cls() if any(is_public(address) for address in found) else cls(found)

    @classmethod
    def parse(cls, stored: str) -> "Reach":
        """Return the reach in its stored form, the output of `str`."""
        return cls() if stored == PUBLIC else cls(frozenset(ipaddress.ip_address(one) for one in stored.split()))

    def __str__(self) -> str:
        """Return `public`, or the private addresses separated by spaces."""
        return " ".join(sorted(map(str, self.private))) or PUBLIC


class Refusal(NamedTuple):
    """The reason why a name was refused that resolved to a forbidden address."""

    why: str
    address: IpAddress
    port: int

    def remedy(self, site: str) -> str:
        """Return advice for the user in case the site was moved on purpose or is gone; `site` is its name."""
        shown = f"[{self.address}]" if self.address.version == 6 else str(self.address)
        return (
            f"if the site is gone for good, delete its stored data: sitecrawl sites forget {site};"
            f" if it is meant to be there, add: -s SITECRAWL_ALLOWED_ADDRESSES={shown}:{self.port}"
        )


class Witness(Protocol):
    """Receives the forbidden addresses of a name."""

    def left_out(self, host: str, address: IpAddress) -> None:
        """Record a forbidden address of a host that also has allowed ones."""


class AddressRules:
    """The rules for the addresses, hosts and ports to which one crawl may connect."""

    def __init__(
        self,
        start_url: str | None,
        allowances: Sequence[Allowance] = (),
        *,
        reach: Reach | None = None,
        witness: Witness | None = None,
    ) -> None:
        """`reach` applies to the start host; while it is None (undecided), only public addresses are allowed."""
        self.allowances = tuple(allowances)
        self.reach = reach
        self.refused: dict[str, Refusal] = {}
        """Refused names with their reasons, since Twisted reports only that there is no address."""
        self.own: tuple[str, int] | None = None
        self.proxies: set[tuple[str, int]] = set()
        """(host, port) of the proxies that the operator named (`trust_proxy`)."""
        self._witness = witness
        if start_url:
            parts = urlsplit(start_url)
            self.own = ((parts.hostname or "").rstrip("."), parts.port or _DEFAULT_PORTS.get(parts.scheme, 0))

    def refusal(self, url: str) -> str | None:
        """Return why a URL may not be fetched, or None if it may."""
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
            if self._allowed(address, port):
                return None
            if not is_public(address):
                return "address"
        elif host == "localhost" or host.endswith(_LOCAL_NAMES):
            return "address"
        return None if port in PORTS else "port"

    def is_own(self, host: str) -> bool:
        """Return whether a host is that of the start URL."""
        return self.own is not None and host.rstrip(".") == self.own[0]

    def trust_proxy(self, url: str) -> None:
        """Allow connections to a proxy, whatever its address: the operator named it, and no page can."""
        self.proxies.add(((urlsplit(url).hostname or "").rstrip("."), port_of(url)))

    def may_connect(self, host: str, address: IpAddress, port: int = ANY_PORT) -> bool:
        """Return whether a crawl may connect to an address of a host at a port."""
        if is_public(address) or self._allowed(address, port):
            return True
        if any(name == host and port in (own, ANY_PORT) for name, own in self.proxies):
            return True
        return self.is_own(host) and self.reach is not None and unmapped(address) in self.reach.private

    def admitted(self, host: str, port: int, addresses: Sequence[IpAddress]) -> list[IpAddress]:
        """Return the allowed addresses of a host; record a refusal if there are none."""
        host = host.rstrip(".")
        good = [address for address in addresses if self.may_connect(host, address, port)]
        bad = [address for address in addresses if address not in good]
        if bad and not good:
            self.refused[host] = self._refusal(host, unmapped(bad[0]), port)
            return []
        if addresses:
            self.refused.pop(host, None)
        if self._witness is not None:
            for address in bad:
                self._witness.left_out(host, address)
        return good

    def decide(self, addresses: Sequence[IpAddress], *, known: bool) -> Reach | None:
        """Return the reach of a start host with these addresses; None if it cannot be decided.

        It cannot be decided if pages of the site are `known` from a time when the reach was not recorded, since a name
        that is private now may have been public then. For names that are never public, and for addresses that the
        operator allows, it is always decided.
        """
        assert self.own is not None
        host, port = self.own
        reach = Reach.of(addresses)
        clear = not known or not reach.private or literal_address(host) is not None or is_local_name(host)
        if clear or all(self._allowed(address, port) for address in reach.private):
            return reach
        return None

    def _allowed(self, address: IpAddress, port: int) -> bool:
        return any(allowance.covers(unmapped(address), port) for allowance in self.allowances)

    def _refusal(self, host: str, address: IpAddress, port: int) -> Refusal:
        why = f"{host} resolves to {address}, which is not a public address"
        if self.is_own(host):
            if self.reach is None:
                why += "; its pages were fetched before sitecrawl recorded whether its address was public"
            elif self.reach.private:
                why = f"{host} resolves to {address}; at its first crawl it was at {self.reach}"
            else:
                why += "; at its first crawl it was at one"
        return Refusal(why, address, port)
