"""Tests of what a visit changes: values in, values out, without a database."""

import dataclasses
import datetime as dt

import pytest

from sitecrawl.crawl.page_lifecycle import Emit, FetchOutcome, FetchResult
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.crawl.visit_decision import Facts, Finds, Visit, decide
from sitecrawl.links.discovered import Discovered
from sitecrawl.metadata.fields import METADATA_NAMES, RowStatus
from sitecrawl.scheduling import Bounds, History, Outcome
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.page_state import Known
from sitecrawl.storage.pages import PageState, PageStatus, Placement
from sitecrawl.storage.records import ContentRecord
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
BEFORE = NOW - dt.timedelta(days=1)
URL = "https://example.org/1"
FOUND = Discovered(2, "https://example.org/2", 2, 0, 0, 5, 2)


class Fixed(Schedule):
    """A schedule that needs no database."""

    def __init__(self):
        self.policy, self.bounds = "fixed", Bounds()


def fetch(**values):
    given = fetched(1, url=URL, crawl_id=7, fetch_order=3, etag='"e"')
    return given._replace(**values)


def record(text="A story", crawl_id=7, **values):
    made = ContentRecord(
        **dict.fromkeys(METADATA_NAMES),
        **{"url_key": 1, "kind": "content", "text": text, "html": None, "words": 2, "digest": text, "simhash": 5},
        **{"duplicate_of": None, "method": "combined", "confidence": 0.5, "template_version": 1},
        **{"canonical_url": None, "crawl_id": crawl_id, "emit_order": 1, "extracted_at": NOW},
    )
    return dataclasses.replace(made, **{"title": "A title", "language": "en", **values})


def state(row="new", indexed=True, content="A story", status=PageStatus.FETCHED, **values):
    """Return the state of a page that was stored by an earlier crawl."""
    old = record(content, crawl_id=6) if content is not None else None
    given = PageState(Known(status, None, 0, row, indexed), True, fetches=1, surveyed=True, content=old)
    return given._replace(history=History(86_400, BEFORE), **values)


def page(text="A story", *, fetch_outcome=None, finds=None, **values):
    """Return a visit that found a page with this content, and the facts beside a state."""
    made = record(text) if text is not None else None
    given = finds or Finds((FOUND,), (), frozenset())
    return Visit(
        fetch(), fetch_outcome or FetchOutcome(FetchResult.PAGE), False, Placement(1, 2), given, None, made, **values
    )


def changed(before, visit):
    return decide(Facts(before, record=visit.content), visit, Fixed())


def test_a_first_visit_has_a_row_in_the_feed_and_is_told_to_the_index():
    change = changed(PageState(), page())
    assert (change.content.status, change.content.operation) == ("new", Operation.UPSERT)
    assert change.page.fetch.status is PageStatus.FETCHED
    assert (change.page.status, change.page.changed_at, change.page.surveyed) == (None, NOW, True)
    assert change.page.placement == Placement(1, 2)
    assert change.page.plan.reason.startswith("new")


def test_a_page_that_waits_has_no_content_and_no_next_visit():
    change = changed(PageState(), page(None))
    assert (change.content, change.page.plan, change.page.changed_at) == (None, None, None)
    assert change.page.fetch.html == "<p>"


def test_another_text_is_a_change():
    change = changed(state(), page("Another story"))
    assert (change.content.status, change.content.operation, change.page.changed_at) == (
        "changed",
        Operation.UPSERT,
        NOW,
    )


def test_the_same_text_is_none_and_no_index_is_told():
    change = changed(state(), page())
    assert (change.content.status, change.content.operation) == ("unchanged", None)
    assert (change.page.status, change.page.changed_at) == (PageStatus.UNCHANGED, None)


def test_a_page_that_was_extracted_in_this_crawl_stays_what_it_was():
    before = state(row="new", content=None)._replace(content=record("Old", crawl_id=7))
    assert changed(before, page("Other")).content.status == "new"


def test_a_page_that_was_deleted_is_new_when_it_is_back():
    change = changed(state(row=RowStatus.GONE, indexed=False, content=""), page())
    assert (change.content.status, change.decision.delete) == ("new", False)


def test_an_indexed_page_that_forbids_indexing_now_is_deleted():
    change = changed(state(), page(fetch_outcome=FetchOutcome(FetchResult.PAGE, noindex=True)))
    assert (change.content, change.decision.emit, change.page.fetch.delete) == (None, Emit.GONE, True)
    assert change.page.plan.reason == "withdrawn, found so once: 2 h"


@pytest.mark.parametrize(
    ("answer", "status", "outcome"),
    [
        (FetchResult.MOVED, PageStatus.REDIRECTED, Outcome.MOVED),
        (FetchResult.REMOVED, PageStatus.DEAD, Outcome.DEAD),
        (FetchResult.FAILED, PageStatus.ERROR, Outcome.ERROR),
        (FetchResult.REFUSED, PageStatus.EXCLUDED, Outcome.EXCLUDED),
    ],
)
def test_what_is_no_page_has_a_status_and_a_next_visit(answer, status, outcome):
    visit = Visit(fetch(html=None), FetchOutcome(answer, "why"))
    change = changed(PageState(), visit)
    assert (change.page.fetch.status, change.content, change.page.surveyed) == (status, None, False)
    assert change.page.plan == Fixed().plan(History(), outcome, NOW, 1)


def test_a_page_that_was_not_modified_is_unchanged():
    change = changed(state(), Visit(fetch(html=None), FetchOutcome(FetchResult.NOT_MODIFIED), emit_order=4))
    assert (change.decision.emit, change.page.fetch.status) == (Emit.UNCHANGED, PageStatus.UNCHANGED)


def test_content_of_a_page_that_waited_leaves_its_fetch_alone():
    change = changed(state(row=None, indexed=False, content=None), page(stored=True))
    assert (change.page.fetch, change.content.status) == (None, "new")
    assert change.page.plan is not None


def test_extraction_again_decides_nothing_that_a_fetch_decides():
    visit = page("Another story", stored=True, again=True)
    change = decide(Facts(state(), record=visit.content), visit, None)
    assert (change.page.fetch, change.page.plan, change.content.status) == (None, None, "changed")
    assert change.content.indexed
    withheld = decide(Facts(state(indexed=False), record=visit.content), visit, None)
    assert not withheld.content.indexed
    gone = decide(Facts(state(row=RowStatus.GONE)), visit, None)
    assert gone.content is None


def test_values_are_marked_as_counted_once():
    assert not changed(state(), page(finds=Finds((), (), None))).page.surveyed


LATER = NOW + dt.timedelta(hours=1)


@pytest.mark.parametrize(
    ("again", "text", "changed_at"), [(True, "Another", LATER), (True, "A story", None), (False, "Another", NOW)]
)
def test_a_change_has_the_time_of_its_fetch_or_of_its_extraction_again(again, text, changed_at):
    made = record(text, extracted_at=LATER)
    visit = dataclasses.replace(page(text, stored=again, again=again), content=made)
    assert decide(Facts(state(), record=made), visit, Fixed()).page.changed_at == changed_at


@pytest.mark.parametrize(
    ("indexed", "indexable", "index"), [(False, False, False), (True, False, True), (False, True, True)]
)
def test_a_page_that_is_extracted_again_is_in_the_index_if_it_was_or_may_be(indexed, indexable, index):
    visit = page("Another", stored=True, again=True, indexable=indexable)
    assert decide(Facts(state(indexed=indexed), record=visit.content), visit, None).decision.indexable is index


@pytest.mark.parametrize(("row", "emit"), [(RowStatus.GONE, Emit.NOTHING), ("new", Emit.CONTENT)])
def test_a_page_that_was_deleted_has_no_row_when_it_is_extracted_again(row, emit):
    visit = page(stored=True, again=True)
    assert decide(Facts(state(row=row), record=visit.content), visit, None).decision.emit is emit


@pytest.mark.parametrize(("hub", "kind"), [(True, "content"), (False, "listing"), (False, "content")])
def test_a_hub_or_a_listing_is_planned_as_one(hub, kind):
    planned = []

    class Noting(Fixed):
        def plan(self, *given, hub, not_before):
            planned.append(hub)

    made = record("Another", kind=kind)
    visit = dataclasses.replace(page("Another"), content=made, hub=hub)
    decide(Facts(state(), record=made), visit, Noting())
    assert planned == [hub or kind == "listing"]
