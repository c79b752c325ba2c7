"""Tests of the rules that distinguish an edit of a page from a change of its template."""

import datetime as dt
from dataclasses import replace

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.change_detection import confirmed, holds, in_doubt, in_order, with_stored_kind, with_stored_numbers
from sitecrawl.crawl.content import content_record
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction
from sitecrawl.items import PageItem
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.page_state import Known
from sitecrawl.storage.pages import PageRepository, PageState, PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.templates.trie import SiteTemplate
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
OLD = "<div class=menu>Home</div><h1>Harbour</h1><p>The ships came in at night, all of them.</p><em>Signed, the editor</em>"
NEW = "<nav>Start</nav><h2>Harbour</h2><section>The ships came in at <i>night</i>, all of them.</section><b>Signed, the editor</b>"
EDITED = NEW.replace("all of them", "one of them")


def item(html):
    page = Page.from_html(html, "https://example.org/1")
    return PageItem(page=page, url_key=1, html=html, http_status=200, depth=0, fetched_at=NOW)


def record(one, tags, version, crawl_id):
    flat = one.page.flat
    nodes = tuple(i for i, tag in enumerate(flat.tag) if tag in tags)
    template = SiteTemplate(version=version) if version is not None else None
    found = Extraction(nodes, "combined", 0.5)
    return content_record(one, found, template, SiteValues(), Config(content_min_chars=1), crawl_id, 1, NOW)


def second_visit(engine, html, tags, version=1, store_bodies=True):
    """Store OLD as the first crawl does, and return (stored, made, what is to be stored) of the second one."""
    with session_scope(engine) as session:
        site = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        fetch = fetched(1, depth=0, html=OLD)
        PageRepository(session).record(site, [fetch])
        if not store_bodies:
            BodyRepository(session).drop(site, 1)
        old = record(item(OLD), ("h1", "p"), version, 1)
        ContentRepository(session).put(site, old)
        one = item(html)
        made = record(one, tags, 2, 2)
        state = PageRepository(session).state(site, 1)
        if not in_doubt(state, made):
            return old, made, made
        return old, made, confirmed(state, made, one.page, LayoutRepository(session).previous(site, 1), 10_000)


def test_a_line_more_that_stood_there_before_is_no_change(engine):
    old, made, stored = second_visit(engine, NEW, ("h2", "section", "b"))
    assert made.digest != old.digest
    assert (stored.digest, stored.text, stored.template_version) == (old.digest, old.text, 1)
    assert (stored.crawl_id, stored.emit_order, stored.extracted_at) == (2, 1, NOW)


@pytest.mark.parametrize(
    ("html", "tags"),
    [
        (EDITED, ("h2", "section")),
        (NEW.replace("Harbour", "Town"), ("h2", "section")),
        (NEW + "<p>And a paragraph that is new.</p>", ("h2", "section", "p")),
    ],
)
def test_an_edit_is_one(engine, html, tags):
    _, made, stored = second_visit(engine, html, tags)
    assert stored == made


def test_what_was_extracted_without_a_template_is_not_kept(engine):
    _, made, stored = second_visit(engine, NEW, ("h2", "section", "b"), version=None)
    assert stored == made


def test_a_line_that_the_same_version_keeps_or_drops_is_no_change(engine):
    """Noise around the content changes the probability of a line that itself did not change."""
    old, made, stored = second_visit(engine, NEW, ("h2", "section", "b"), version=2)
    assert made.digest != old.digest
    assert stored.digest == old.digest


def test_what_an_override_says_counts_at_once():
    old = replace(record(item(OLD), ("h1", "p"), 2, 1), method="combined+override")
    state = PageState(Known(PageStatus.FETCHED, None, 0, "new", True), content=old)
    made = replace(record(item(NEW), ("h2",), 2, 2), method="combined+override")
    assert in_doubt(state, made) is False
    assert in_doubt(state, replace(made, template_version=3))


def test_what_is_stored_already_is_not_in_doubt():
    old, made = record(item(OLD), ("h1", "p"), 1, 1), record(item(NEW), ("h2",), 2, 2)
    known = Known(PageStatus.FETCHED, None, 0, "new", True)
    assert in_doubt(PageState(known, content=old), made)
    assert in_doubt(PageState(known, content=None), made) is False
    assert in_doubt(PageState(known._replace(status=PageStatus.GONE, row="gone"), content=old), made) is False
    assert in_doubt(PageState(known, content=old), replace(made, digest=old.digest)) is False
    assert in_doubt(PageState(known, content=old), replace(made, crawl_id=old.crawl_id)) is False


def test_lines_that_change_places_are_a_change():
    assert in_order("one\ntwo\nthree", "one\nthree")
    assert in_order("one\ntwo", "zero\none\ntwo\nthree")
    assert not in_order("one\ntwo\nthree", "three\none")


def test_without_the_old_page_the_digest_decides(engine):
    _, made, stored = second_visit(engine, NEW, ("h2", "section", "b"), store_bodies=False)
    assert stored == made


def test_lines_are_compared_by_their_words():
    page = " one two three "
    assert holds(page, "One, two!\n...\nthree")
    assert holds(page, "")
    assert not holds(page, "two one")
    assert not holds(page, "tw")


def test_a_line_that_is_repeated_may_be_taken_from_another_place():
    assert in_order("tags\none\ntwo", "one\ntags\ntwo\ntags")
    assert not in_order("tags\none\ntwo", "one\ntags\ntwo")
    assert in_order("tags\none\ntwo", "one\ntags\ntwo", " tags one two and tags ")
    assert not in_order("tags\none\ntwo", "one\ntags\ntwo", " tags one two ")


def test_a_line_stands_as_often_as_the_text_has_it():
    assert holds(" tags one tags ", "tags\none\ntags")
    assert holds(" tags tags ", "tags\ntags")
    assert not holds(" tags one ", "tags\none\ntags")


def test_numbers_that_are_no_change_are_stored_as_they_were():
    old, new = (
        replace(record(item(OLD), ("h1", "p"), 2, crawl), text=f"Harbour\nRead {views} times", html=None)
        for crawl, views in ((1, 12), (2, 345))
    )
    state = PageState(Known(PageStatus.FETCHED, None, 0, "new", True), content=old)
    assert with_stored_numbers(state, new).text == "Harbour\nRead 12 times"
    edited = replace(new, digest="another")
    assert with_stored_numbers(state, edited) == edited
    assert with_stored_numbers(PageState(Known(PageStatus.FETCHED, None, 0, "new", True)), new) == new


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({}, True),
        ({"template_version": 1}, False),  # the page itself is of another kind now
        ({"template_version": None}, False),
        ({"digest": "another"}, False),
        ({"method": "override"}, False),
    ],
)
def test_another_template_leaves_the_kind_of_a_page_whose_text_stays(changes, kept):
    old = record(item(OLD), ("h1", "p"), 1, 1)
    new = replace(old, **{"kind": "listing", "template_version": 2, "crawl_id": 2, **changes})
    state = PageState(Known(PageStatus.FETCHED, None, 0, "new", True), content=old)
    assert (with_stored_kind(state, new) == replace(new, kind="content")) is kept
    assert with_stored_kind(PageState(Known(PageStatus.FETCHED, None, 0, "gone")), new) == new


def test_an_old_page_that_is_too_large_to_be_read_confirms_nothing():
    old, made = record(item(OLD), ("h1", "p"), 1, 1), record(item(NEW), ("h2", "section", "b"), 2, 2)
    state = PageState(Known(PageStatus.FETCHED, None, 0, "new", True), content=old)
    assert confirmed(state, made, item(NEW).page, OLD, 10_000).digest == old.digest
    assert confirmed(state, made, item(NEW).page, OLD, 2) == made
