"""Tests of the options of a site's requests: settings, options of the site, the file of secrets, and arguments."""

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl import site_options as module
from sitecrawl.crawl.site_options import Access, first_listed_url, site_options
from sitecrawl.errors import ConfigError

START = "https://example.org/docs/"
PASSWORD = "quite-secret"


def options(settings=(), own=(), given=()):
    return site_options(Config.from_mapping(dict(settings)), dict(own), dict(given), START)


def test_an_argument_goes_before_the_site_before_a_setting():
    settings = {"SITECRAWL_EXCLUDE": "/setting/", "SITECRAWL_INCLUDE": "/docs/"}
    found = options(settings, {"exclude": ["/own/"]})
    assert [one.pattern for one in found.rules.exclude] == ["/own/"]
    found = options(settings, {"exclude": ["/own/"]}, {"exclude": r"/given/{1,2} \.pdf$"})
    assert [one.pattern for one in found.rules.exclude] == ["/given/{1,2}", r"\.pdf$"]
    assert [one.pattern for one in found.standing.exclude] == ["/own/"]
    assert found.rules.refusal("https://example.org/docs/own/") is None
    assert found.standing.refusal("https://example.org/docs/own/") == "exclude"


def test_the_start_url_is_always_crawled():
    found = options({"SITECRAWL_INCLUDE": "/news/"})
    assert found.rules.refusal(START) is None
    assert found.rules.refusal(START + "a") == "include"
    with pytest.raises(ConfigError, match="an exclude rule matches the start URL itself"):
        options({"SITECRAWL_EXCLUDE": "example"})


def test_a_list_of_urls(tmp_path):
    file = tmp_path / "urls.txt"
    file.write_text("# two\nhttps://example.org/a\n\n https://www.example.org/b \n")
    found = options(given={"urls": str(file)})
    assert sorted(found.listed.values()) == ["https://example.org/a", "https://www.example.org/b"]
    assert found.rules.refusal(START) == "list"
    assert not found.config.sitemaps
    assert first_listed_url(str(file)) == "https://example.org/a"
    assert not found.standing.any


def test_a_byte_order_mark_before_a_list_or_secrets_is_no_part_of_them(tmp_path):
    """Editors of Windows write one."""
    file = tmp_path / "urls.txt"
    file.write_bytes(b"\xef\xbb\xbfhttps://example.org/a\r\nhttps://example.org/b\r\n")
    assert sorted(options(given={"urls": str(file)}).listed.values()) == [
        "https://example.org/a",
        "https://example.org/b",
    ]
    assert first_listed_url(str(file)) == "https://example.org/a"
    assert options(secrets(tmp_path, f"\ufeff{GOOD}")).access == options(secrets(tmp_path, GOOD)).access


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("https://example.org/a\nmailto:me", "line 2: 'mailto:me' cannot be fetched"),
        ("https://example.net/a", "line 1: https://example.net/a is not of the site example.org"),
        ("# nothing", "has no URL"),
        (None, "cannot be read"),
    ],
)
def test_a_list_that_cannot_be_used(tmp_path, lines, problem):
    file = tmp_path / "urls.txt"
    if lines is not None:
        file.write_text(lines)
    with pytest.raises(ConfigError, match=problem):
        options(given={"urls": str(file)})


def secrets(tmp_path, text, mode=0o600):
    file = tmp_path / "secrets.toml"
    file.write_text(text)
    file.chmod(mode)
    return {"SITECRAWL_SECRETS": str(file)}


GOOD = f"""
["example.org"]
cookies = {{session = "{PASSWORD}"}}
headers = {{Authorization = "Bearer {PASSWORD}"}}
proxy = "http://me:{PASSWORD}@proxy.example.net:3128"
["example.org".login]
url = "/login"
fields = {{user = "me", password = "{PASSWORD}"}}
["example.net"]
cookies = {{other = "x"}}
"""


def test_the_file_of_secrets(tmp_path):
    found = options(secrets(tmp_path, GOOD))
    assert found.access.cookies == {"session": PASSWORD}
    assert found.access.headers == {"Authorization": f"Bearer {PASSWORD}"}
    assert found.access.login.url == "https://example.org/login"
    assert found.access.login.fields["password"] == PASSWORD
    assert found.access.proxy == f"http://me:{PASSWORD}@proxy.example.net:3128"
    assert found.rules.refusal("https://example.org/logout") == "logout"
    assert PASSWORD not in repr(found)
    assert options(secrets(tmp_path, GOOD), given={"cookies": '{"a": "b"}'}).access.cookies == {"a": "b"}


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        (GOOD, 0o640, "others may read it; run: chmod 600"),
        (f'["example.org"]\ncookie = "{PASSWORD}"', 0o600, "takes cookies, headers, login, proxy"),
        (f'["example.org"]\ncookies = "{PASSWORD}"', 0o600, "cookies cannot be used: it takes a JSON object"),
        (f'["example.org"]\ncookies = {{a = "{PASSWORD}', 0o600, r"not TOML \(at end of document\)"),
        (f'["example.org"]\ncookies = {{a = "{PASSWORD};"}}', 0o600, "cookies: 'a' has a value that cannot be sent"),
        (f'["example.org"]\nheaders = {{Host = "{PASSWORD}"}}', 0o600, "Host cannot be set as a header"),
        (f'["example.org"]\nproxy = "{PASSWORD}"', 0o600, "proxy cannot be used"),
        (f'["example.org".login]\nurl = "/{PASSWORD}"', 0o600, "login takes"),
        (
            f'["example.org".login]\nurl = "https://example.net/{PASSWORD}"\nfields = {{a = "b"}}',
            0o600,
            "not of the site",
        ),
    ],
)
def test_secrets_are_in_no_message(tmp_path, text, mode, problem):
    with pytest.raises(ConfigError, match=problem) as raised:
        options(secrets(tmp_path, text, mode))
    assert PASSWORD not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_settings_with_secrets_are_in_no_message():
    for name in ("COOKIES", "HEADERS", "LOGIN"):
        with pytest.raises(ConfigError) as raised:
            options({f"SITECRAWL_{name}": f"{{{PASSWORD}"})
        assert PASSWORD not in str(raised.value)
        assert raised.value.__cause__ is None
    assert PASSWORD not in repr(Config.from_mapping({"SITECRAWL_COOKIES": {"a": PASSWORD}}))


@pytest.mark.parametrize("own", [{"cookies": {"a": "b"}}, {"login": {}}, {"proxy": "http://a:b@example.net:1"}])
def test_options_of_a_site_hold_no_secrets(own):
    with pytest.raises(ConfigError, match="write it to the file of SITECRAWL_SECRETS"):
        options(own=own)


def test_options_of_a_site_that_cannot_be_used():
    with pytest.raises(ConfigError, match=r"^example.org: include: '\[' is not a regular expression"):
        options(own={"include": ["["]})


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"X-Key": "k", "x_other": "o"}, None),
        ({"X Key": "k"}, "'X Key' is not a valid header name"),
        ({"X-Kéy": "k"}, "is not a valid header name"),
        ({"-": "k"}, "'-' is not a valid header name"),
        ({"Cookie": "k"}, "Cookie cannot be set as a header; use cookies"),
        ({"": "k"}, "'' has a value that cannot be sent"),
        ({"X-Key": "a\nb"}, "'X-Key' has a value that cannot be sent"),
    ],
)
def test_names_of_headers(headers, problem):
    settings = {"SITECRAWL_HEADERS": headers}
    if problem is None:
        assert options(settings).access.headers == headers
    else:
        with pytest.raises(ConfigError, match=problem):
            options(settings)


@pytest.mark.parametrize(
    ("proxy", "good"),
    [
        ("http://proxy.example.net:3128", True),
        ("https://proxy.example.net", True),
        ("socks5://proxy.example.net:1", False),
        ("http://:3128", False),
        ("http://proxy.example.net:99999", False),
    ],
)
def test_what_is_a_proxy(proxy, good):
    if good:
        assert options({"SITECRAWL_PROXY": proxy}).access.proxy == proxy
    else:
        with pytest.raises(ConfigError, match="proxy cannot be used"):
            options({"SITECRAWL_PROXY": proxy})


def test_a_list_has_so_many_urls_at_most(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_LISTED", 2)
    file = tmp_path / "urls.txt"
    file.write_text("https://example.org/a\nhttps://example.org/b\n")
    assert len(options(given={"urls": str(file)}).listed) == 2
    file.write_text("https://example.org/a\nhttps://example.org/b\n# and more\n")
    with pytest.raises(ConfigError, match="3 lines, over 2; make several lists"):
        options(given={"urls": str(file)})


def test_a_file_of_secrets_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read \\(No such file or directory\\)"):
        options({"SITECRAWL_SECRETS": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ({}, True),
        ({"cookies": {"a": "b"}}, False),
        ({"headers": {"a": "b"}}, False),
        ({"proxy": "http://p:1"}, False),
        ({"login": object()}, False),
        ({"user_agent": "me"}, True),
    ],
)
def test_requests_with_cookies_headers_a_login_or_a_proxy_are_not_plain(given, plain):
    assert Access(**given).is_plain is plain
    assert Access(**given).has_session is bool({"cookies", "login"} & given.keys())


def test_the_user_agent_of_a_crawl_goes_before_that_of_the_site():
    assert options().access.user_agent == ""
    assert options(own={"user_agent": "site"}).access.user_agent == "site"
    assert options(own={"user_agent": "site"}, given={"user_agent": "crawl"}).access.user_agent == "crawl"
