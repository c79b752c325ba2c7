"""Tests of following links beyond the depth limit, on a real database without Scrapy."""

import pytest

from sitecrawl.crawl import deep_lists
from sitecrawl.crawl.deep_lists import DeepLists, leading_on
from sitecrawl.crawl.out_of_scope import OutOfScope
from sitecrawl.links.urls import url_key
from sitecrawl.storage.depths import Edge
from tests.unit.crawl.crawling import ROOT, during, html

LIST, POST = url_key(f"{ROOT}1"), 77


def edge(lists=(LIST,), content=(POST,), above=((LIST, POST),)):
    return Edge(frozenset(lists), frozenset(content), above)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (edge(), {LIST}),
        (edge(content=()), set()),
        (edge(above=((LIST,), (POST,))), set()),  # the list that names it names no main content
        (edge(lists=(1, 2, 3), above=((1, POST), (2,), (3, 1, POST))), {1, 3}),
        (edge(content=())._replace(followed=frozenset((5,))), {5}),  # an earlier crawl followed it
    ],
)
def test_a_page_leads_on_if_the_list_above_names_main_content_too_or_it_did_before(found, expected):
    assert leading_on(found) == expected


def follow(url, monkeypatch, *, found=None, prepare=None, nofollow=False, **settings):
    """Store page /1 at the limit of depth, with two links beyond it; return what following it adds and changes."""
    monkeypatch.setattr(deep_lists.DepthRepository, "edge", lambda *_: found or edge())

    async def run(crawling):
        crawl = crawling.crawl
        item = crawling.item(f"{ROOT}1", html(1, links=("/2", "/3")), depth=20)
        if nofollow:  # as selection leaves it
            item.links = ()
        await crawling.store(item)
        await crawling.waiting()
        crawl.frontier.exhausted = True
        crawl.report.too_deep.update({20: 3, 40: 1})
        if prepare is not None:
            prepare(crawl)
        added = await DeepLists(crawl, OutOfScope(crawl)).follow()
        due = {(one.url, one.depth) for one in await crawling.due()}
        return added, due, crawl.frontier.exhausted, crawl.report.too_deep

    return during(url, run, **settings)


def test_the_links_of_a_list_are_added(sqlite_url, monkeypatch):
    urls = {(f"{ROOT}{path}", 21) for path in ("", "2", "3")}
    assert follow(sqlite_url, monkeypatch) == (3, urls, False, {40: 1})


def test_a_list_whose_links_are_not_to_be_followed_is_the_end(sqlite_url, monkeypatch):
    assert follow(sqlite_url, monkeypatch, nofollow=True) == (0, set(), True, {20: 3, 40: 1})


def test_without_a_limit_nothing_is_left(sqlite_url, monkeypatch):
    added, due, *_ = follow(sqlite_url, monkeypatch, depth_step=0)
    assert (added, len(due)) == (0, 3)  # they were found with the page


def stop(crawl):
    crawl.frontier.stopped = "shutdown"


def fill(crawl):
    crawl.frontier.max_pages = 1


def forget(crawl):
    crawl.frontier.known.update(url_key(f"{ROOT}{path}") for path in ("", "2", "3"))


def lose(crawl):
    crawl.bodies.read = lambda key: None


@pytest.mark.parametrize("prepare", [stop, fill, forget, lose])
def test_a_crawl_that_has_ended_or_finds_nothing_new_goes_no_farther(sqlite_url, monkeypatch, prepare):
    assert follow(sqlite_url, monkeypatch, prepare=prepare) == (0, set(), True, {20: 3, 40: 1})


def test_an_edge_without_main_content_is_the_end(sqlite_url, monkeypatch):
    assert follow(sqlite_url, monkeypatch, found=edge(content=())) == (0, set(), True, {20: 3, 40: 1})
