"""Tests of layouts in the database: templates apart, pages that have them, bodies set aside."""

import dataclasses
import datetime as dt

import pytest

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.errors import LabelRuleError
from sitecrawl.storage import templates as templates_module
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.changes import NodeChange, StyleChange, TemplateChanges
from tests.fetched import fetched
from tests.unit.storage.test_contents import record

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def fetch(key, crawl_id=1, html="<p>hello", status=PageStatus.FETCHED):
    url = f"https://example.org/{key}"
    return fetched(key, url=url, status=status, crawl_id=crawl_id, html=html, discovery=1)


def changes(layout, version, pages=3):
    nodes = (NodeChange(7, 0, 0, "html", pages, pages, 1, 100, 10, 3),)
    return TemplateChanges(version, pages, 0.5, None, nodes, (StyleChange(7, 9, pages),), layout=layout)


def test_layouts_are_counted_apart(engine, site_id):
    with session_scope(engine) as session:
        templates = TemplateRepository(session)
        templates.add(site_id, changes(1, 1), NOW, crawl_id=4)
        templates.add(site_id, changes(2, 2, pages=5), NOW, crawl_id=6)
        templates.add(site_id, changes(1, 3), NOW, crawl_id=6)
        heads = templates.layouts(site_id)
        assert [(head.layout, head.version, head.pages_seen, head.crawl_id) for head in heads] == [
            (1, 3, 6, 4),
            (2, 2, 5, 6),
        ]
        assert [templates.load(site_id, layout).nodes[0].pages for layout in (1, 2)] == [6, 5]
        templates.add(site_id, TemplateChanges(4, 0, 0.5, None, dropped=(7,), layout=1), NOW)
        assert templates.load(site_id, 1).nodes == ()
        assert len(templates.load(site_id, 2).nodes) == 1
        assert templates.load(site_id, 3) is None


def test_a_retired_layout_keeps_its_numbers_only(engine, site_id):
    later = NOW + dt.timedelta(days=1)
    with session_scope(engine) as session:
        templates = TemplateRepository(session)
        for layout in (1, 2):
            templates.add(site_id, changes(layout, layout), NOW)
        templates.retire(site_id, [1], later)
        templates.retire(site_id, [1], later + dt.timedelta(days=1))
        assert templates.load(site_id, 1) is None
        assert len(templates.load(site_id, 2).styles) == 1
        assert [head.retired_at for head in templates.layouts(site_id)] == [later, None]
        assert [(one.version, one.pages_seen) for one in SiteRepository(session).all()] == [(2, 3)]


def test_templates_learned_anew_take_the_place_of_all(engine, site_id, monkeypatch):
    with session_scope(engine) as session:
        templates, pages = TemplateRepository(session), PageRepository(session)
        pages.record(site_id, [fetch(1)])
        pages.mark_learned(site_id, [1], 1)
        LayoutRepository(session).place(site_id, 1, 1, counted=True)
        for layout in (1, 2):
            templates.add(site_id, changes(layout, layout), NOW, crawl_id=8)
        monkeypatch.setattr(templates_module, "LABEL_RULE", 99)
        with pytest.raises(LabelRuleError, match="run: sitecrawl reextract"):
            templates.load(site_id, 1)
        templates.replace(site_id, [changes(1, 3, pages=2)], NOW)
        stored = templates.load(site_id, 1)
        assert (stored.version, stored.pages, stored.nodes[0].pages) == (3, 2, 2)
        heads = templates.layouts(site_id)
        assert [(head.label_rule, head.crawl_id, head.retired_at) for head in heads] == [
            (99, 8, None),
            (LABEL_RULE, 8, NOW),
        ]
        assert LayoutRepository(session).counted(site_id) == {}
        assert LayoutRepository(session).layout(site_id, 1) == 1


def test_pages_have_layouts(engine, site_id):
    with session_scope(engine) as session:
        pages, layouts = PageRepository(session), LayoutRepository(session)
        pages.record(site_id, [fetch(key) for key in (1, 2, 3, 4)])
        pages.record(site_id, [fetch(5, html=None), fetch(6, crawl_id=2), fetch(7, status=PageStatus.GONE)])
        pages.mark_learned(site_id, [1, 2], 3)
        layouts.place(site_id, 1, 1, counted=True)
        layouts.place(site_id, 2, 2, counted=False)
        layouts.place(site_id, 7, 2, counted=True)
        assert layouts.counted(site_id) == {1: 1}
        assert layouts.used(site_id) == {1: 1, 2: 1}
        assert layouts.unplaced(site_id, 2, 10) == [3, 4]
        assert layouts.unplaced(site_id, 3, 2) == [4, 6]
        assert layouts.bodies(site_id) == [1, 2, 3, 4, 6]
        assert layouts.pages(site_id, 2, 10) == [2]
        assert layouts.earlier(site_id, 3) is None
        assert layouts.earlier(site_id, 1) == (1, "https://example.org/1", "<p>hello")
        layouts.clear(site_id)
        assert layouts.used(site_id) == layouts.counted(site_id) == {}


def test_the_body_before_is_kept_until_the_page_was_compared(engine, site_id):
    with session_scope(engine) as session:
        pages, layouts = PageRepository(session), LayoutRepository(session)
        layouts.keep_previous(site_id, 1)
        assert layouts.previous(site_id, 1) is None
        pages.record(site_id, [fetch(1, html="<p>one")])
        assert layouts.previous(site_id, 1) == "<p>one"
        for html in ("<p>two", "<p>three"):
            layouts.keep_previous(site_id, 1)
            pages.record(site_id, [fetch(1, html=html)])
        assert layouts.previous(site_id, 1) == "<p>one"
        layouts.drop_previous(site_id, 1)
        assert layouts.previous(site_id, 1) == BodyRepository(session).stored(site_id, 1).html == "<p>three"


def test_what_fetches_nothing_is_no_crawl_to_resume(engine, site_id):
    with session_scope(engine) as session:
        crawls = CrawlRepository(session)
        first = crawls.begin_finished(site_id, NOW, "reextract")
        assert not crawls.unfinished(site_id)
        assert crawls.begin_finished(site_id, NOW, "reextract") == first
        crawls.finish(first, NOW, "reextract", {"pages": 3})
        second = crawls.begin_finished(site_id, NOW, "reextract")
        assert second != first
        assert not crawls.begin(site_id, NOW).resumed
        assert crawls.unfinished(site_id)
        assert crawls.begin_finished(site_id, NOW, "reextract") not in (first, second)


def other_site(session, keys):
    """Store a second site that has other pages with the same layouts, all with bodies and content."""
    site_id = SiteRepository(session).get_or_add("other.example", "https://other.example/", NOW).id
    stored(session, site_id, dict.fromkeys(keys, (1, 9)))
    return site_id


def stored(session, site_id, pages):
    """Store pages, given with their layout and the version that extracted them, each with a body and content."""
    layouts = LayoutRepository(session)
    for key, (layout, version) in pages.items():
        PageRepository(session).record(site_id, [fetch(key)])
        made = dataclasses.replace(record(key=key, order=key, words=f"text {key}"), template_version=version)
        ContentRepository(session).put(site_id, made)
        if layout is not None:
            layouts.place(site_id, key, layout, counted=True)


def test_pages_that_no_template_counts_yet(engine, site_id):
    with session_scope(engine) as session:
        layouts = LayoutRepository(session)
        stored(session, site_id, {1: (1, 3), 2: (1, 3), 3: (1, 3), 4: (2, 3), 5: (None, None), 6: (1, 3)})
        other_site(session, range(11, 15))
        PageRepository(session).mark_learned(site_id, [1], 3)
        BodyRepository(session).drop(site_id, 2)
        assert layouts.uncounted(site_id) == {1: 3, 2: 1}
        assert layouts.uncounted_pages(site_id, 1, 10) == [3, 6]
        assert layouts.uncounted_pages(site_id, 1, 1) == [3]
        assert layouts.uncounted_pages(site_id, 3, 10) == []


@pytest.mark.parametrize(("layout", "again"), [(1, [2, 3]), (2, [4]), (3, []), (None, [6])])
def test_the_pages_of_a_layout_are_extracted_again(engine, site_id, layout, again):
    """Not those whose text another layout had extracted, before the first version of this one."""
    with session_scope(engine) as session:
        layouts = LayoutRepository(session)
        pages = {1: (1, 2), 2: (1, 3), 3: (1, 5), 4: (2, 0), 5: (None, 4), 6: (None, None), 7: (1, None)}
        stored(session, site_id, pages)
        other = other_site(session, (2, 3))
        PageRepository(session).mark_learned(site_id, [2], 3)
        PageRepository(session).mark_learned(site_id, [3], 5)
        layouts.unsettle(site_id, layout)
        assert layouts.unsettled(site_id) == again
        assert layouts.unsettled(other) == []


def test_only_what_can_be_extracted_again_is(engine, site_id):
    with session_scope(engine) as session:
        layouts, pages = LayoutRepository(session), PageRepository(session)
        stored(session, site_id, dict.fromkeys(range(1, 5), (1, 1)))
        layouts.unsettle(site_id, 1)
        BodyRepository(session).drop(site_id, 1)
        pages.record(site_id, [fetch(2, html=None, status=PageStatus.GONE)])
        DeletionRepository(session).carry_out(site_id, [3], 1, 9, NOW)
        assert layouts.unsettled(site_id) == [4]


@pytest.fixture
def placed(engine, site_id):
    """Pages 1 to 6 of two sites with their bodies: 1 and 2 counted, 3 passed over, 4 and 5 to be learned, 6 unplaced."""
    with session_scope(engine) as session:
        other = SiteRepository(session).get_or_add("b.example", "https://b.example/", NOW).id
        pages = PageRepository(session)
        for number in (site_id, other):
            pages.record(number, [fetch(key)._replace(fetch_order=9 - key) for key in range(1, 7)])
            for key, layout, version in ((1, 1, 1), (2, 1, 2), (3, 1, 0), (4, 1, None), (5, 2, None)):
                pages.amend(number, [{"url_key": key, "layout": layout, "learned_version": version}])
        yield LayoutRepository(session), pages


def test_pages_are_counted_by_a_template_once_they_have_a_version(placed, site_id):
    layouts, pages = placed
    assert layouts.counted(site_id) == {1: 1, 2: 1}
    pages.amend(site_id, [{"url_key": 1, "layout": None}])
    assert layouts.counted(site_id) == {1: 0, 2: 1}
    assert layouts.used(site_id) == {1: 3, 2: 1}
    pages.amend(site_id, [{"url_key": 2, "status": int(PageStatus.GONE)}])
    assert layouts.used(site_id) == {1: 2, 2: 1}


def test_pages_that_are_to_be_learned_are_found_by_layout(placed, site_id):
    layouts, pages = placed
    assert layouts.uncounted(site_id) == {1: 1, 2: 1}
    pages.amend(site_id, [{"url_key": 2, "learned_version": None}])
    assert layouts.uncounted(site_id) == {1: 2, 2: 1}
    assert (layouts.uncounted_pages(site_id, 1, 9), layouts.uncounted_pages(site_id, 1, 1)) == ([2, 4], [2])
    BodyRepository(layouts.session).drop(site_id, 2)
    assert layouts.uncounted_pages(site_id, 1, 9) == [4]
    pages.amend(site_id, [{"url_key": 4, "status": int(PageStatus.GONE)}])
    assert layouts.uncounted_pages(site_id, 1, 9) == []


def test_pages_of_a_layout_are_shown_counted_ones_first_and_sampled_by_their_keys(placed, site_id):
    layouts, pages = placed
    assert (layouts.pages(site_id, 1, 9), layouts.pages(site_id, 1, 1)) == ([2, 1, 4, 3], [2])
    assert (layouts.sample(site_id, 1, 9), layouts.sample(site_id, 1, 2)) == ([1, 2, 3, 4], [1, 2])
    pages.amend(site_id, [{"url_key": 1, "status": int(PageStatus.GONE)}])
    assert layouts.sample(site_id, 1, 9) == [2, 3, 4]
    assert layouts.bodies(site_id) == [6, 5, 4, 3, 2]
    assert [layouts.layout(site_id, key) for key in (5, 6, 99)] == [2, None, None]


def test_pages_of_other_crawls_without_a_layout_come_in_the_order_of_their_fetches(placed, site_id):
    layouts, pages = placed
    pages.amend(
        site_id, [{"url_key": key, "layout": None, "crawl_id": crawl} for key, crawl in ((1, 3), (2, 2), (3, 2))]
    )
    assert layouts.unplaced(site_id, 9, 9) == [6, 3, 2, 1]
    assert layouts.unplaced(site_id, 2, 9) == [6, 1]
    assert layouts.unplaced(site_id, 9, 2) == [2, 1]
    pages.amend(site_id, [{"url_key": 2, "status": int(PageStatus.GONE)}])
    BodyRepository(layouts.session).drop(site_id, 1)
    assert layouts.unplaced(site_id, 9, 9) == [6, 3]


def test_texts_that_were_made_before_the_first_version_of_a_layout_stay(placed, site_id):
    layouts, pages = placed
    pages.amend(site_id, [{"url_key": 1, "learned_version": 0}])
    contents = ContentRepository(layouts.session)
    for key, version in ((1, 2), (2, 3), (3, 1), (4, None), (5, 1), (6, None)):
        contents.put(site_id, record(key=key, template_version=version))
    layouts.unsettle(site_id, 1)  # its first version that counts a page is 2
    assert layouts.unsettled(site_id) == [2, 1]
    layouts.unsettle(site_id, 2)  # no page of it is counted
    assert layouts.unsettled(site_id) == [5, 2, 1]
    layouts.unsettle(site_id, None)
    assert layouts.unsettled(site_id) == [6, 5, 2, 1]
    layouts.place(site_id, 1, 2, counted=True)
    layouts.place(site_id, 2, None, counted=False)
    assert (layouts.layout(site_id, 1), layouts.layout(site_id, 2)) == (2, None)
    assert layouts.counted(site_id) == {}
