import re
from pathlib import Path

import pytest

import sitecrawl
from sitecrawl.storage.page_change import PageChange, Placement, changed_columns, small
from sitecrawl.storage.pages import Fetch, PageState, PageStatus
from tests.unit.storage.test_visits import NOW

WRITES = re.compile(r"(update|insert|delete)\(PAGE|(update_rows|upsert|insert_missing)\([^)]*\bPAGE\b", re.DOTALL)


def columns(status, state=None, **fields):
    fetch = Fetch(1, "https://example.org/1", status, "why", 200, 1, 2, 3, '"e"', None, NOW, None, (4,), 5)
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
