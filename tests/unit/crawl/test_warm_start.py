"""Tests of what a crawl knows of a site's layouts when it begins."""

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl import warm_start
from sitecrawl.crawl.learning import Learning
from sitecrawl.crawl.warm_start import recall, restore, restore_or_relearn
from sitecrawl.errors import LabelRuleError
from sitecrawl.storage.db.engine import session_scope
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

NUMBERS = range(1, PAGES + 3)
TABLE = "<html><body><header><h2>T</h2></header><table><tr><td>Cell of {0}</td><td>{0}</td></tr></table></body></html>"


def learning():
    return Learning(Config(template_min_pages=PAGES))


async def first(crawling):
    """Crawl a site; return the version of its template, and how many pages it counts."""
    await crawled(crawling, NUMBERS)
    learned = crawling.crawl.learning
    return learned.version, learned.template.pages_seen


def begun(url, does, *, sql=None):
    """Return what a function returns that is given a crawl of a site that was crawled before."""
    during(url, first, reason="finished")

    async def run(crawling):
        crawl = crawling.crawl
        for statement in sql or ():
            with session_scope(crawl.engine) as session:
                session.execute(text(statement))
        return does(crawl)

    return during(url, run)


def test_stored_templates_are_restored_with_the_pages_that_they_count(sqlite_url):
    def restored(crawl):
        found = learning()
        restore(crawl.writer.run, crawl.site_id, found)
        return found

    version, pages = during(f"{sqlite_url}2", first, reason="finished")
    found = begun(sqlite_url, restored)
    assert (found.version, found.template.pages_seen, len(found.counted)) == (version, pages, pages)
    assert set(found.counted.values()) == {1}
    assert not found.undecided


OLD_RULE = ("UPDATE template SET label_rule = 0",)


def test_templates_of_another_rule_are_learned_again_from_stored_pages(sqlite_url):
    def relearned(crawl):
        with pytest.raises(LabelRuleError):
            restore(crawl.writer.run, crawl.site_id, learning())
        found, again = learning(), learning()
        restore_or_relearn(
            crawl.writer.run, crawl.site_id, found, crawl.bodies.read, None, now(), crawl.extraction.extractor
        )
        restore(crawl.writer.run, crawl.site_id, again)
        return found, again

    version, _ = during(f"{sqlite_url}2", first, reason="finished")
    found, again = begun(sqlite_url, relearned, sql=OLD_RULE)
    for one in (found, again):
        counts = one.template.pages_seen, len(one.counted)
        assert (one.version, *counts) == (version + 1, len(NUMBERS), len(NUMBERS))
    assert found.template.nodes.keys() == again.template.nodes.keys()
    assert found.decision_of(1) is not None
    assert again.decision_of(1) == found.decision_of(1)


def test_pages_whose_body_is_not_there_are_not_learned_again(sqlite_url):
    def relearned(crawl):
        found = learning()
        restore_or_relearn(
            crawl.writer.run, crawl.site_id, found, crawl.bodies.read, None, now(), crawl.extraction.extractor
        )
        return found

    found = begun(sqlite_url, relearned, sql=(*OLD_RULE, "DELETE FROM body WHERE rowid % 2 = 0"))
    assert 0 < found.template.pages_seen < len(NUMBERS)
    assert len(found.counted) == found.template.pages_seen


def test_without_any_body_the_template_is_gone(sqlite_url):
    def relearned(crawl):
        found = learning()
        restore_or_relearn(
            crawl.writer.run, crawl.site_id, found, crawl.bodies.read, None, now(), crawl.extraction.extractor
        )
        return found.published, found.counted

    assert begun(sqlite_url, relearned, sql=(*OLD_RULE, "DELETE FROM body")) == (False, {})


def test_no_more_pages_are_learned_again_than_a_template_needs(sqlite_url, monkeypatch):
    monkeypatch.setattr(warm_start, "RELEARNED", 3)

    def relearned(crawl):
        found = learning()
        restore_or_relearn(
            crawl.writer.run, crawl.site_id, found, crawl.bodies.read, None, now(), crawl.extraction.extractor
        )
        return found.template.pages_seen

    assert begun(sqlite_url, relearned, sql=OLD_RULE) == 3


def test_strangers_of_earlier_crawls_are_taken_into_account_again(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")

    async def outliers(crawling):
        for number in (20, 21, 22):
            await crawling.page(f"{ROOT}{number}", TABLE.format(number))
        await crawled(crawling, NUMBERS)

    during(sqlite_url, outliers, reason="finished")

    async def again(crawling):
        crawl = crawling.crawl
        found = learning()
        restore(crawl.writer.run, crawl.site_id, found)
        keys = recall(crawl.writer.run, crawl.site_id, found, crawl.bodies.read, crawl.crawl_id)
        return sorted(keys), sorted(crawl.waiting.recalled), found.unpublished

    keys, recalled, unpublished = during(sqlite_url, again)
    assert len(keys) == 3
    assert (recalled, unpublished) == (keys, {2: keys})


def test_a_resumed_crawl_still_discovers_the_layouts_that_it_began(sqlite_url):
    async def interrupted(crawling):
        for number in NUMBERS:
            await crawling.page(f"{ROOT}{number}", html(number))
        return crawling.crawl.learning.layouts.get(1).open

    async def resumed(crawling):
        return crawling.crawl.crawl.resumed, crawling.crawl.learning.layouts.get(1).open

    assert during(sqlite_url, interrupted)
    assert during(sqlite_url, resumed) == (True, True)
