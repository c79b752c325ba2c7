from scrapy.downloadermiddlewares import cookies

from sitecrawl.links.scope import public_suffixes
from sitecrawl.shell.cookie_domains import NAME, use_bundled_suffixes


def test_scrapy_judges_domains_of_cookies_by_the_bundled_list(monkeypatch):
    monkeypatch.setattr(cookies, NAME, getattr(cookies, NAME))  # it is there, and restored afterwards
    use_bundled_suffixes()
    assert getattr(cookies, NAME) is public_suffixes()
    assert public_suffixes().suffix_list_urls == ()
    assert cookies._is_public_domain("co.uk")
    assert not cookies._is_public_domain("example.co.uk")


def test_a_scrapy_without_that_function_stays_as_it_is(monkeypatch):
    monkeypatch.delattr(cookies, NAME)
    use_bundled_suffixes()
    assert not hasattr(cookies, NAME)
