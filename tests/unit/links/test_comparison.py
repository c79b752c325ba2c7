"""Tests of the order in which a page is compared with stored pages."""

from itertools import islice

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.links.anchors import anchors
from sitecrawl.links.comparison import (
    LOADED,
    Comparison,
    StoredKeys,
    comparison_order,
    linked_pages,
    read_selection,
    site_sample,
)
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import url_key

OWN = 7
STORED = StoredKeys.of([1, 2, 3, 4, 5, 6, OWN, 8, 9])


def ordered(linked, size=4, stored=STORED, **options):
    return list(islice(comparison_order(linked, OWN, stored, size=size, **options), size))


def test_links_come_in_order_and_then_pages_as_they_were_fetched():
    assert ordered([5, 3, 9, 2, 8]) == [5, 3, 9, 2]
    assert ordered([5, 3]) == [5, 3, 1, 2]
    assert ordered([OWN, 5, 5], size=9) == [5, 1, 2, 3, 4, 6, 8, 9]


def test_a_link_to_no_stored_page_is_replaced_by_the_next_one():
    links = "".join(f"<p><a href=/{name}>{name}</a></p>" for name in ("dead", "b", "c", "d"))
    page = Page.from_html(f"<html><body>{links}</body></html>", "https://example.org/a")
    found = anchors(page, SiteScope.of(page.url)).found
    keys = [url_key(f"https://example.org/{name}") for name in "bcd"]
    assert list(linked_pages(page, found, StoredKeys.of(keys))) == keys
    assert list(linked_pages(page, found, StoredKeys.of(keys[1:]))) == keys[1:]


def test_a_complete_subdigraph_comes_first_then_the_other_links():
    links = {5: {3}, 3: {9, 5, 2}, 9: {3, 2}, 2: {9, 3}, 8: set()}
    assert ordered([5, 3, 9, 2, 8], 3, selection="subdigraph", links=links) == [3, 9, 2]
    assert ordered([5, 3, 9, 2, 8], 5, selection="subdigraph", links=links) == [3, 9, 2, 5, 8]
    assert ordered([5, 3], 4, selection="subdigraph", links={}) == [5, 3, 1, 2]


def test_a_complete_subdigraph_is_looked_for_among_the_first_links():
    many = StoredKeys.of(range(100, 200))
    linked = range(100, 100 + LOADED + 2)
    last = {LOADED + 100, LOADED + 101}
    links = dict.fromkeys(last, last)
    assert ordered(linked, 2, stored=many, selection="subdigraph", links=links) == [100, 101]


def test_the_links_that_a_comparison_needs_are_those_of_linked_pages_in_a_subdigraph():
    names = "bcdef"
    links = "".join(f"<p><a href=/{name}>{name}</a></p>" for name in names)
    page = Page.from_html(f"<html><body>{links}</body></html>", "https://example.org/a")
    keys = [url_key(f"https://example.org/{name}") for name in names]
    stored, found = StoredKeys.of([*reversed(keys), OWN]), anchors(page, SiteScope.of(page.url)).found
    plain = Comparison(page, url_key(page.url), found, stored, size=2)
    assert plain.needed_links == []
    assert list(plain.keys({})) == [*keys, OWN]
    graph = Comparison(page, url_key(page.url), found, stored, size=2, selection="subdigraph")
    assert graph.needed_links == keys
    assert list(graph.keys({keys[2]: {keys[4]}, keys[4]: {keys[2]}}))[:3] == [keys[2], keys[4], keys[0]]


def test_a_sample_of_the_site_changes_little_when_the_site_grows():
    keys = [url_key(f"https://example.org/{number}") for number in range(100)]
    some, all_of_them = site_sample(keys[:90])[:25], site_sample(keys)[:25]
    assert some != keys[:25]
    assert some == site_sample(reversed(keys[:90]))[:25]
    assert len(set(some) & set(all_of_them)) >= 20


def test_random_pages_are_the_same_in_each_run_and_never_the_page_itself():
    found = ordered([], 8, selection="random")
    assert sorted(found) == [1, 2, 3, 4, 5, 6, 8, 9]
    assert found == ordered([5], 8, selection="random")
    other = list(islice(comparison_order([], 8, STORED, size=8, selection="random"), 8))
    assert found != other
    assert OWN in other


def test_an_unknown_selection_is_an_error():
    assert read_selection("n-set", "temex") == "n-set"
    with pytest.raises(ConfigError, match=r"temex: selection is 'best'; give n-set, subdigraph, random"):
        read_selection("best", "temex")
