"""Tests of when the decision of a layout is wrong."""

from sqlalchemy import text

from sitecrawl.storage.db.engine import session_scope
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html
from tests.unit.crawl.test_publishing import learn


def test_a_method_that_compares_pages_decides_anew_whenever_a_layout_has_learned_more(sqlite_url):
    async def wrong(crawling):
        for number in range(1, PAGES + 1):
            await learn(crawling, number)
        await crawling.crawl.publishing.exhaust()
        (layout,) = crawling.crawl.learning.layouts.published
        return await crawling.crawl.publishing.decisions.is_wrong(layout)

    assert during(sqlite_url, wrong, extractor="rbm-td") is True
    assert during(sqlite_url.replace("test.db", "other.db"), wrong) is False


def test_pages_that_leave_a_decision_as_it_is_are_marked_as_passed_over(sqlite_url):
    """No template counts them, and none waits for them."""

    async def passed(crawling):
        crawl = crawling.crawl
        await crawled(crawling, range(1, PAGES + 1))
        for number in (20, 21):
            await crawling.page(f"{ROOT}{number}", html(number))
        (layout,) = crawl.learning.layouts.published
        before = dict(crawl.learning.unpublished)
        decided = await crawl.publishing.decisions.is_wrong(layout)
        await crawl.writer.flush()
        with session_scope(crawl.engine, write=False) as session:
            rows = session.execute(text("SELECT url, learned_version FROM page")).all()
        return decided, len(before[1]), crawl.learning.unpublished, {url.removeprefix(ROOT): one for url, one in rows}

    decided, before, after, versions = during(sqlite_url, passed)
    assert (decided, before, after) == (False, 2, {})
    assert versions == {"": None, "20": 0, "21": 0} | {str(number): 1 for number in range(1, PAGES + 1)}
