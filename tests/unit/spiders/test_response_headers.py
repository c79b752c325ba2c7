import datetime as dt

from scrapy.http import Response

from sitecrawl.spiders.response_headers import LANGUAGES, PageHeaders, header, page_headers

MOMENT = dt.datetime(2025, 11, 8, 10, tzinfo=dt.UTC)


def test_the_headers_that_say_something_of_a_page():
    headers = {"ETag": '"a"', "Content-Language": "de, en", "X-Robots-Tag": ["noindex", "bot: nofollow"]}
    response = Response("https://example.org/", headers=headers)
    found = page_headers(response, MOMENT)
    assert (header(response, "ETag"), header(response, "Age")) == ('"a"', None)
    assert (found.moment, found.etag, found.content_language) == (MOMENT, '"a"', "de, en")
    assert found.robots == ("noindex", "bot: nofollow")


def test_without_headers_nothing_is_said():
    response = Response("https://example.org/", headers={"Content-Language": ""})
    assert page_headers(response, MOMENT) == PageHeaders(MOMENT, None, None, None, ())


def test_a_long_language_is_cut():
    response = Response("https://example.org/", headers={"Content-Language": "x" * (LANGUAGES + 1)})
    assert page_headers(response, MOMENT).content_language == "x" * LANGUAGES


def test_a_page_modified_in_the_second_of_the_answer_is_asked_for_again():
    def modified(at):
        headers = {"Last-Modified": at, "Date": "Sat, 08 Nov 2025 10:00:00 GMT"}
        return page_headers(Response("https://example.org/", headers=headers), MOMENT).last_modified

    assert modified("Sat, 08 Nov 2025 10:00:00 GMT") is None
    assert modified("Sat, 01 Nov 2025 10:00:00 GMT") == "Sat, 01 Nov 2025 10:00:00 GMT"
