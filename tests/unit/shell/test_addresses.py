import ipaddress

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.shell.addresses import ANY_PORT, AddressRules, Reach, is_local_name, parse_allowances, port_of


def addresses(*texts):
    return [ipaddress.ip_address(text) for text in texts]


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("http://example.org/", 80),
        ("https://example.org/", 443),
        ("https://example.org:8443/x", 8443),
        ("http://[2001:db8::1]:81/", 81),
        ("http://example.org:99999/", 0),
        ("http://example.org:x/", 0),
        ("file:///etc/passwd", 0),
    ],
)
def test_the_port_of_a_url(url, port):
    assert port_of(url) == port


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/",
        "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://169.254.169.254/latest", "http://localhost/", "http://db.internal/",
        "http://user:pw@example.org/", "http://example.org:22/", "file:///etc/passwd", "ftp://example.org/", "http://[bad/",
        "http://192.0.0.192/", "http://[64:ff9b::a00:1]/", "http://[2002:a00:1::1]/", "http://[::10.0.0.1]/", "http://[fec0::1]/",
    ],
)  # fmt: skip
def test_what_is_not_the_public_web_is_refused(url):
    assert AddressRules("https://example.org/").refusal(url) is not None


def test_the_start_url_and_the_public_web_are_allowed():
    rules = AddressRules("http://127.0.0.1:8000/start")
    assert rules.refusal("http://127.0.0.1:8000/page") is None
    assert rules.refusal("http://127.0.0.1:8001/page") == "address"
    assert rules.refusal("https://example.org/") is None


@pytest.mark.parametrize("entry", ["10.0.0.0/8:9000", "10.0.0.0/8 9000", "::ffff:a00:0/104 9000"])
def test_an_allowance_opens_one_network_and_port(entry):
    rules = AddressRules("https://example.org/", parse_allowances([entry.replace("::ffff:a00:0/104", "10.0.0.0/8")]))
    assert rules.refusal("http://10.1.2.3:9000/") is None
    assert rules.refusal("http://10.1.2.3:9001/") == "address"
    assert rules.refusal("http://[::ffff:10.1.2.3]:9000/") is None


@pytest.mark.parametrize("entry", ["[fd00::/8]:8080", "fd00::/8 8080", "[fd00::1]:8080"])
def test_an_allowance_may_be_an_ipv6_network(entry):
    rules = AddressRules("https://example.org/", parse_allowances([entry]))
    assert rules.refusal("http://[fd00::1]:8080/") is None
    assert rules.refusal("http://[fe80::1]:8080/") == "address"


@pytest.mark.parametrize("entry", ["everything", "10.0.0.0", "10.0.0.0/8:", "10.0.0.0/99:80", "10.0.0.1:0", "10.0.0.1:70000", "a:80", "fd00::/8:80", "10.0.0.1:8²"])  # fmt: skip
def test_a_wrong_allowance_is_named_with_a_right_one(entry):
    with pytest.raises(ConfigError, match=r"SITECRAWL_ALLOWED_ADDRESSES.*10\.0\.0\.0/8:8080 or \[fd00::/8\]:8080"):
        parse_allowances([entry])


def test_only_the_start_host_may_be_at_a_private_address_and_only_at_those_of_its_first_crawl():
    reach = Reach.of(addresses("10.0.0.1", "fd00::1"))
    rules = AddressRules("https://intranet.example/", reach=reach)
    assert not rules.may_connect("evil.example", *addresses("10.0.0.1"))
    assert rules.may_connect("evil.example", *addresses("93.184.216.34"))
    assert rules.may_connect("intranet.example", *addresses("10.0.0.1"))
    assert rules.may_connect("intranet.example.", *addresses("::ffff:10.0.0.1"))
    assert rules.may_connect("intranet.example", *addresses("93.184.216.34"))
    assert not rules.may_connect("intranet.example", *addresses("10.0.0.2"))


@pytest.mark.parametrize("reach", [None, Reach()])
def test_a_public_or_undecided_start_host_may_not_turn_private(reach):
    rules = AddressRules("https://example.org/", reach=reach)
    assert rules.admitted("example.org", 443, addresses("169.254.169.254")) == []
    why, address, port = rules.refused["example.org"]
    assert why.startswith("example.org resolves to 169.254.169.254, which is not a public address; ")
    assert (str(address), port) == ("169.254.169.254", 443)
    remedy = rules.refused["example.org"].remedy("example.org")
    assert "sitecrawl sites forget example.org" in remedy
    assert remedy.endswith("-s SITECRAWL_ALLOWED_ADDRESSES=169.254.169.254:443")
    assert rules.admitted("example.org", 443, addresses("93.184.216.34")) == addresses("93.184.216.34")
    assert rules.refused == {}


def test_a_private_address_beside_public_ones_is_left_out_and_told():
    told = []

    class Told:
        def left_out(self, host, address):
            told.append((host, str(address)))

    rules = AddressRules("https://example.org/", reach=Reach(), witness=Told())
    given = addresses("10.0.0.1", "93.184.216.34", "fd00::1", "2606:4700::1111")
    assert rules.admitted("example.org", 443, given) == addresses("93.184.216.34", "2606:4700::1111")
    assert told == [("example.org", "10.0.0.1"), ("example.org", "fd00::1")]
    assert rules.refused == {}


def test_a_proxy_that_the_operator_named_may_be_anywhere():
    rules, inside = AddressRules("https://example.org/"), ipaddress.ip_address("10.9.1.1")
    assert not rules.may_connect("proxy.example", inside, 3128)
    rules.trust_proxy("http://proxy.example:3128")
    rules.trust_proxy("http://10.9.1.1")
    assert rules.may_connect("proxy.example", inside, 3128)
    assert rules.may_connect("proxy.example", inside, ANY_PORT)
    assert rules.may_connect("10.9.1.1", inside, 80)
    assert not rules.may_connect("proxy.example", inside, 80)
    assert not rules.may_connect("other.example", inside, 3128)
    assert rules.refusal("http://10.9.1.1/") == "address"  # a page there is no proxy


def test_an_allowance_counts_for_names_at_its_port_only():
    rules = AddressRules("https://example.org/", parse_allowances(["10.0.0.0/8:8080"]), reach=Reach())
    for host in ("example.org", "www.example.org"):
        assert rules.may_connect(host, *addresses("10.0.0.1"), 8080)
        assert not rules.may_connect(host, *addresses("10.0.0.1"), 80)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (["93.184.216.34"], "public"),
        (["10.0.0.1", "93.184.216.34"], "public"),
        (["10.0.0.2", "::ffff:10.0.0.1", "fd00::1"], "10.0.0.1 10.0.0.2 fd00::1"),
    ],
)
def test_a_reach_is_stored_as_text(given, stored):
    reach = Reach.of(addresses(*given))
    assert str(reach) == stored
    assert Reach.parse(stored) == reach


@pytest.mark.parametrize(
    ("url", "given", "known", "decided"),
    [
        ("http://example.org/", "93.184.216.34", False, "public"),
        ("http://example.org/", "10.0.0.1", False, "10.0.0.1"),
        ("http://example.org/", "93.184.216.34", True, "public"),
        ("http://example.org/", "10.0.0.1", True, None),
        ("http://example.org:8080/", "10.9.0.1", True, "10.9.0.1"),  # allowed
        ("http://example.org/", "10.9.0.1", True, None),  # allowed at another port
        ("http://localhost:8000/", "127.0.0.1", True, "127.0.0.1"),
        ("http://wiki/", "10.0.0.1", True, "10.0.0.1"),
        ("http://10.0.0.1/", "10.0.0.1", True, "10.0.0.1"),
    ],
)
def test_what_a_start_host_may_resolve_to_is_decided_once(url, given, known, decided):
    rules = AddressRules(url, parse_allowances(["10.9.0.0/16:8080"]))
    reach = rules.decide(addresses(given), known=known)
    assert (None if reach is None else str(reach)) == decided


@pytest.mark.parametrize(
    ("host", "local"),
    [("localhost", True), ("a.localhost", True), ("wiki", True), ("db.internal", True), ("printer.local", True), ("example.org", False), ("10.0.0.1", False), ("::1", False)],
)  # fmt: skip
def test_names_that_are_never_public(host, local):
    assert is_local_name(host) is local
