import ipaddress
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.shell.internet import is_public, unmapped

PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::10.0.0.1",
    "::8.8.8.8",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:8.8.8.8",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::10.0.0.1",
    "64:ff9b:1:a00:0:100::",
    "64:ff9b:1:a:0:1::",
    "64:ff9b:1:1200:a:0:100:0",
    "64:ff9b:1:ffff:ff:ffff::",
    "64:ff9b:2::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:808:808::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:a00:1::1",
    "2002:a9fe:a9fe::1",
    "2606:4700::5efe:10.0.0.1",
    "2606:4700::200:5efe:10.0.0.1",
    "3fff::1",
    "3fff:fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "feff::1",
    "ff02::1",
    "ff0e::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "198.17.0.1",
    "198.20.0.1",
    "223.255.255.254",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::8.8.8.8",
    "64:ff9b:1:fffe::8.8.8.8",
    "64:ff9b:1:808:8:800::",
    "2002:808:808::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2606:4700::5efe:8.8.8.8",
    "3ffe::1",
]


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_not_on_the_public_internet(text):
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_addresses_of_the_internet_are_public(text):
    assert is_public(ipaddress.ip_address(text))


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_is_judged_the_same_in_each_form_that_carries_it(number):
    plain = IPv4Address(number)
    carried = [
        IPv6Address((0xFFFF << 32) | number),
        IPv6Address((0x64FF9B << 96) | number),
        IPv6Address((0x2002 << 112) | (number << 80) | 1),
        IPv6Address((0x2606_4700 << 96) | (0x5EFE << 32) | number),
    ]
    assert {is_public(one) for one in carried} == {is_public(plain)}
    assert unmapped(carried[0]) == plain
    assert not is_public(IPv6Address(number))


@given(st.integers(1 << 24, (240 << 24) - 1), st.sampled_from((48, 56, 64, 96)))
def test_no_private_address_passes_in_a_prefix_of_a_network_that_translates_for_itself(number, length):
    """RFC 6052, section 2.2: the position of the IPv4 address for each prefix length, for routed addresses."""
    if length == 96:
        carried = number
    else:
        before = 64 - length
        carried = number >> (32 - before) << 64 | (number & ((1 << (32 - before)) - 1)) << (24 + before)
    address = IPv6Address((0x64FF9B_0001 << 80) | carried)
    assert is_public(IPv4Address(number)) or not is_public(address)


@given(st.integers(0, 2**128 - 1))
def test_python_calls_nothing_private_that_passes(number):
    address = IPv6Address(number)
    if is_public(address) and address.ipv4_mapped is None and address.sixtofour is None:
        assert address.is_global or address in ipaddress.ip_network("64:ff9b::/32")
