"""Decides whether an IP address is public. An address that embeds an IPv4 address is judged by the IPv4 address."""

import ipaddress
from collections.abc import Iterator
from typing import Final

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Network4 = ipaddress.IPv4Network
Network6 = ipaddress.IPv6Network

_PRIVATE_4: Final = tuple(
    Network4(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by the customers of a provider; clouds have services there
        "127.0.0.0/8",
        "168.63.129.16/32",  # the host of a virtual machine in Azure: a public address that only the machine can reach
        "169.254.0.0/16",  # link-local, with the metadata services of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",  # IETF protocols, with the metadata service of Oracle's cloud
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_GLOBAL_6: Final = Network6("2000::/3")
_PRIVATE_6: Final = tuple(
    Network6(network)
    for network in (
        "2001::/23",  # IETF protocols: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_NAT64: Final = Network6("64:ff9b::/96")
_LOCAL_NAT64: Final = Network6("64:ff9b:1::/48")
_UNROUTED: Final = (Network4("0.0.0.0/8"), Network4("240.0.0.0/4"))
_ISATAP: Final = frozenset((0x00005EFE, 0x02005EFE))
"""Third quarter of an ISATAP address, before the IPv4 address of its machine (RFC 5214)."""
_WORD: Final = 0xFFFFFFFF


def is_public(address: IpAddress) -> bool:
    """Return whether an address is on the public internet."""
    address = unmapped(address)
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not any(address in network for network in _PRIVATE_4)
    if address in _LOCAL_NAT64:
        readings = [one for one in _readings(int(address)) if not any(one in network for network in _UNROUTED)]
        return bool(readings) and all(map(is_public, readings))
    if address in _NAT64:
        return is_public(_last_word(address))
    if address not in _GLOBAL_6 or any(address in network for network in _PRIVATE_6):
        return False
    if address.sixtofour is not None:
        return is_public(address.sixtofour)
    if int(address) >> 32 & _WORD in _ISATAP:
        return is_public(_last_word(address))
    return address.is_global


def unmapped(address: IpAddress) -> IpAddress:
    """Return the IPv4 address of `::ffff:a.b.c.d`, to which a socket connects; any other address unchanged."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def _last_word(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(int(address) & _WORD)


def _readings(number: int) -> Iterator[ipaddress.IPv4Address]:
    """Yield the IPv4 addresses that a NAT64 address may embed, one per prefix length (RFC 6052, section 2.2).

    The prefix length of a network's own translator is unknown here: 48, 56, 64 or 96 bits. Bits 64 to 71 are unused.
    """
    for length in (48, 56, 64):
        before = 64 - length
        head = number >> 64 & ((1 << before) - 1)
        tail = number >> (24 + before) & ((1 << (32 - before)) - 1)
        yield ipaddress.IPv4Address(head << (32 - before) | tail)
    yield ipaddress.IPv4Address(number & _WORD)
