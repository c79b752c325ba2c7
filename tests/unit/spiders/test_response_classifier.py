"""Tests of the outcomes of failed requests."""

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError

from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.shell.exceptions import SCOPE, ForbiddenRequest, RefusedName, RefusedRequest, UnreachableRequest
from sitecrawl.spiders.response_classifier import failure, recognised, was_sent

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


PAGE, TARGET = "https://example.org/about", "https://example.org/login?next=/about"


def redirected(code):
    meta = {"redirect_urls": [PAGE], "redirect_reasons": [code], "redirect_times": 1}
    return Request(TARGET, meta=meta)


@pytest.mark.parametrize("reason", ["offsite", SCOPE])
@pytest.mark.parametrize(("code", "result"), [(302, FetchResult.MOVED_FOR_NOW), (301, FetchResult.MOVED)])
def test_a_page_that_redirects_to_a_place_that_is_not_asked_for_is_redirected(reason, code, result):
    found, status = failure(RefusedRequest("4 values of 'next' gave the same page", reason), redirected(code))
    assert found is not None
    assert (found.result, found.why, status) == (result, TARGET, None)


def test_a_redirect_to_a_forbidden_address_is_refused():
    found, _ = failure(RefusedRequest("a private address", "address"), redirected(302))
    assert found is not None
    assert found.result is FetchResult.REFUSED


@pytest.mark.parametrize(
    ("urls", "end"),
    [
        ([PAGE, PAGE], ", to itself; if the site needs its cookies sent back, set COOKIES_ENABLED=True"),
        ([PAGE, TARGET], ""),
    ],
)
def test_a_page_that_redirects_to_itself_may_need_cookies(urls, end):
    request = Request(PAGE, meta={"redirect_urls": urls, "redirect_times": 2})
    found, _ = failure(IgnoreRequest("max redirections reached"), request)
    assert found == FetchOutcome(FetchResult.FAILED, f"max redirections reached: 2 in a row{end}")


@pytest.mark.parametrize(("declared", "codec"), [("iso-8859-1", "utf-8"), ("utf-8", "latin-1"), ("utf-8", "utf-8")])
def test_a_response_has_the_charset_of_its_bytes(declared, codec):
    headers = {"Content-Type": f"text/html; charset={declared}"}
    response = HtmlResponse(URL, headers=headers, body="<p>D\u00e9j\u00e0 vu</p>".encode(codec))
    assert recognised(response).text == "<p>D\u00e9j\u00e0 vu</p>"


def test_a_response_that_names_a_codec_instead_of_a_charset_can_be_read():
    body = b"<html><head><meta charset=hex></head><p>caf\xe9</p></html>"
    assert "<p>caf\u00e9</p>" in recognised(HtmlResponse(URL, body=body)).text


def test_a_page_that_is_too_large_is_named_by_the_setting():
    said = "Expected to receive 30042485 bytes which is larger than download max size (10485760) in request <GET x>."
    found, _ = failure(DownloadCancelledError(said), Request(URL))
    assert found == FetchOutcome(FetchResult.FAILED, "the response is larger than DOWNLOAD_MAXSIZE (10485760 bytes)")


@pytest.mark.parametrize("target", ["javascript:alert(1)", "mailto:editor@example.org", "http://[bad/"])
def test_a_redirect_to_what_is_no_address_is_said_in_words(target):
    with pytest.raises(ValueError, match=r".") as raised:
        Request(target)  # as Scrapy does for the target of a redirect
    found, _ = failure(raised.value, Request(URL))
    assert found.why.startswith("a redirect without a usable Location (")
    assert "ValueError" not in found.why


def test_a_download_that_was_cancelled_without_a_message_is_named_by_its_error():
    found, _ = failure(DownloadCancelledError(), Request(URL))
    assert found == FetchOutcome(FetchResult.FAILED, "DownloadCancelledError")
