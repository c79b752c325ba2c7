"""Tests of fetching a page: allowed URLs, redirects, limits and connections."""

import asyncio
import gzip
import socket
import zlib

import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, FetchFailedError, FetchRefusedError
from sitecrawl.service.fetching import Fetcher, Limits
from tests.badweb.certificates import Authority
from tests.integration.server import SiteServer
from tests.unit.service.conftest import PAGE


def fetch(url, limits=None, **settings):
    port = url.split(":")[2].partition("/")[0]
    config = Config(allowed_addresses=(f"127.0.0.0/8:{port}",), **settings)
    return asyncio.run(Fetcher(config, limits or Limits()).fetch(url))


def test_certificates_are_verified_as_in_a_crawl(tmp_path, monkeypatch):
    authority = Authority(tmp_path)
    with SiteServer({"/": PAGE}, tls=authority.context()) as site:
        with pytest.raises(FetchFailedError, match="CERTIFICATE_VERIFY_FAILED"):
            fetch(site.url())
        assert b"<title>A story" in fetch(site.url(), Limits(certificates=False)).body
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert b"<title>A story" in fetch(site.url()).body


def test_a_name_is_asked_for_at_a_checked_address(monkeypatch):
    """A later change of the name's address has no effect: the connection goes to the checked address."""
    looked_up = []

    def getaddrinfo(name, *args, **named):
        looked_up.append(name)
        address = "127.0.0.1" if len(looked_up) == 1 else "10.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

    with SiteServer({"/": PAGE}) as site:
        monkeypatch.setattr("sitecrawl.shell.resolver.socket.getaddrinfo", getaddrinfo)
        port = site.server.server_address[1]
        config = Config(allowed_addresses=(f"127.0.0.1/32:{port}",))
        monkeypatch.setattr("sitecrawl.shell.addresses.PORTS", frozenset((port,)))
        assert asyncio.run(Fetcher(config, Limits()).fetch(f"http://ship.example:{port}/")).body == PAGE.encode()
        assert looked_up == [b"ship.example"]
        with pytest.raises(FetchRefusedError, match=r"ship\.example resolves to 10\.0\.0\.1"):
            asyncio.run(Fetcher(config, Limits()).fetch(f"http://ship.example:{port}/"))


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(PAGE.encode())),
        ("deflate", zlib.compress(PAGE.encode())),
        ("gzip, gzip", gzip.compress(gzip.compress(PAGE.encode()))),
        ("identity", PAGE.encode()),
    ],
)
def test_compressed_bodies_are_unpacked(encoding, body):
    with SiteServer({"/": (200, {"Content-Encoding": encoding}, body)}) as site:
        assert fetch(site.url()).body == PAGE.encode()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((200, {"Content-Encoding": "br"}, b"x"), "compressed as 'br', which was not requested"),
        ((200, {"Content-Encoding": "deflate"}, b"\x78\x9cnonsense"), "the body is damaged"),
        ((302, {"Location": "http://[/"}, ""), "redirects to 'http://[/', which is not a URL"),
        ((302, {}, ""), "the site answered with status 302"),
        ((500, {}, "Error"), "the site answered with status 500"),
    ],
)
def test_answers_that_are_no_pages(answer, words):
    with SiteServer({"/": answer}) as site, pytest.raises(FetchFailedError) as error:
        fetch(site.url())
    assert words in str(error.value)


def test_the_charset_of_the_header_is_passed_on():
    with SiteServer({"/": (200, {"Content-Type": "text/html; charset=ISO-8859-2"}, PAGE)}) as site:
        found = fetch(site.url())
    assert (found.url, found.charset) == (site.url(), "ISO-8859-2")


def test_a_host_that_does_not_answer_is_named_in_the_error():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(FetchFailedError, match=f"http://127.0.0.1:{port}/: "):
        fetch(f"http://127.0.0.1:{port}/")


def test_allowed_addresses_that_cannot_be_read():
    with pytest.raises(ConfigError, match="is not a network and a port"):
        Fetcher(Config(allowed_addresses=("nonsense",)), Limits())


def test_the_proxy_may_be_at_a_private_address():
    with SiteServer({"http://ship.example/": PAGE}) as proxy:
        config = Config(proxy=f"http://127.0.0.1:{proxy.server.server_address[1]}")
        assert asyncio.run(Fetcher(config, Limits()).fetch("http://ship.example/")).body == PAGE.encode()
        with pytest.raises(FetchRefusedError):  # a page there is still refused
            asyncio.run(Fetcher(config, Limits()).fetch(proxy.url()))
