from scrapy import Request

from sitecrawl.crawl.site_options import Access
from sitecrawl.links.scope import SiteScope
from sitecrawl.middlewares.access import AccessMiddleware

ACCESS = Access(cookies={"session": "c"}, headers={"X-Key": "k"}, proxy="http://proxy.example.net:3128")


def sent(middleware, url, **given):
    request = Request(url, **given)
    assert middleware.process_request(request) is None
    return request


def of(start_url):
    return AccessMiddleware(ACCESS, SiteScope.of(start_url), start_url)


def test_the_site_gets_headers_and_cookies():
    middleware = of("https://example.org/")
    request = sent(middleware, "https://example.org/a")
    assert request.headers["X-Key"] == b"k"
    assert request.cookies == [{"name": "session", "value": "c", "secure": True}]
    assert request.meta["proxy"] == "http://proxy.example.net:3128"
    later = sent(middleware, "https://example.org/b")
    assert later.cookies == {}  # the jar of the crawl has it now, or what the site has set since
    assert later.headers["X-Key"] == b"k"
    assert sent(middleware, "https://www.example.org/b").cookies


def test_another_host_and_an_unencrypted_address_get_neither():
    middleware = of("https://example.org/")
    for url in ("http://example.org/a", "https://example.net/", "https://example.org.example.net/"):
        request = sent(middleware, url, headers={"X-Key": "k"})  # a redirect takes headers along
        assert "X-Key" not in request.headers
        assert not request.cookies


def test_a_site_without_encryption_gets_them_as_it_is():
    request = sent(of("http://127.0.0.1:8000/"), "http://127.0.0.1:8000/a")
    assert request.headers["X-Key"] == b"k"
    assert request.cookies[0]["secure"] is False
