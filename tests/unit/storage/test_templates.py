"""Tests of stored templates: counts that are added, and layouts that are retired, replaced and forgotten."""

import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import insert, select, update

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.errors import LabelRuleError
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import TEMPLATE, TEMPLATE_BLOCK, TEMPLATE_NODE, TEMPLATE_PATH, TEMPLATE_STYLE
from sitecrawl.storage.tables.templates import LABEL_LENGTH
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.changes import BlockChange, NodeChange, PathChange, StyleChange, TemplateChanges
from sitecrawl.templates.decision import LayoutDecision, LayoutKind
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


def changes(**values):
    """Return counts of two pages, as one learning step adds them."""
    given = {
        "version": 1,
        "pages": 2,
        "novelty": 0.5,
        "stable_since": None,
        "nodes": (
            NodeChange(20, 10, 1, "div.main", 2, 3, 4, 50, 6, 2),
            NodeChange(21, 10, 1, "div.menu", 1, 3, 4, 50, 6, 1),
            NodeChange(10, 0, 0, "body", 2, 2, 1, 90, 9, 2),
        ),
        "styles": (StyleChange(20, 5, 2),),
        "paths": (PathChange(7, "HTML.BODY.DIV", 2, 1),),
        "blocks": (BlockChange(7, 8, 2, b"x"),),
        "layout": 3,
    }
    return TemplateChanges(**{**given, **values})


def load(session, site_id, layout=3):
    return TemplateRepository(session).load(site_id, layout)


@pytest.fixture
def site(session):
    return SiteRepository(session).get_or_add("a.example", "https://a.example/", NOW).id


@pytest.fixture
def templates(session):
    return TemplateRepository(session)


def test_a_template_comes_back_with_its_nodes_from_the_root_on_and_the_most_frequent_first(templates, session, site):
    made = changes(stable_since=2, decision=LayoutDecision(LayoutKind.ARTICLE, sure=0.75, pages=2, mean=40.0))
    templates.add(site, made, NOW, crawl_id=9)
    found = load(session, site)
    assert [one.key for one in found.nodes] == [10, 20, 21]
    assert replace(found, nodes=made.nodes) == made
    assert set(found.nodes) == set(made.nodes)
    (head,) = templates.layouts(site)
    assert (head.layout, head.version, head.pages_seen, head.crawl_id, head.updated_at) == (3, 1, 2, 9, NOW)
    assert load(session, site, 1) is None
    assert load(session, site + 1) is None


def test_counts_are_added_and_the_rest_is_that_of_the_last_step(templates, session, site):
    templates.add(site, changes(), NOW, crawl_id=9)
    more = changes(
        version=2,
        pages=3,
        novelty=0.25,
        stable_since=4,
        nodes=(
            NodeChange(20, 10, 1, "div.main", 3, 4, 1, 60, 7, 5),
            NodeChange(21, 10, 1, "div.menu", 1, 1, 0, 5, 1, 0),
        ),
        styles=(StyleChange(20, 5, 3), StyleChange(20, 6, 1)),
        paths=(PathChange(7, "HTML.BODY.DIV", 1, 2),),
        blocks=(BlockChange(7, 8, 3, b"x"), BlockChange(7, 9, 1, b"y")),
    )
    templates.add(site, more, NOW + dt.timedelta(days=1), crawl_id=10)
    found = load(session, site)
    assert (found.version, found.pages, found.novelty, found.stable_since) == (2, 5, 0.25, 4)
    assert found.nodes[1] == NodeChange(20, 10, 1, "div.main", 5, 7, 5, 110, 13, 5)
    assert found.nodes[2] == NodeChange(21, 10, 1, "div.menu", 2, 4, 4, 55, 7, 1)
    assert set(found.styles) == {StyleChange(20, 5, 5), StyleChange(20, 6, 1)}
    assert found.paths == (PathChange(7, "HTML.BODY.DIV", 3, 3),)
    assert set(found.blocks) == {BlockChange(7, 8, 5, b"x"), BlockChange(7, 9, 1, b"y")}
    (head,) = templates.layouts(site)
    assert (head.crawl_id, head.updated_at) == (9, NOW + dt.timedelta(days=1))  # it began in the first crawl


def test_nodes_that_are_dropped_go_with_their_styles_and_those_of_others_stay(templates, session, site, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.templates.CHUNK", 1)
    for layout in (3, 4):
        templates.add(site, changes(layout=layout), NOW)
    empty = {"pages": 0, "nodes": (), "styles": (), "paths": (), "blocks": ()}
    templates.add(site, changes(**empty, dropped=(20, 21)), NOW)
    found, other = load(session, site), load(session, site, 4)
    assert ([one.key for one in found.nodes], found.styles, len(found.blocks)) == ([10], (), 1)
    assert (len(other.nodes), len(other.styles)) == (3, 1)


def test_labels_are_cut_and_cleaned(templates, session, site):
    node, path = NodeChange(1, 0, 0, "a\x00" + "b" * 200, 1, 1, 1, 1, 1, 1), PathChange(1, "A\ud800B", 1, 1)
    templates.add(site, changes(nodes=(node,), paths=(path,)), NOW)
    found = load(session, site)
    assert found.nodes[0].label == "a" + "b" * (LABEL_LENGTH - 1)
    assert found.paths[0].path == "AB"


def test_a_template_of_another_label_rule_names_the_command_that_learns_it_again(templates, session, site):
    templates.add(site, changes(), NOW)
    session.execute(update(TEMPLATE).values(label_rule=LABEL_RULE - 1))
    with pytest.raises(LabelRuleError, match=r"a\.example: .* label rule .*; run: sitecrawl reextract a\.example"):
        load(session, site)
    templates.retire(site, [3], NOW)
    assert load(session, site) is None


def test_templates_that_are_learned_anew_replace_all_others_and_keep_the_crawl_that_began_them(
    templates, session, site
):
    for layout in (3, 4):
        templates.add(site, changes(layout=layout), NOW, crawl_id=layout)
    templates.add(site, changes(layout=5), NOW, crawl_id=5)
    templates.retire(site, [5], NOW)
    later = NOW + dt.timedelta(days=1)
    templates.replace(site, [changes(version=7), changes(version=7, layout=6)], later)
    heads = {one.layout: (one.version, one.crawl_id, one.retired_at) for one in templates.layouts(site)}
    assert heads == {3: (7, 3, None), 4: (1, 4, later), 5: (1, 5, NOW), 6: (7, None, None)}
    assert load(session, site).pages == 2  # not added to the former counts
    assert load(session, site, 4) is None
