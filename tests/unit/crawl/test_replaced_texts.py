"""Tests of pages that arrive without text or with the text of other pages, on a real database without Scrapy."""

from dataclasses import replace

import pytest

from sitecrawl.clock import now as clock
from sitecrawl.crawl.page_lifecycle import FetchResult
from sitecrawl.crawl.replaced_texts import ReplacedTexts
from sitecrawl.dom.page import Page
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.deletions import DeletionRepository
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

DOWN = "<html><body><h1>We will be back soon</h1><p>The site is down for maintenance.</p></body></html>"
BLANK = "<html><head><title>Title 1</title></head><body></body></html>"
BROKEN = "<html><body><h1>Error establishing a database connection</h1></body></html>"
SHELL = "<html><body><div id=app>Loading</div><script src=/app.js></script></body></html>"


def judged(url, answers, *, first=False, prepare=None):
    """Return the results for answers (number of the page, HTML) in the second crawl of a site."""

    async def earlier(crawling):
        await crawled(crawling, range(1, PAGES + 3))

    async def now(crawling):
        if prepare is not None:
            await crawling.crawl.writer.submit(lambda s: prepare(s, crawling.crawl))
        texts, found = ReplacedTexts(crawling.crawl), []
        for number, body in answers:
            outcome = await texts.judge(url_key(f"{ROOT}{number}"), Page.from_html(body, f"{ROOT}{number}"))
            found.append(outcome and outcome.result)
        return found

    if not first:
        during(url, earlier, reason="finished")
    return during(url, now)


def test_the_second_known_page_with_one_text_gives_it_away(sqlite_url):
    answers = [(number, DOWN) for number in (91, 1, 2, 3)]  # the first one is new
    assert judged(sqlite_url, answers) == [None, None, FetchResult.FAILED, FetchResult.FAILED]


def test_a_text_that_was_found_out_is_known_in_the_next_crawl(sqlite_url):
    async def outage(crawling):
        texts, crawl = ReplacedTexts(crawling.crawl), crawling.crawl
        for number in (1, 2):
            url = f"{ROOT}{number}"
            outcome = await texts.judge(url_key(url), Page.from_html(DOWN, url))
            if outcome is not None:
                await crawl.visits.settle(url_key(url), url, outcome, 200, 1)

    async def earlier(crawling):
        await crawled(crawling, range(1, PAGES + 3))

    during(sqlite_url, earlier, reason="finished")
    during(sqlite_url, outage, reason="finished")
    assert judged(sqlite_url, [(3, DOWN), (4, html(4)), (91, DOWN)], first=True) == [
        FetchResult.FAILED,
        None,
        FetchResult.FAILED,
    ]


async def visited(crawling, number, body):
    """Visit one page as a crawl of a few due pages does; return whether it is kept."""
    url = f"{ROOT}{number}"
    outcome = await ReplacedTexts(crawling.crawl).judge(url_key(url), Page.from_html(body, url))
    if outcome is None:
        await crawling.page(url, body)
    else:
        await crawling.crawl.visits.settle(url_key(url), url, outcome, 200, 1)
    await crawling.crawl.publishing.exhaust()
    await crawling.waiting()
    return outcome is not None


CONSENT = html(0, text="We and our partners use cookies. " * 8).replace(
    "Story number 0", "Accept all and go on to the site; it"
)


def test_crawls_of_one_page_compare_it_with_pages_that_changed_before(sqlite_url):
    async def earlier(crawling):
        await crawled(crawling, range(1, PAGES + 3))

    during(sqlite_url, earlier, reason="finished")
    answers = ((1, CONSENT), (2, CONSENT), (3, html(3, text="Corrected.")), (4, CONSENT), (1, html(1)))
    kept = [during(sqlite_url, lambda crawling, one=one: visited(crawling, *one), reason="finished") for one in answers]
    assert kept == [False, True, False, True, False]


def test_a_page_whose_text_another_one_takes_is_a_page(sqlite_url):
    """Page 1 shows the text of page 2 from now on; page 2 has not changed."""

    async def earlier(crawling):
        await crawled(crawling, range(1, PAGES + 3))

    during(sqlite_url, earlier, reason="finished")
    kept = [
        during(sqlite_url, lambda crawling, number=number: visited(crawling, number, html(2)), reason="finished")
        for number in (1, 2)
    ]
    assert kept == [False, False]


def test_pages_with_texts_of_their_own_are_pages(sqlite_url):
    answers = [(number, html(number)) for number in range(1, 5)]
    assert judged(sqlite_url, answers) == [None] * 4


def test_new_pages_with_one_text_are_pages(sqlite_url):
    assert judged(sqlite_url, [(number, DOWN) for number in range(91, 95)]) == [None] * 4


@pytest.mark.parametrize("body", [BLANK, SHELL, BROKEN])
def test_a_known_page_with_next_to_no_text_is_not_the_page(sqlite_url, body):
    assert judged(sqlite_url, [(1, body), (91, body)]) == [FetchResult.FAILED, None]


def test_a_short_page_that_was_short_before_is_the_page(sqlite_url):
    def shorten(session, crawl):
        contents = ContentRepository(session)
        stored = contents.get(crawl.site_id, url_key(f"{ROOT}1"))
        contents.put(crawl.site_id, replace(stored.record, text="A poem of one line.", words=5, digest="0" * 32))

    assert judged(sqlite_url, [(1, SHELL)], prepare=shorten) == [None]


def test_nothing_is_judged_in_a_first_crawl(sqlite_url):
    assert judged(sqlite_url, [*((number, DOWN) for number in range(1, 5)), (5, BLANK)], first=True) == [None] * 5


def test_pages_that_had_one_text_before_may_have_one_now(sqlite_url):
    def alike(session, crawl):
        contents = ContentRepository(session)
        for number in range(1, 5):
            stored = contents.get(crawl.site_id, url_key(f"{ROOT}{number}"))
            contents.put(crawl.site_id, replace(stored.record, digest="0" * 32))

    assert judged(sqlite_url, [(number, DOWN) for number in range(1, 5)], prepare=alike) == [None] * 4


def test_a_page_that_is_gone_may_come_back_without_text(sqlite_url):
    def delete(session, crawl):
        DeletionRepository(session).carry_out(crawl.site_id, [url_key(f"{ROOT}1")], crawl.crawl_id, 0, clock())

    assert judged(sqlite_url, [(1, BLANK)], prepare=delete) == [None]
