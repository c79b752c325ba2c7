"""What a failed request says."""

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.shell.exceptions import ForbiddenRequest, RefusedName, RefusedRequest, UnreachableRequest
from sitecrawl.spiders.response_classifier import failure, was_sent

URL = "https://example.org/1"


@pytest.mark.parametrize(
    ("error", "sent"),
    [
        (ForbiddenRequest("forbidden by robots.txt"), False),
        (RefusedRequest("refused (port)", "port"), False),
        (RefusedName("10.0.0.5"), False),
        (UnreachableRequest("does not answer", None), False),
        (HttpError(Response(URL, status=404)), True),
        (TimeoutError(), True),
    ],
)
def test_what_robots_txt_or_a_rule_forbids_is_not_sent(error, sent):
    assert was_sent(error, Request(URL)) is sent
    assert was_sent(error, Request(URL, meta={"redirect_urls": [f"{URL}0"]}))


@pytest.mark.parametrize(
    ("status", "result"), [(302, FetchResult.MOVED_FOR_NOW), (301, FetchResult.REFUSED), (None, FetchResult.REFUSED)]
)
def test_a_trap_behind_a_temporary_redirect_says_nothing_of_the_page(status, result):
    login = f"{URL}/login?next=/1"
    meta = {"redirect_urls": [URL], "redirect_reasons": [status]} if status else {}
    why = login if result is FetchResult.MOVED_FOR_NOW else "a trap"
    assert failure(RefusedRequest("a trap", "trap"), Request(login, meta=meta)) == (FetchOutcome(result, why), None)
