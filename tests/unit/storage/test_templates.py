"""Tests of what ends a template: retiring layouts, and forgetting all of a site."""

import datetime as dt

import pytest
from sqlalchemy import insert, select

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import TEMPLATE, TEMPLATE_BLOCK, TEMPLATE_NODE, TEMPLATE_PATH, TEMPLATE_STYLE
from sitecrawl.storage.templates import TemplateRepository
from tests.unit.crawl.crawling import PAGES, crawled, during

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
PARTS = (TEMPLATE_BLOCK, TEMPLATE_PATH, TEMPLATE_STYLE, TEMPLATE_NODE)


@pytest.fixture
def learned(sqlite_url):
    """A session, and two sites with layouts 1 and 2, which are copies of one template."""
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        first, second = sites.get("example.org").id, sites.get_or_add("b.example", "https://b.example/", NOW).id
        for table in (TEMPLATE, *PARTS):
            rows = [dict(row._mapping) for row in session.execute(select(table))]
            assert rows or table is TEMPLATE_STYLE
            for site_id, layout in ((first, 2), (second, 1), (second, 2)):
                copies = [{**row, "site_id": site_id, "layout": layout} for row in rows]
                session.execute(insert(table), copies or [])
        yield session, first, second
    engine.dispose()


def layouts(session, table):
    return set(map(tuple, session.execute(select(table.c.site_id, table.c.layout))))


def test_a_layout_that_is_retired_keeps_its_row_and_loses_its_parts(learned):
    session, first, second = learned
    TemplateRepository(session).retire(first, [2], NOW)
    TemplateRepository(session).retire(first, [2], NOW + dt.timedelta(days=1))
    rows = {(row.site_id, row.layout): row.retired_at for row in session.execute(select(TEMPLATE))}
    assert rows == {(first, 1): None, (first, 2): NOW, (second, 1): None, (second, 2): None}
    for table in (TEMPLATE_BLOCK, TEMPLATE_PATH, TEMPLATE_NODE):
        assert layouts(session, table) == {(first, 1), (second, 1), (second, 2)}


def test_the_templates_of_one_site_are_forgotten(learned):
    session, first, second = learned
    TemplateRepository(session).forget(first)
    for table in (TEMPLATE, TEMPLATE_BLOCK, TEMPLATE_PATH, TEMPLATE_NODE):
        assert layouts(session, table) == {(second, 1), (second, 2)}
