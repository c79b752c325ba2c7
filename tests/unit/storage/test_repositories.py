import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.errors import LabelRuleError, SiteLeasedError, UnknownSiteError
from sitecrawl.links.discovered import Discovered
from sitecrawl.storage import templates as templates_module
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.changes import NodeChange, StyleChange, TemplateChanges
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
def site(engine):
    with session_scope(engine) as session:
        return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW)


def found(key, priority=10, discovery=1):
    return Discovered(key, f"https://example.org/{key}", 1, 0, None, priority, discovery)


def fetch(key, crawl_id, status=PageStatus.FETCHED, html="<p>hello", order=1):
    return fetched(
        key, status=status, crawl_id=crawl_id, fetch_order=order, etag='"e"', html=html, sample=(5, 6), discovery=1
    )


def changes(pages=3):
    nodes = (NodeChange(7, 0, 0, "html", pages, pages, 1, 100, 10, 3), NodeChange(8, 7, 1, '"Home"', 2, 2, 0, 8, 8, 2))
    return TemplateChanges(1, pages, 0.5, None, nodes, (StyleChange(7, 99, pages),))


def test_one_of_many_takers_gets_the_lease(engine, site):
    def take(owner):
        try:
            with session_scope(engine) as session:
                SiteRepository(session).lease(site.id, owner, NOW, 60)
        except SiteLeasedError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, [f"owner{i}" for i in range(8)])) == 1


def test_a_lease_that_ran_out_is_taken_over_and_its_owner_notices(engine, site):
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        sites.lease(site.id, "one", NOW, 60)
        end = f"{NOW + dt.timedelta(seconds=60):%Y-%m-%d %H:%M:%S} UTC"
        with pytest.raises(SiteLeasedError, match=f"is being crawled by one; .* its lease ends at {end}"):
            sites.lease(site.id, "two", NOW, 60)
        sites.lease(site.id, "two", NOW + dt.timedelta(seconds=61), 60)
        assert not sites.renew(site.id, "one", NOW, 60)
        assert sites.renew(site.id, "two", NOW, 60)


def test_an_unfinished_crawl_is_resumed_and_a_finished_one_is_not(engine, site):
    with session_scope(engine) as session:
        crawls = CrawlRepository(session)
        first = crawls.begin(site.id, NOW)
        assert not first.resumed
        assert crawls.begin(site.id, NOW)[:2] == (first.id, True)
        crawls.finish(first.id, NOW, "finished", {"pages": 1})
        assert crawls.begin(site.id, NOW).id != first.id


def test_the_frontier_gives_never_fetched_pages_first_then_by_priority(engine, site):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.discover(site.id, [found(1, 5), found(2, 50, 2), found(3, 50, 3), found(4, 99)], NOW)
        pages.discover(site.id, [found(1, 500)], NOW)
        pages.record(site.id, [fetch(4, crawl_id=1)])
        assert [page.url_key for page in pages.frontier(site.id, 2, NOW, 10)] == [2, 3, 1, 4]
        assert [page.url_key for page in pages.frontier(site.id, 1, NOW, 2, excluded={2})] == [3, 1]


def test_a_failure_keeps_the_body_and_sample_of_the_last_good_fetch(engine, site):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site.id, [fetch(1, 1)])
        pages.record(site.id, [fetch(1, 2, PageStatus.ERROR, None)._replace(sample=(), etag=None)])
        stored = BodyRepository(session).stored(site.id, 1)
        assert stored.html == "<p>hello"
        assert stored.sample == (5, 6)
        assert pages.counts(site.id) == {"error": 1}


def test_waiting_and_unlearned_pages_come_in_the_order_of_fetching(engine, site):
    with session_scope(engine) as session:
        pages = PageRepository(session)
        pages.record(site.id, [fetch(key, 1, order=order) for key, order in ((9, 1), (2, 2), (5, 3))])
        pages.mark_learned(site.id, [2], 0)
        assert pages.waiting(site.id, 1) == [9, 2, 5]
        assert pages.unlearned(site.id, 1) == [9, 5]
        pages.mark_learned(site.id, [9], 3)
        assert LayoutRepository(session).counted(site.id) == {9: 0}


def test_template_counts_add_up_and_come_back_as_one_change(engine, site):
    for _ in range(2):
        with session_scope(engine) as session:
            TemplateRepository(session).add(site.id, changes(), NOW)
    with session_scope(engine) as session:
        stored = TemplateRepository(session).load(site.id, 1)
        assert stored.pages == 6
        assert [(node.key, node.pages, node.chars, node.last_page) for node in stored.nodes] == [
            (7, 6, 200, 3),
            (8, 4, 16, 2),
        ]
        assert stored.styles == (StyleChange(7, 99, 6),)
        TemplateRepository(session).add(site.id, TemplateChanges(2, 1, 0.1, 7, dropped=(8,)), NOW)
        stored = TemplateRepository(session).load(site.id, 1)
        assert [node.key for node in stored.nodes] == [7]
        assert (stored.version, stored.stable_since) == (2, 7)
        TemplateRepository(session).forget(site.id)
        assert TemplateRepository(session).load(site.id, 1) is None


def test_counts_of_another_label_rule_are_refused(engine, site, monkeypatch):
    with session_scope(engine) as session:
        TemplateRepository(session).add(site.id, changes(), NOW)
        monkeypatch.setattr(templates_module, "LABEL_RULE", 999)
        with pytest.raises(LabelRuleError, match=f"label rule {LABEL_RULE}"):
            TemplateRepository(session).load(site.id, 1)


def test_forgetting_an_unknown_site_says_so(engine):
    with session_scope(engine) as session, pytest.raises(UnknownSiteError, match="holds nothing"):
        SiteRepository(session).forget("nowhere.org")
