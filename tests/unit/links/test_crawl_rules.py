import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.links.crawl_rules import CrawlRules, folder_of, patterns
from sitecrawl.links.urls import url_key

SITE = "https://example.org"


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("https://www.example.org/docs/guide/index.html", "/docs/guide/"),
        ("https://example.org/docs/", "/docs/"),
        ("https://example.org/docs", "/docs/"),
        ("https://example.org/docs?page=2", "/docs/"),
        ("https://example.org", "/"),
        ("https://example.org/a.html", "/"),
    ],
)
def test_folder(url, folder):
    assert folder_of(url) == ("example.org", folder)


def test_without_rules_everything_may_be_requested():
    assert not CrawlRules().any
    assert CrawlRules().refusal(f"{SITE}/logout") is None


def test_exclude_goes_before_include():
    rules = CrawlRules(patterns([r"/news/"], "include"), patterns([r"\?page=", r"/news/old/"], "exclude"))
    assert rules.refusal(f"{SITE}/news/1") is None
    assert rules.refusal(f"{SITE}/news/1?page=2") == "exclude"
    assert rules.refusal(f"{SITE}/news/old/1") == "exclude"
    assert rules.refusal(f"{SITE}/about") == "include"


def test_below_a_folder():
    rules = CrawlRules(folder=folder_of(f"{SITE}/docs"))
    assert [rules.refusal(f"{SITE}{path}") for path in ("/docs", "/docs/", "/docs/a/b", "/docs?x=1")] == [None] * 4
    assert [rules.refusal(f"{SITE}{path}") for path in ("/", "/docsearch", "/a/docs/")] == ["path"] * 3
    assert rules.refusal("https://other.example.org/docs/a") == "path"
    assert rules.refusal("http://www.example.org/docs/a") is None


def test_only_listed_urls():
    rules = CrawlRules(listed=frozenset([url_key(f"{SITE}/a")]))
    assert rules.refusal("http://www.example.org/a?utm_source=x") is None  # the same page
    assert rules.refusal(f"{SITE}/b") == "list"


@pytest.mark.parametrize("path", ["/logout", "/user/sign-out/", "/?action=logoff", "/index.php?do=log_out&x=1"])
def test_a_session_is_not_ended(path):
    assert CrawlRules(keep_session=True).refusal(SITE + path) == "logout"
    assert CrawlRules(keep_session=True).refusal(f"{SITE}/blogout-of-the-box") is None


def test_no_regular_expression():
    with pytest.raises(ConfigError, match=r"^exclude: '\(' is not a regular expression \(missing \), unterm[^\n]*$"):
        patterns(["("], "exclude")
