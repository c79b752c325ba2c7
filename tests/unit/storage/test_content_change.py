"""Tests of the decision about a page's content, without a database."""

import dataclasses
import datetime as dt

import pytest

from sitecrawl.storage.content_change import changed_content
from sitecrawl.storage.page_state import Known, PageState, PageStatus, RowStatus
from tests.unit.storage.test_contents import NOW, record


@pytest.mark.parametrize(("deleted", "at"), [(False, NOW), (True, NOW + dt.timedelta(days=1))])
def test_a_repeated_text_keeps_its_time_unless_its_page_was_gone(deleted, at):
    status = PageStatus.GONE if deleted else PageStatus.FETCHED
    state = PageState(Known(status, row=RowStatus.GONE if deleted else RowStatus.NEW), content=record(crawl_id=1))
    assert state.known.deleted is deleted
    again = record(crawl_id=2, extracted_at=NOW + dt.timedelta(days=1))
    assert changed_content(state, again).record.extracted_at == at


@pytest.mark.parametrize(
    ("before", "same_text", "status"),
    [
        (RowStatus.NEW, False, RowStatus.NEW),
        (RowStatus.NEW, True, RowStatus.NEW),
        (RowStatus.CHANGED, False, RowStatus.CHANGED),
        (RowStatus.UNCHANGED, True, RowStatus.UNCHANGED),
        (RowStatus.UNCHANGED, False, RowStatus.CHANGED),
    ],
)
def test_a_page_extracted_twice_in_one_crawl_keeps_its_first_status_unless_the_text_stood_till_now(
    before, same_text, status
):
    old = record(crawl_id=2, words="as before")
    state = PageState(Known(PageStatus.FETCHED, row=before), content=old)
    made = record(crawl_id=2, words="as before" if same_text else "another text")
    if not same_text:
        made = dataclasses.replace(made, digest="f" * 32)
    assert changed_content(state, made).status is status


def test_a_page_that_was_a_duplicate_and_is_none_any_more_has_changed_though_its_text_stands():
    def status(before, after):
        old = record(crawl_id=1, duplicate_of=before)
        state = PageState(Known(PageStatus.FETCHED, row=RowStatus.NEW, indexed=before is None), content=old)
        return changed_content(state, record(crawl_id=2, duplicate_of=after)).status

    one, other = "1" * 32, "2" * 32
    assert [status(None, None), status(one, one), status(one, other), status(None, one)] == [RowStatus.UNCHANGED] * 4
    assert status(one, None) is RowStatus.CHANGED


@pytest.mark.parametrize(
    ("index", "reason", "status"),
    [
        (True, "noindex", RowStatus.CHANGED),
        (True, "HTTP 500", RowStatus.CHANGED),  # it failed at its last visit
        (False, "noindex", RowStatus.UNCHANGED),
        (True, "canonical: https://example.org/a", RowStatus.UNCHANGED),  # it waited for the end of the crawl
    ],
)
def test_a_page_that_forbids_indexing_no_longer_has_changed_though_its_text_stands(index, reason, status):
    state = PageState(Known(PageStatus.FETCHED, reason, row=RowStatus.NEW), content=record(crawl_id=1))
    assert changed_content(state, record(crawl_id=2), index=index).status == status


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ({}, {"template_version": 9}, True),
        ({"template_version": None}, {"template_version": None}, True),
        ({"template_version": None}, {"template_version": 9}, False),  # it was made without a template
        ({}, {"template_version": None}, True),
        ({"method": "other"}, {}, False),
        ({"kind": "listing"}, {}, False),
    ],
)
def test_a_repeated_text_keeps_how_it_was_made_unless_it_was_made_otherwise(before, after, kept):
    old, new = record(confidence=0.25, **before), record(crawl_id=2, confidence=0.75, **after)
    later = dataclasses.replace(new, extracted_at=NOW + dt.timedelta(days=1))
    made = changed_content(PageState(Known(PageStatus.FETCHED, row=RowStatus.NEW), content=old), later).record
    assert (made.confidence, made.template_version) == (
        (0.25, old.template_version) if kept else (0.75, new.template_version)
    )
    assert made.extracted_at == NOW


@pytest.mark.parametrize(
    ("indexed", "changed", "retold"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_the_anchor_texts_of_a_page_are_read_again_only_for_an_index(indexed, changed, retold):
    state = PageState(Known(PageStatus.FETCHED, row=RowStatus.NEW, indexed=indexed), content=record())
    new = record(crawl_id=2, title="Another" if changed else "A title")
    assert changed_content(state, new).retold is retold
    assert changed_content(PageState(), record()).retold
    assert changed_content(PageState(), record(), index=False).retold  # its first content
    assert changed_content(PageState(), record()).indexed
