import re
from pathlib import Path

import pytest

import sitecrawl
from sitecrawl.scheduling import History, Plan
from sitecrawl.storage.page_change import PageChange, Placement, changed_columns, new_columns, small
from sitecrawl.storage.pages import PageState, PageStatus
from tests.fetched import fetched
from tests.unit.storage.test_visits import NOW

WRITES = re.compile(r"(update|insert|delete)\(PAGE|(update_rows|upsert|insert_missing)\([^)]*\bPAGE\b", re.DOTALL)


def columns(status, state=None, **fields):
    fetch = fetched(
        1,
        status=status,
        reason="why",
        crawl_id=2,
        fetch_order=3,
        fetched_at=NOW,
        etag='"e"',
        html=None,
        sample=(4,),
        discovery=5,
    )
    return changed_columns(PageChange(1, state or PageState(stored=True), fetch._replace(**fields)))


def test_only_one_module_writes_the_table_page():
    folder = Path(sitecrawl.__file__).parent
    writers = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if WRITES.search(path.read_text(encoding="utf-8"))
    }
    assert writers == {"storage/pages.py"}


def test_failures_are_counted_since_the_last_good_answer():
    failed = PageState(stored=True, errors=2, fetches=7)
    assert columns(PageStatus.ERROR, failed)["errors"] == 3
    assert columns(PageStatus.FETCHED, failed)["errors"] == 0
    assert columns(PageStatus.ERROR, failed)["fetches"] == 8
    assert columns(PageStatus.EXCLUDED, failed, requested=False)["fetches"] == 7
    assert columns(PageStatus.ERROR, PageState(errors=32767))["errors"] == 32767


def test_answers_without_a_body_are_counted_since_the_last_one():
    before = PageState(stored=True, not_modified=4)
    assert columns(PageStatus.UNCHANGED, before)["not_modified"] == 5
    assert columns(PageStatus.FETCHED, before)["not_modified"] == 0
    assert columns(PageStatus.ERROR, before)["not_modified"] == 4


def test_a_failure_leaves_validators_alone():
    assert not {"etag", "sample", "last_modified"} & columns(PageStatus.ERROR).keys()
    assert columns(PageStatus.FETCHED)["etag"] == '"e"'


@pytest.mark.parametrize(("delete", "expected"), [(True, 2), (False, None)])
def test_a_decision_to_delete_names_the_crawl(delete, expected):
    assert columns(PageStatus.GONE, delete=delete)["deletion"] == expected
    assert "deletion" not in columns(PageStatus.GONE)


def test_an_unknown_url_leaves_that_of_the_row():
    assert "url" not in columns(PageStatus.ERROR, url="")


def test_a_page_that_a_template_counts_keeps_its_version():
    placed = PageChange(1, PageState(stored=True), placement=Placement(3, 9, counted=True))
    assert changed_columns(placed) == {"layout": 3}
    assert changed_columns(placed._replace(placement=Placement(3, 0))) == {"layout": 3, "learned_version": 0}


@pytest.mark.parametrize(("value", "cut"), [(None, None), (5, 5), (70_000, 32767), (-70_000, -32768)])
def test_numbers_are_cut_to_the_column(value, cut):
    assert small(value) == cut


def test_a_fetch_sets_what_it_found():
    found = columns(PageStatus.FETCHED, reason=None, strikes=70_000, content_language="d\x00e", last_modified="m\x00")
    assert found == {
        **{"status": 1, "reason": None, "http_status": 200, "crawl_id": 2, "fetch_order": 3, "fetched_at": NOW},
        **{"strikes": 32767, "errors": 0, "fetches": 1, "not_modified": 0, "not_before": None},
        **{
            "url": "https://example.org/1",
            "etag": '"e"',
            "last_modified": "m",
            "sample": [4],
            "content_language": "de",
        },
    }
    assert columns(PageStatus.FETCHED, etag=None)["etag"] is None
    assert columns(PageStatus.FETCHED)["content_language"] is None
    assert columns(PageStatus.ERROR, url="https://example.org/\x00")["url"] == "https://example.org/"


@pytest.mark.parametrize(("reason", "stored"), [("x" * 501, "x" * 500), ("a\x00b", "ab"), ("", None), (None, None)])
def test_a_reason_is_cleaned_and_cut(reason, stored):
    assert columns(PageStatus.ERROR, reason=reason)["reason"] == stored


@pytest.mark.parametrize(("http_status", "validators"), [(304, False), (200, True)])
def test_a_repeated_body_brings_its_own_validators_and_an_answer_without_one_none(http_status, validators):
    assert ("etag" in columns(PageStatus.UNCHANGED, http_status=http_status)) is validators


def test_a_fetch_of_a_page_without_a_row_says_where_it_was_found():
    fetch = fetched(
        1, url="https://e.org/\x00", depth=70_000, crawl_id=2, fetch_order=3, fetched_at=NOW, html=None, discovery=5
    )
    assert new_columns(fetch) == {
        **{"url": "https://e.org/", "depth": 32767, "discovered_at": NOW, "discovery": 5, "priority": 0},
        "deletion": None,
    }


def test_a_fetch_says_nothing_of_deletion_strikes_or_links_unless_it_is_told():
    fetch = fetched(1, url="u", depth=0, crawl_id=2, fetch_order=3, fetched_at=NOW, html=None, discovery=5)
    assert (fetch.strikes, fetch.delete, fetch.links, fetch.content_language, fetch.not_before) == (
        0,
        None,
        (),
        None,
        None,
    )


def test_a_change_without_a_fetch_sets_what_it_is_about_alone():
    state = PageState(stored=True)
    assert changed_columns(PageChange(1, state)) == {}
    history = History(86_400, NOW, 7, 4, 100, 200, -2, 1)
    planned = changed_columns(PageChange(1, state, plan=Plan(history, NOW, "a reason")))
    assert planned == {
        **{"fetch_interval": 86_400, "visited_at": NOW, "comparisons": 7, "changes": 4, "changed_seconds": 100},
        **{
            "unchanged_seconds": 200,
            "streak": -2,
            "misses": 1,
            "missing_since": None,
            "next_fetch_at": NOW,
            "next_reason": "a reason",
        },
    }
    assert changed_columns(PageChange(1, state, status=PageStatus.UNCHANGED)) == {"status": 2}
    assert changed_columns(PageChange(1, state, changed_at=NOW)) == {"changed_at": NOW}
    assert changed_columns(PageChange(1, state, surveyed=True)) == {"surveyed": True}
    assert changed_columns(PageChange(1, state, settled=True)) == {"unsettled": None}
    assert changed_columns(PageChange(1, state, placement=Placement(None))) == {"layout": None, "learned_version": None}


def test_the_status_of_a_content_replaces_that_of_the_fetch():
    fetch = fetched(1, url="u", depth=0, crawl_id=2, fetch_order=3, fetched_at=NOW, html=None, discovery=5)
    change = PageChange(1, PageState(stored=True), fetch, status=PageStatus.UNCHANGED)
    assert changed_columns(change)["status"] == 2
