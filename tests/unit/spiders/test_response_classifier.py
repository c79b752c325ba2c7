import pytest
from scrapy import Request

from sitecrawl.crawl.page_lifecycle import FetchResult
from sitecrawl.shell.exceptions import SCOPE, RefusedRequest
from sitecrawl.spiders.response_classifier import failure

PAGE, TARGET = "https://example.org/about", "https://example.org/login?next=/about"


def redirected(code):
    meta = {"redirect_urls": [PAGE], "redirect_reasons": [code], "redirect_times": 1}
    return Request(TARGET, meta=meta)


@pytest.mark.parametrize("reason", ["trap", "offsite", SCOPE])
@pytest.mark.parametrize(("code", "result"), [(302, FetchResult.MOVED_FOR_NOW), (301, FetchResult.MOVED)])
def test_a_page_that_redirects_to_a_place_that_is_not_asked_for_is_redirected(reason, code, result):
    found, status = failure(RefusedRequest("4 values of 'next' gave the same page", reason), redirected(code))
    assert found is not None
    assert (found.result, found.why, status) == (result, TARGET, None)


def test_a_page_in_a_trap_is_refused():
    found, _ = failure(RefusedRequest("a trap", "trap"), Request(TARGET))
    assert found is not None
    assert (found.result, found.why) == (FetchResult.REFUSED, "a trap")


def test_a_redirect_to_a_forbidden_address_is_refused():
    found, _ = failure(RefusedRequest("a private address", "address"), redirected(302))
    assert found is not None
    assert found.result is FetchResult.REFUSED
