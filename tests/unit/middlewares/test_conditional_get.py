import pytest
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from sitecrawl import stats
from sitecrawl.middlewares.conditional_get import ConditionalGetMiddleware

URL = "https://example.org/1"


def sent(**meta):
    """Return the conditional headers of a request with this meta, and how many requests were counted."""
    crawler = get_crawler(Spider)
    middleware = ConditionalGetMiddleware.from_crawler(crawler)
    request = Request(URL, meta=meta, headers={"If-None-Match": "stale", "If-Modified-Since": "stale"})
    for name in ("If-None-Match", "If-Modified-Since"):
        if not meta.get("redirect_times"):
            del request.headers[name]
    assert middleware.process_request(request) is None
    names = ("If-None-Match", "If-Modified-Since")
    return tuple(request.headers.get(name) for name in names), crawler.stats.get_value(stats.PAGES_CONDITIONAL, 0)


@pytest.mark.parametrize(
    ("meta", "headers", "counted"),
    [
        ({}, (None, None), 0),
        ({"etag": None, "last_modified": None}, (None, None), 0),
        ({"etag": '"a"'}, (b'"a"', None), 1),
        ({"last_modified": "Sat, 03 Feb 2024 04:05:06 GMT"}, (None, b"Sat, 03 Feb 2024 04:05:06 GMT"), 1),
        ({"etag": 'W/"\xe9\u20ac"', "last_modified": "x"}, (b'W/"\xe9"', b"x"), 1),
        ({"etag": '"a"', "retry_times": 1}, (b'"a"', None), 0),
    ],
)
def test_a_known_page_is_asked_for_with_its_validators_and_counted_once(meta, headers, counted):
    assert sent(**meta) == (headers, counted)


def test_validators_do_not_follow_a_redirect():
    headers, counted = sent(etag='"a"', last_modified="x", redirect_times=1)
    assert (headers, counted) == ((None, None), 0)
