import ipaddress

import pytest
from twisted.internet.error import DNSLookupError

from sitecrawl.errors import ConfigError
from sitecrawl.network import AddressRules, GuardedResolver, parse_allowances


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/",
        "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://169.254.169.254/latest", "http://localhost/", "http://db.internal/",
        "http://user:pw@example.org/", "http://example.org:22/", "file:///etc/passwd", "ftp://example.org/", "http://[bad/",
    ],
)  # fmt: skip
def test_what_is_not_the_public_web_is_refused(url):
    assert AddressRules("https://example.org/").refusal(url) is not None


def test_the_start_url_and_the_public_web_are_allowed():
    rules = AddressRules("http://127.0.0.1:8000/start")
    assert rules.refusal("http://127.0.0.1:8000/page") is None
    assert rules.refusal("http://127.0.0.1:8001/page") == "address"
    assert rules.refusal("https://example.org/") is None


def test_an_allowance_opens_one_network_and_port():
    rules = AddressRules("https://example.org/", parse_allowances(["10.0.0.0/8:9000"]))
    assert rules.refusal("http://10.1.2.3:9000/") is None
    assert rules.refusal("http://10.1.2.3:9001/") == "address"
    with pytest.raises(ConfigError, match="SITECRAWL_ALLOWED_ADDRESSES"):
        parse_allowances(["10.0.0.0"])


def test_a_name_may_not_resolve_to_a_private_address_unless_it_is_the_start():
    rules = AddressRules("https://intranet.example/")
    assert not rules.may_connect("evil.example", ipaddress.ip_address("10.0.0.1"))
    assert rules.may_connect("evil.example", ipaddress.ip_address("93.184.216.34"))
    assert rules.may_connect("intranet.example", ipaddress.ip_address("10.0.0.1"))


def test_the_resolver_remembers_which_names_it_refused():
    resolver = object.__new__(GuardedResolver)
    rules = AddressRules("https://example.org/")
    GuardedResolver.ask("good.example.org", rules)
    GuardedResolver.ask("evil.example.org", rules)
    assert resolver._checked("93.184.216.34", "good.example.org") == "93.184.216.34"
    with pytest.raises(DNSLookupError, match="not a public address"):
        resolver._checked("169.254.169.254", "evil.example.org.")
    assert rules.refused == {"evil.example.org"}


def test_each_crawl_of_a_process_has_its_own_rules():
    resolver = object.__new__(GuardedResolver)
    intranet = AddressRules("http://intranet.example:8000/", parse_allowances(["10.0.0.0/8:8000"]))
    public = AddressRules("https://public.example/")
    GuardedResolver.ask("intranet.example", intranet)
    GuardedResolver.ask("www.public.example", public)
    assert resolver._checked("192.168.0.1", "intranet.example") == "192.168.0.1"
    with pytest.raises(DNSLookupError):
        resolver._checked("10.1.1.1", "www.public.example")
    assert (intranet.refused, public.refused) == (set(), {"www.public.example"})


def test_a_proxy_is_held_to_the_rules_of_all_crawls():
    resolver = object.__new__(GuardedResolver)
    rules = AddressRules("https://public.example/", parse_allowances(["10.9.0.0/16:3128"]))
    GuardedResolver.ask("public.example", rules)
    assert resolver._checked("10.9.1.1", "proxy.example") == "10.9.1.1"
    with pytest.raises(DNSLookupError):
        resolver._checked("172.16.1.1", "proxy.example")
    assert rules.refused == set()
