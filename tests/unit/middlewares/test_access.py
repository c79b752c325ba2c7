from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from sitecrawl.crawl.site_options import Access, Login
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


def crawler_of(access):
    crawler = get_crawler(Spider)
    crawler.spider = Spider.from_crawler(crawler, name="site")
    if access is not None:
        options, start = SimpleNamespace(access=access), "https://example.org/"
        crawler.spider.site_crawl = SimpleNamespace(options=options, scope=SiteScope.of(start), start_url=start)
    return crawler


@pytest.mark.parametrize("access", [None, Access(), Access(user_agent="a browser")])
def test_nothing_is_added_where_nothing_is_to_be_added(access):
    with pytest.raises(NotConfigured):
        AccessMiddleware.from_crawler(crawler_of(access))


@pytest.mark.parametrize(
    "access",
    [
        Access(cookies={"a": "b"}),
        Access(headers={"X-Key": "k"}),
        Access(proxy="http://proxy.example.net:3128"),
        Access(login=Login("https://example.org/login", {"name": "me"})),
    ],
)
def test_a_crawl_with_one_of_them_has_the_middleware(access):
    middleware = AccessMiddleware.from_crawler(crawler_of(access))
    assert middleware.access is access
    assert sent(middleware, "https://example.org/a").url == "https://example.org/a"
