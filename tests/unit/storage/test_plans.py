"""SQLite runs the statements of each page by an index that finds few rows, however many pages a site has."""

import importlib
import pkgutil
import re

import pytest
from sqlalchemy import event

import sitecrawl.storage
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.page_report import LifeRepository
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.site_report import PageFilter, SiteReportRepository

SITE_ALONE = re.compile(r"SEARCH \w+ USING .*\(site_id=\?\)")
WHOLE = re.compile(r"SCAN (?!anon_\d|\w+ VIRTUAL TABLE INDEX 0:=)")
"""A table from its beginning to its end; the look-ups of a UNION, and FTS5 by its row number, are none."""


def statements():
    for module in pkgutil.walk_packages(sitecrawl.storage.__path__, "sitecrawl.storage."):
        if not module.name.endswith(".postgresql"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Prepared):
                    yield pytest.param(value, id=f"{module.name.rpartition('.')[2]}.{name}")


@pytest.mark.parametrize("statement", list(statements()))
def test_no_statement_of_a_page_reads_all_pages_of_its_site(sqlite_url, statement):
    engine = open_database(sqlite_url)
    with session_scope(engine, write=False) as session:
        form = statement.form(engine.dialect)
        values = [1] * len(form.order)
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {form.sql}", tuple(values)).all()
    engine.dispose()
    steps = [step for *_, step in plan]
    assert [step for step in steps if SITE_ALONE.search(step) or WHOLE.match(step)] == []


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda s: SiteReportRepository(s).counts(1), id="counts"),
        pytest.param(lambda s: SiteReportRepository(s).pages(1, PageFilter((PageStatus.FETCHED,))), id="by_url"),
        pytest.param(
            lambda s: SiteReportRepository(s).pages(1, PageFilter((PageStatus.FETCHED,), 1), by_url=False), id="by_key"
        ),
        pytest.param(lambda s: LayoutRepository(s).sample(1, 1, 5), id="sample"),
        pytest.param(lambda s: LifeRepository(s).troubles(1, 9), id="troubles"),
    ],
)
def test_pages_of_a_large_site_are_counted_and_listed_from_the_narrow_index(sqlite_url, read, request):
    engine = open_database(sqlite_url)
    said = []
    with session_scope(engine, write=False) as session:
        event.listen(session.connection(), "before_cursor_execute", lambda *args: said.append((args[2], args[3])))
        read(session)
        sql, values = next((sql, values) for sql, values in said if "FROM page" in sql)
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values).all()
    engine.dispose()
    narrow = "USING COVERING INDEX ix_page_states (site_id=?)" in " ".join(step for *_, step in plan)
    assert narrow is (request.node.callspec.id != "by_url")  # sorted by URL: the rows are read
