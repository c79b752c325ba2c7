import ipaddress
import socket
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings
from twisted.internet import defer
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.error import DNSLookupError

from sitecrawl.shell.addresses import AddressRules, Reach, parse_allowances
from sitecrawl.shell.resolver import KEPT, MOST, NAMES, GuardedResolver, ascii_name


class Reactor:
    """Runs at once what Twisted would run in a thread, and has no clock."""

    def __init__(self):
        self.calls = []

    def getThreadPool(self):
        return self

    def callInThreadWithCallback(self, on_result, function, *arguments, **options):
        try:
            result, success = function(*arguments, **options), True
        except Exception:
            from twisted.python.failure import Failure

            result, success = Failure(), False
        on_result(success, result)

    def callFromThread(self, function, *arguments):
        function(*arguments)

    def callLater(self, seconds, function, *arguments):
        self.calls.append((seconds, function))
        return SimpleNamespace(active=lambda: True, cancel=lambda: None)


class Receiver:
    def __init__(self):
        self.found, self.complete = [], False

    def resolutionBegan(self, resolution):
        assert not self.found

    def addressResolved(self, address):
        self.found.append(address)

    def resolutionComplete(self):
        self.complete = True

    @property
    def hosts(self):
        return [address.host for address in self.found]


@pytest.fixture(autouse=True)
def nobody_asked(monkeypatch):
    from weakref import WeakSet

    monkeypatch.setattr(GuardedResolver, "asked", {})
    monkeypatch.setattr(GuardedResolver, "running", WeakSet())


@pytest.fixture
def names(monkeypatch):
    """Names and their addresses, and how often each was looked up."""
    known, looked = {}, []

    def getaddrinfo(host, port, **options):
        name = host.decode()
        looked.append(name)
        if name not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET6 if ":" in one else socket.AF_INET, 1, 6, "", (one, 0)) for one in known[name]]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return SimpleNamespace(known=known, looked=looked)


def resolver(cache=100):
    return GuardedResolver(Reactor(), cache, 10.0)


def resolved(name, port=80, one=None, types=None):
    receiver = Receiver()
    (one or resolver()).resolveHostName(receiver, name, port, types)
    assert receiver.complete
    return receiver


def test_what_is_resolved_is_an_address_that_twisted_looks_up_no_more(names):
    names.known["example.org"] = ["2606:4700::1111", "93.184.216.34", "93.184.216.34"]
    rules = AddressRules("http://example.org/", reach=Reach())
    GuardedResolver.ask("example.org", 80, rules)
    assert resolved("example.org").found == [
        IPv4Address("TCP", "93.184.216.34", 80),
        IPv6Address("TCP", "2606:4700::1111", 80),
    ]
    assert resolved("example.org", types=[IPv4Address]).hosts == ["93.184.216.34"]


def test_names_that_lead_inside_are_remembered(names):
    names.known |= {"good.example.org": ["93.184.216.34"], "evil.example.org": ["169.254.169.254", "fd00::1"]}
    rules = AddressRules("https://example.org/")
    for host in names.known:
        GuardedResolver.ask(host, 80, rules)
    assert resolved("good.example.org").hosts == ["93.184.216.34"]
    assert resolved("evil.example.org.", one=resolver()).hosts == []  # no such name with the dot
    assert rules.refused == {}
    assert resolved("EVIL.example.org").hosts == []
    assert set(rules.refused) == {"evil.example.org"}


def test_literals_are_checked_without_a_look_up(names):
    rules = AddressRules("http://127.0.0.1:8000/", reach=Reach.of([ipaddress.ip_address("127.0.0.1")]))
    for host in ("127.0.0.1", "::1", "10.0.0.1"):
        GuardedResolver.ask(host, 8000, rules)
    assert resolved("127.0.0.1", 8000).hosts == ["127.0.0.1"]
    assert resolved("::1", 8000).hosts == []
    assert resolved("10.0.0.1", 8000).hosts == []
    assert names.looked == []


def test_each_crawl_of_a_process_has_its_own_rules(names):
    names.known |= {"intranet.example": ["192.168.0.1"], "www.public.example": ["10.1.1.1"]}
    reach = Reach.of([ipaddress.ip_address("192.168.0.1")])
    intranet = AddressRules("http://intranet.example:8000/", parse_allowances(["10.0.0.0/8:8000"]), reach=reach)
    public = AddressRules("https://public.example/", reach=Reach())
    GuardedResolver.ask("intranet.example", 8000, intranet)
    GuardedResolver.ask("www.public.example", 8000, public)
    assert resolved("intranet.example", 8000).hosts == ["192.168.0.1"]
    assert resolved("www.public.example", 8000).hosts == []
    assert (set(intranet.refused), set(public.refused)) == (set(), {"www.public.example"})


def test_a_name_that_two_crawls_asked_for_is_held_to_the_rules_of_both(names):
    names.known["intranet.example"] = ["192.168.0.1"]
    reach = Reach.of([ipaddress.ip_address("192.168.0.1")])
    intranet = AddressRules("http://intranet.example/", reach=reach)
    public = AddressRules("https://public.example/", reach=Reach())
    for order in ((intranet, public), (public, intranet)):
        for rules in order:
            GuardedResolver.ask("intranet.example", 80, rules)
        assert resolved("intranet.example").hosts == []
        assert set(public.refused) == {"intranet.example"}


def test_sites_at_two_ports_of_one_host_have_their_own_rules():
    decided = AddressRules("http://10.1.1.1:8000/", reach=Reach.of([ipaddress.ip_address("10.1.1.1")]))
    undecided = AddressRules("http://10.1.1.1:8001/")
    GuardedResolver.ask("10.1.1.1", 8000, decided)
    GuardedResolver.ask("10.1.1.1", 8001, undecided)
    assert resolved("10.1.1.1", 8000).hosts == ["10.1.1.1"]
    assert resolved("10.1.1.1", 8001).hosts == []


def test_names_of_crawls_that_have_ended_are_forgotten():
    for number in range(NAMES + 1):
        GuardedResolver.ask(f"{number}.example", 80, AddressRules(f"http://{number}.example/"))
    GuardedResolver.ask("example.org", 80, AddressRules("http://example.org/"))
    assert len(GuardedResolver.asked) == 1


def test_answers_are_not_kept_for_ever(names, monkeypatch):
    moments = iter((0.0, KEPT - 1.0, KEPT + 1.0, KEPT + 1.0))
    monkeypatch.setattr("sitecrawl.shell.resolver.monotonic", lambda: next(moments))
    names.known["example.org"] = ["93.184.216.34"]
    GuardedResolver.ask("example.org", 80, rules := AddressRules("http://example.org/", reach=Reach()))
    one = resolver()
    assert resolved("example.org", one=one).hosts == ["93.184.216.34"]
    names.known["example.org"] = ["93.184.216.35"]
    assert resolved("example.org", one=one).hosts == ["93.184.216.34"]
    assert resolved("example.org", one=one).hosts == ["93.184.216.35"]
    assert rules.refused == {}


def test_a_proxy_is_held_to_the_rules_of_all_crawls(names):
    names.known |= {"proxy.example": ["10.9.1.1"], "other.example": ["172.16.1.1"]}
    rules = AddressRules("https://public.example/", parse_allowances(["10.9.0.0/16:3128"]), reach=Reach())
    GuardedResolver.ask("public.example", 80, rules)
    assert resolved("proxy.example", 3128).hosts == ["10.9.1.1"]
    assert resolved("proxy.example", 0, types=[IPv4Address]).hosts == ["10.9.1.1"]  # a tunnel's, without its port
    assert resolved("proxy.example", 22).hosts == []
    assert resolved("other.example", 3128).hosts == []
    rules.trust_proxy("http://other.example:3128")
    assert resolved("other.example", 3128).hosts == ["172.16.1.1"]
    assert rules.refused == {}


def test_answers_are_kept_and_checked_each_time(names):
    names.known["example.org"] = ["93.184.216.34", "10.0.0.1"]
    rules = AddressRules("http://example.org/", reach=Reach())
    GuardedResolver.ask("example.org", 80, rules)
    one = resolver()
    for _ in range(3):
        assert resolved("example.org", one=one).hosts == ["93.184.216.34"]
    assert len(names.looked) == 1
    GuardedResolver.asked["example.org", 80].clear()
    GuardedResolver.running.clear()
    assert resolved("example.org", one=one).hosts == []
    assert len(names.looked) == 1


def test_without_a_cache_each_connect_looks_the_name_up(names):
    names.known["example.org"] = ["93.184.216.34"]
    GuardedResolver.ask("example.org", 80, rules := AddressRules("http://example.org/", reach=Reach()))
    off = GuardedResolver.from_settings(Settings({"DNSCACHE_ENABLED": False}), Reactor())
    assert resolved("example.org", one=off).hosts == ["93.184.216.34"]
    names.known["example.org"] = ["10.0.0.1"]
    assert resolved("example.org", one=off).hosts == []
    assert set(rules.refused) == {"example.org"}


def test_a_name_with_many_addresses_is_tried_at_few(names):
    names.known["example.org"] = [f"93.184.216.{number}" for number in range(200)]
    GuardedResolver.ask("example.org", 80, rules := AddressRules("http://example.org/", reach=Reach()))
    assert len(resolved("example.org").hosts) == MOST
    assert rules.refused == {}


def test_names_that_do_not_exist_and_names_that_cannot(names):
    GuardedResolver.ask("example.org", 80, AddressRules("http://example.org/"))
    for name in ("example.org", "a" * 300 + ".org", "a..b"):
        assert resolved(name).hosts == []
    failure = defer.Deferred.fromCoroutine(resolver().look_up("example.org"))
    errors = []
    failure.addErrback(lambda failed: errors.append(failed.value))
    assert isinstance(errors[0], DNSLookupError)
    assert "example.org could not be looked up" in str(errors[0])


def test_a_name_server_that_is_silent_is_not_waited_for(monkeypatch):
    reactor = Reactor()
    reactor.callInThreadWithCallback = lambda *_, **__: None
    receiver = Receiver()
    GuardedResolver(reactor, 0, 10.0).resolveHostName(receiver, "example.org", 80)
    assert not receiver.complete
    (seconds, expire), *_ = reactor.calls
    assert seconds == 10.0
    expire()
    assert receiver.complete
    assert receiver.hosts == []


@pytest.mark.parametrize(
    ("given", "asked"), [("Example.ORG", "example.org"), ("bücher.example", "xn--bcher-kva.example"), ("a_b.org", "a_b.org")]
)  # fmt: skip
def test_names_are_compared_as_the_dns_has_them(given, asked):
    assert ascii_name(given) == asked
