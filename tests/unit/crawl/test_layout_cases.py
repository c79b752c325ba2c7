"""Sites other than ordinary sites with one layout, as described in docs/templates.md."""

import asyncio

import pytest
from sqlalchemy import text

from sitecrawl.storage.db.engine import open_database, session_scope
from tests.unit.crawl.test_settled import WORDS, address, opened, page, records, reextracted

NEW = (
    "<html><body><main class=sheet><header class=top><b>Site</b></header><section class=story><h2>Report {0}</h2>"
    "<div class=copy>{1}</div></section></main></body></html>"
)


async def crawled(url, pages, **settings):
    crawling = opened(url, **settings)
    rows = [await crawling.page(address(number), html) for number, html in enumerate(pages, 1)]
    rows += await crawling.end()
    return crawling.crawl, [row for row in rows if row is not None]


def crawl(url, pages, **settings):
    made, rows = asyncio.run(crawled(url, pages, **settings))
    assert asyncio.run(reextracted(url)) == []
    return made, rows


def decision_of(url):
    with session_scope(open_database(url)) as session:
        return session.execute(text("SELECT layout, pages_seen, decision FROM template ORDER BY layout")).all()


@pytest.mark.parametrize("pages", [1, 2])
def test_a_site_of_one_page_or_two_has_a_decision_that_binds_none(sqlite_url, pages):
    made, rows = crawl(sqlite_url, [page(number) for number in range(1, pages + 1)])
    assert len(rows) == pages
    assert all(f"Report {number}" in row.text or "were seen" in row.text for number, row in enumerate(rows, 1))
    decision = made.learning.decision_of(1)
    assert decision.pages == pages
    assert not decision.binds


def unlike(number):
    """A page that shares no element with any other."""
    words = " ".join(f"{WORDS[(number + i) % len(WORDS)]} of day {number}" for i in range(30))
    name = "".join(chr(97 + int(digit)) for digit in str(number))
    inner = f"<p class=p{name}>{words}.</p>"
    for level in range(4):
        inner = f"<div class='x{name}{'abcd'[level]}'><i class=i{name}{'abcd'[level]}>{number}</i>{inner}</div>"
    return f"<html><body>{inner}</body></html>"


def test_a_site_whose_every_page_is_its_own_layout_is_cut_page_by_page(sqlite_url):
    made, rows = crawl(sqlite_url, [unlike(number) for number in range(1, 21)])
    assert len(rows) == 20
    assert all(f"of day {number}" in row.text for number, row in enumerate(rows, 1))
    assert len(made.learning.layouts.published) == 1  # all that a first crawl finds is its first layout
    assert made.learning.decision_of(1).verdicts == {}  # no path is on four pages


def test_a_site_that_is_redesigned_halfway_has_two_layouts_that_decide_apart(sqlite_url):
    old = [page(number) for number in range(1, 9)]
    redesigned = [NEW.format(number, page(number).partition("</h1>")[2][:600]) for number in range(9, 25)]
    first, rows = asyncio.run(crawled(sqlite_url, old))
    assert (len(rows), len(first.learning.layouts.published)) == (8, 1)

    async def again():
        crawling = opened(sqlite_url)
        rows = [await crawling.page(address(number), html) for number, html in enumerate(redesigned, 1)]
        return crawling.crawl, [row for row in (*rows, *await crawling.end()) if row is not None]

    second, _ = asyncio.run(again())
    layouts = decision_of(sqlite_url)
    assert [layout for layout, _, _ in layouts][-1] == 2
    assert second.learning.decision_of(2).pages == 16
    assert len(records(sqlite_url)) == 16


def test_pages_that_are_all_identical_count_once(sqlite_url):
    made, rows = crawl(sqlite_url, [page(1)] * 12)
    assert len(rows) == 12
    assert len({row.text for row in rows}) == 1
    assert [row.duplicate_of is None for row in rows].count(True) == 1
    assert made.learning.layouts.newest.template.pages_seen == 1
    assert not made.learning.decision_of(1).binds
