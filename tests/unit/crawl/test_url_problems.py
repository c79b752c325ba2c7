import pytest

from sitecrawl.crawl.replaced_texts import SAME
from sitecrawl.crawl.url_problems import lines, text
from sitecrawl.storage.page_report import Trouble
from sitecrawl.storage.pages import PageStatus

PAGE = "https://example.org/{}"


def told(*troubles):
    return [
        text(line)
        for line in lines(Trouble(status, reason, urls, PAGE.format(at)) for status, reason, urls, at in troubles)
    ]


def test_reasons_that_differ_by_a_url_alone_are_one():
    error, excluded = PageStatus.ERROR, PageStatus.EXCLUDED
    assert told(
        (excluded, "refused (address): http://10.0.0.1/x", 1, "b"),
        (excluded, "refused (address): http://10.0.0.2/y", 1, "a"),
        (error, "HTTP 500", 1, "c"),
    ) == [
        "failed        1, HTTP 500; the next crawl tries again: https://example.org/c",
        "refused       2, refused (address); a private address; if it is yours, see SITECRAWL_ALLOWED_ADDRESSES:"
        " among them https://example.org/a",
    ]


def test_what_to_do_is_said_of_a_password_and_of_a_page_that_is_too_large():
    size = "the response is larger than DOWNLOAD_MAXSIZE (10485760 bytes)"
    assert told((PageStatus.ERROR, "HTTP 401", 2, "a"), (PageStatus.ERROR, size, 1, "b")) == [
        "failed        2, HTTP 401; the page requires a password; set it as described in docs/scope.md:"
        " among them https://example.org/a",
        f"failed        1, {size}; raise that setting to read such pages: https://example.org/b",
    ]


@pytest.mark.parametrize(
    ("status", "reason", "advice"),
    [
        (PageStatus.EXCLUDED, "200039 nodes, SITECRAWL_MAX_NODES is 100000", "raise that setting to read such pages"),
        (
            PageStatus.ERROR,
            "DownloadTimeoutError: the response took longer than DOWNLOAD_TIMEOUT (30 seconds)",
            "if the site is always so slow, raise that setting",
        ),
    ],
)
def test_a_limit_that_is_a_setting_is_said_to_be_one(status, reason, advice):
    assert [line.advice for line in lines([Trouble(status, reason, 1, PAGE.format("a"))])] == [advice]


def test_what_becomes_of_a_page_is_said_once():
    until = "deleted if the next crawl finds the same"
    assert told(
        (PageStatus.ERROR, f"HTTP 404, for the first time: {until}", 2, "a"),
        (PageStatus.ERROR, f"looks like the site's page for errors, for the first time: {until}", 1, "b"),
        (PageStatus.EXCLUDED, f"forbidden by robots.txt, for the first time: {until}", 1, "c"),
    ) == [
        f"failed        2, HTTP 404, for the first time; {until}: among them https://example.org/a",
        f"failed        1, looks like the site's page for errors, for the first time; {until}: https://example.org/b",
        f"refused       1, forbidden by robots.txt, for the first time; {until}: https://example.org/c",
    ]


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("bot wall: it says 'Just a moment'", "the site does not show it to the crawler"),
        ("it asks for JavaScript: 'Please enable JavaScript'", "let a browser fetch the pages"),
        (f"{SAME} [a1b2]", "look at a page in a browser"),
    ],
)
def test_a_wall_has_a_remedy(reason, advice):
    (line,) = told((PageStatus.ERROR, reason, 1, "a"))
    assert advice in line
    assert "docs/scope.md" in line


def test_the_most_frequent_reasons_of_each_kind_are_named():
    found = told(*((PageStatus.ERROR, f"reason {number}", number, number) for number in range(1, 6)))
    assert [line.split(";")[0] for line in found] == [
        f"failed        {number}, reason {number}" for number in (5, 4, 3)
    ]


def test_what_is_left_says_when_it_goes_on():
    assert told((PageStatus.DISCOVERED, "not fetched yet: example.org is down", 3, "a")) == [
        "given up      3, example.org is down; run the same command later to continue: among them https://example.org/a"
    ]
    assert told() == []
