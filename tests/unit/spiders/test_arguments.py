"""Tests of the settings that the access of a crawl changes."""

import pytest
from scrapy.downloadermiddlewares import cookies
from scrapy.settings import Settings

from sitecrawl.crawl.site_options import Access
from sitecrawl.links.scope import public_suffixes
from sitecrawl.shell.cookie_domains import NAME
from sitecrawl.spiders.arguments import apply_access

URL = "https://example.org/"


@pytest.mark.parametrize(
    ("access", "given", "enabled"),
    [
        (Access(), False, False),
        (Access(), True, True),
        (Access(cookies={"session": "1"}), False, True),
    ],
)
def test_cookies_are_checked_with_the_bundled_suffixes_whoever_enables_them(monkeypatch, access, given, enabled):
    monkeypatch.setattr(cookies, NAME, None)
    settings = Settings({"COOKIES_ENABLED": given})
    apply_access(settings, access, URL, polite=True)
    assert settings.getbool("COOKIES_ENABLED") is enabled
    assert getattr(cookies, NAME) is (public_suffixes() if enabled else None)


@pytest.mark.parametrize(("access", "shown"), [(Access(), True), (Access(cookies={"session": "1"}), False)])
def test_the_cookies_of_a_session_are_never_logged(access, shown):
    settings = Settings({"COOKIES_ENABLED": True, "COOKIES_DEBUG": True})
    apply_access(settings, access, URL, polite=True)
    assert settings.getbool("COOKIES_DEBUG") is shown
