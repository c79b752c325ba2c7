"""How SQLite runs the statements of each page: by an index that finds few rows, however many pages a site has."""

import importlib
import pkgutil
import re

import pytest

import sitecrawl.storage
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.prepared import Prepared

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
