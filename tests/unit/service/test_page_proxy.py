import asyncio
import importlib
import socket
import sys
from types import ModuleType, SimpleNamespace

import pytest

from sitecrawl.errors import ConfigError, FetchRefusedError, PageTooLargeError
from sitecrawl.service.page_proxy import PageProxy, unsafe_listening
from tests.unit.service.conftest import ARTICLE, PAGE

ALLOWED = {"SITECRAWL_ALLOWED_ADDRESSES": "127.0.0.0/8:8000"}
HTML = "text/html; charset=utf-8"
URL = "http://127.0.0.1:8000/story"


@pytest.fixture
def proxy(tmp_path):
    return PageProxy({**ALLOWED, "SITECRAWL_DATABASE_URL": f"sqlite:///{tmp_path}/none.db"}, None)


@pytest.mark.parametrize(
    ("answer", "cleaned"),
    [
        (("GET", 200, HTML, "document"), True),
        (("GET", 200, "application/xhtml+xml", ""), True),
        (("GET", 200, HTML, "iframe"), False),
        (("GET", 200, HTML, "empty"), False),
        (("GET", 404, HTML, "document"), False),
        (("POST", 200, HTML, "document"), False),
        (("GET", 200, "image/png", "document"), False),
        (("GET", 200, "", "document"), False),
    ],
)
def test_only_pages_that_are_shown_are_cleaned(proxy, answer, cleaned):
    assert proxy.cleans(*answer) == cleaned


def test_a_page_is_edited_by_crunch(proxy):
    made = asyncio.run(proxy.cleaned(PAGE.encode(), HTML, URL))
    assert made.method == "crunch" and "<link" in made.text and "<script" not in made.text


def test_pages_that_stay_as_they_are(proxy, tmp_path):
    sites = tmp_path / "sites.toml"
    sites.write_text('method = "cnr"\n')
    other = PageProxy(ALLOWED, str(sites))
    assert asyncio.run(proxy.cleaned(b"  ", HTML, URL)) is None
    assert asyncio.run(other.cleaned(b"<div></div>", HTML, URL)) is None
    assert asyncio.run(other.cleaned(f"<div>{ARTICLE}</div>".encode(), HTML, URL)).method == "cnr"


def test_a_page_that_cannot_be_read(proxy):
    with pytest.raises(PageTooLargeError):
        asyncio.run(proxy.cleaned(b"<p>" + b"<b>x</b>" * 120_000, HTML, URL))


def test_addresses_are_checked(proxy, monkeypatch):
    asyncio.run(proxy.check(URL))
    for url in ("http://127.0.0.1:8001/", "http://10.0.0.1/", "http://localhost:8000/", "ftp://example.org/"):
        with pytest.raises(FetchRefusedError, match=f"refused: {url}"):
            asyncio.run(proxy.check(url))
    assert asyncio.run(proxy.address("127.0.0.1", 8000)) == "127.0.0.1"
    row = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.168.0.1", 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **named: [row])
    with pytest.raises(FetchRefusedError, match=r"inward\.example resolves to 192\.168\.0\.1"):
        asyncio.run(proxy.address("inward.example", 80))
    with pytest.raises(FetchRefusedError, match=r"inward\.example resolves to 192\.168\.0\.1"):
        asyncio.run(proxy.check("http://inward.example/"))


def test_settings_that_cannot_be_used():
    with pytest.raises(ConfigError, match="SITECRAWL_NONSENSE: unknown setting"):
        PageProxy({"SITECRAWL_NONSENSE": "1"}, None)
    with pytest.raises(ConfigError, match="cannot be read"):
        PageProxy({}, "/nowhere/sites.toml")
    assert unsafe_listening("127.0.0.1", None) is None
    assert unsafe_listening("0.0.0.0", "any:password") is None
    assert unsafe_listening("0.0.0.0", None).startswith(
        "0.0.0.0: other machines can reach the proxy; give --listen-host"
    )
    assert unsafe_listening("", None).startswith("all addresses: other machines")


class Headers(dict):
    """Headers like those of mitmproxy, here with names in lower case."""


def response(status, content, headers):
    return SimpleNamespace(status_code=status, raw_content=content, content=content, headers=headers)


class Mode:
    """`regular`, or `regular@HOST:PORT`."""

    def __init__(self, host):
        self.host = host

    @classmethod
    def parse(cls, text):
        return cls(text.partition("@")[2].rpartition(":")[0])

    def listen_host(self, default):
        return self.host or default


@pytest.fixture
def addon(monkeypatch, tmp_path):
    """The add-on, and the options of a mitmproxy that is not installed here."""
    options = SimpleNamespace(
        listen_host="127.0.0.1",
        mode=["regular"],
        proxyauth=None,
        sitecrawl_sites="",
        sitecrawl_settings=[f"{n}={v}" for n, v in ALLOWED.items()],
    )
    package = ModuleType("mitmproxy")
    package.ctx = SimpleNamespace(options=options)
    package.exceptions = SimpleNamespace(OptionsError=type("OptionsError", (Exception,), {}))
    package.http = SimpleNamespace(Response=SimpleNamespace(make=response), HTTPFlow=object)
    package.proxy = ModuleType("mitmproxy.proxy")
    package.proxy.mode_specs = SimpleNamespace(ProxyMode=Mode)
    monkeypatch.setitem(sys.modules, "mitmproxy", package)
    monkeypatch.setitem(sys.modules, "mitmproxy.proxy", package.proxy)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "sitecrawl.service.mitmproxy_addon", raising=False)
    module = importlib.import_module("sitecrawl.service.mitmproxy_addon")
    made = module.addons[0]
    made.load(SimpleNamespace(add_option=lambda *args: None))
    made.configure({"sitecrawl_settings"})
    yield made, options, package.exceptions.OptionsError
    del sys.modules["sitecrawl.service.mitmproxy_addon"]


def flow_of(url, answer=None):
    request = SimpleNamespace(url=url, method="GET", headers={"sec-fetch-dest": "document"}, host="10.0.0.1", port=443)
    return SimpleNamespace(request=request, response=answer)


def test_the_addon_cleans_pages_in_flight(addon):
    flow = flow_of(URL)
    asyncio.run(addon[0].request(flow))
    assert flow.response is None
    flow.response = response(200, PAGE.encode(), {"content-type": "text/html", "content-encoding": "gzip"})
    asyncio.run(addon[0].response(flow))
    assert b"<script" not in flow.response.content
    assert flow.response.headers == {"content-type": HTML, "sitecrawl-method": "crunch"}


def test_the_addon_refuses(addon):
    flow = flow_of("http://10.0.0.1/")
    asyncio.run(addon[0].request(flow))
    assert flow.response.status_code == 403
    assert flow.response.content.startswith("sitecrawl: refused: http://10.0.0.1/: not a public address")
    assert flow.response.headers["Cache-Control"] == "no-store"
    tunnel = flow_of("")
    asyncio.run(addon[0].http_connect(tunnel))
    assert tunnel.response.status_code == 403
    heavy = flow_of(URL, response(200, b"<p>" + b"<b>x</b>" * 120_000, {"content-type": HTML}))
    asyncio.run(addon[0].response(heavy))
    assert heavy.response.status_code == 422 and heavy.response.content.count("\n") == 1


def test_the_addon_connects_to_checked_addresses(addon):
    good = SimpleNamespace(server=SimpleNamespace(address=("127.0.0.1", 8000), sni=None, error=None))
    bad = SimpleNamespace(server=SimpleNamespace(address=("127.0.0.1", 22), sni=None, error=None))
    asyncio.run(addon[0].server_connect(good))
    asyncio.run(addon[0].server_connect(bad))
    assert (good.server.address, good.server.error) == (("127.0.0.1", 8000), None)
    assert bad.server.error == "sitecrawl: refused: 127.0.0.1 resolves to 127.0.0.1, which is not a public address"


def test_the_addon_wants_loopback_or_a_password(addon):
    made, options, wrong = addon
    for host, mode in (("", "regular"), ("0.0.0.0", "regular"), ("127.0.0.1", "regular@0.0.0.0:8080")):
        options.listen_host, options.mode = host, [mode]
        with pytest.raises(wrong, match="other machines can reach the proxy"):
            made.configure({"listen_host"})
    options.proxyauth = "any:password"
    made.configure({"proxyauth"})
    for settings in (["nonsense"], ["SITECRAWL_NONSENSE=1"]):
        options.sitecrawl_settings = settings
        with pytest.raises(wrong, match=r"^sitecrawl: "):
            made.configure({"sitecrawl_settings"})
