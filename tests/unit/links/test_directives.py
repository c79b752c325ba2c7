import datetime as dt

import pytest

from sitecrawl.links.directives import Directives, read_directives

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def read(*headers, metas=()):
    return read_directives(metas, headers, NOW)


@pytest.mark.parametrize(
    ("header", "noindex", "nofollow"),
    [
        ("noindex", True, False),
        ("NoIndex, NoArchive", True, False),
        ("nofollow", False, True),
        ("none", True, True),
        ("all", False, False),
        ("index, follow, max-snippet:0, max-image-preview: large", False, False),
        ("googlebot: noindex, nofollow", False, False),
        ("googlebot: noindex, sitecrawl: nofollow", False, True),
        ("noindex, googlebot: nofollow", True, False),
        ("sitecrawl: none", True, True),
        ("SiteCrawl : noindex", True, False),
        ("unavailable_after: 2020-01-01", True, False),
        ("unavailable_after: Fri, 25 Jun 2010 15:00:00 PST", True, False),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", True, True),
        ("unavailable_after: 2099-01-01", False, False),
        ("unavailable_after: soon", False, False),
        ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST", False, False),
        ("sitecrawl: unavailable_after: 25 Jun 2010 15:00:00 PST", True, False),
        ("noindexed", False, False),
        ("", False, False),
        (",,:,: ,", False, False),
    ],
)
def test_headers(header, noindex, nofollow):
    found = read(header)
    assert (found.noindex, found.nofollow) == (noindex, nofollow)


def test_a_crawlers_name_holds_for_its_own_header_only():
    assert read("googlebot: nofollow", "noindex") == Directives(noindex=True)
    assert read("noindex", "nofollow") == Directives(noindex=True, nofollow=True)


def test_meta_elements_of_other_crawlers_are_passed_over():
    assert read(metas=[("googlebot", "noindex"), ("ROBOTS ", "nofollow")]) == Directives(nofollow=True)
    assert read(metas=[("sitecrawl", "noindex"), ("robots", "all")]) == Directives(noindex=True)
    assert read(metas=[("description", "noindex")]) == Directives()


def test_the_strictest_source_holds():
    assert read("all", metas=[("robots", "none")]) == Directives(noindex=True, nofollow=True)


def test_expiry_is_told_apart():
    assert read("unavailable_after: 2020-01-01").expired
    assert not read("noindex").expired


def test_an_expiry_to_come_is_told():
    assert read("unavailable_after: 2099-01-01") == Directives(expires=True)
    assert not read("unavailable_after: 2020-01-01").expires
    assert not read("googlebot: unavailable_after: 2099-01-01").expires
    assert not read("unavailable_after: soon").expires


def test_a_page_may_be_called_by_another_agent():
    assert read_directives([], ["mybot: noindex"], NOW, "MyBot").noindex


def test_long_values_are_cut():
    assert not read("x, " * 5000 + "noindex").noindex
