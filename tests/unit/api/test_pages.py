import gzip

import pytest
from scrapy.http import HtmlResponse

import sitecrawl
from sitecrawl.errors import ConfigError, EmptyPageError, ExtractorError, InputError, NotHtmlError
from tests.unit.api.pages import URL, html


def test_a_page_has_the_names_of_the_feed():
    row = sitecrawl.extract(html(3), URL.format(3)).as_dict(html=True, markdown=True)
    names = [name for name in sitecrawl.Row.__dataclass_fields__ if name in row]
    assert set(row) == set(names)
    assert (row["title"], row["kind"], row["language"]) == ("Note 3", "content", "en")
    assert row["markdown"].startswith("# Note 3\n\nNote 3 tells")
    assert "Note 3 tells" in row["text"] and "harbour master" not in row["text"]


def test_selectors_of_ones_own_see_the_whole_page():
    page = sitecrawl.extract(html(3), URL.format(3))
    assert page.selector.css("h1::text").getall() == ["Note 3"]
    assert page.selector.xpath("//footer/p/text()").get().startswith("The Journal is written")
    assert page.selector.css("a").re_first("All (notes)") == "notes"


def test_blocks_say_what_was_kept_and_together_they_are_the_text():
    page = sitecrawl.extract(html(3), URL.format(3))
    assert {block.kept for block in page.blocks} == {True, False}
    assert [block.text for block in page.blocks if block.kept] == page.text.splitlines()


def test_a_listing_says_why_it_is_one():
    collection = '<script type="application/ld+json">{"@type": "CollectionPage"}</script>'
    page = sitecrawl.extract(html(3).replace("<body>", f"<body>{collection}"), URL.format(3))
    assert (page.kind, page.why) == ("listing", "its structured data says that it is a collection of pages")
    assert sitecrawl.extract(html(3), URL.format(3)).why == ""


class Requested:
    """A response as requests and httpx have it."""

    url = URL.format(4)
    content = html(4).encode()


@pytest.mark.parametrize(
    "given",
    [
        html(4),
        html(4).encode(),
        html(4).encode("utf-16"),
        HtmlResponse(URL.format(4), body=html(4).encode(), headers={"Content-Type": "text/html; charset=utf-8"}),
        Requested(),
    ],
    ids=["str", "bytes", "utf-16", "scrapy", "requests"],
)
def test_html_may_be_text_bytes_or_a_response(given):
    wanted = sitecrawl.extract(html(4), URL.format(4))
    url = URL.format(4) if isinstance(given, str | bytes) else None
    assert sitecrawl.extract(given, url).as_dict() == wanted.as_dict()


def test_the_charset_of_a_response_counts():
    body = "<html><body><p>Über den Fluss führt seit dem Frühjahr wieder eine Brücke.</p></body></html>".encode(
        "latin-1"
    )
    response = HtmlResponse(URL.format(1), body=body, headers={"Content-Type": "text/html; charset=ISO-8859-1"})
    assert "Frühjahr" in sitecrawl.extract(response).text


def test_a_page_without_a_url_has_none():
    page = sitecrawl.extract(html(3))
    assert (page.url, page.id, page.kind) == (None, None, "content")


def test_settings_are_those_of_the_crawler():
    page = sitecrawl.extract(html(3), settings={"SITECRAWL_EXTRACTOR": "density"})
    assert page.method == "density"


@pytest.mark.parametrize(
    "given, url, error, says",
    [
        (None, None, InputError, "NoneType"),
        (12, None, InputError, "give str, bytes, or a response"),
        (
            " https://example.org/a.html\n",
            None,
            InputError,
            "html is the URL https://example.org/a.html; give the HTML",
        ),
        (html(1), "no url", InputError, "is not the URL of a page"),
        (html(1), "ftp://example.org/", InputError, "is not the URL of a page .not an absolute http or https URL"),
        (html(1), "http://me:word@example.org/", InputError, "^'http://...@example.org/' .* .user name or password in"),
        (html(1), "http://example.org/" + 9000 * "a", InputError, "aaa is not .* .longer than 2083 characters"),
        (html(1), 7, InputError, "url is int"),
        ("", None, EmptyPageError, "empty"),
        (b"%PDF-1.7 ...", None, NotHtmlError, "not HTML"),
        (gzip.compress(html(1).encode()), None, NotHtmlError, "not HTML"),
        (b" " * (10 * 2**20 + 1), None, NotHtmlError, "MiB"),
    ],
)
def test_bad_input_is_one_class_each_with_the_remedy(given, url, error, says):
    with pytest.raises(error, match=says) as raised:
        sitecrawl.extract(given, url)
    assert isinstance(raised.value, sitecrawl.SitecrawlError)


def test_a_setting_without_its_prefix_is_named():
    with pytest.raises(ConfigError, match="unknown setting; SITECRAWL_EXTRACTOR is meant"):
        sitecrawl.extract(html(1), settings={"extractor": "cnr"})
    assert sitecrawl.extract(html(1), settings={"FEEDS": {}}).text  # Scrapy's own


@pytest.mark.parametrize("settings", ["SITECRAWL_EXTRACTOR=cnr", [("SITECRAWL_EXTRACTOR", "cnr")]])
def test_settings_are_a_mapping(settings):
    with pytest.raises(InputError, match=r"^settings is (str|list); give Mapping or None$"):
        sitecrawl.extract(html(1), settings=settings)


def test_a_text_that_begins_with_an_address_is_a_page():
    text = "https://example.org/a.html is where the storm began, and nobody has heard of it since that night in March."
    assert sitecrawl.extract(f"<p>{text}</p>").text == text
    assert sitecrawl.extract(text).text == text


def test_a_method_that_needs_a_site_says_so():
    with pytest.raises(ExtractorError, match=r"needs neighbours.* of a site; use sitecrawl\.learn"):
        sitecrawl.extract(html(1), settings={"SITECRAWL_EXTRACTOR": "fastce"})
