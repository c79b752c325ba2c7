"""Tests of the expressions of the search in SQLite. What users find is tested with both databases (`test_repository.py`)."""

import pytest
from sqlalchemy import text

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.search.languages import PLAIN
from sitecrawl.storage.search.sqlite import expression_of, matching, write
from sitecrawl.storage.search.terms import Width, parse_query
from sitecrawl.storage.tables.models import SEARCH
from tests.unit.storage.search.test_repository import add


@pytest.fixture
def engine(sqlite_url):
    engine = open_database(sqlite_url)
    yield engine
    engine.dispose()


@pytest.mark.parametrize(
    ("query", "width", "expression"),
    [
        ("houses", Width.ALL, '"hous"'),
        ("two houses", Width.ALL, '"two hous" OR ("two" AND "hous")'),
        ("two houses", Width.ALL_TERMS, '"two" AND "hous"'),
        ("two houses", Width.ANY_CLAUSE, '"two" OR "hous" OR "two hous"'),
        ('"two houses" far', Width.ALL, '"two hous far" OR ("two hous" AND "far")'),
        ('"two houses" far', Width.ALL_TERMS, '"two" AND "hous" AND "far"'),
        ('"two houses" far', Width.ANY_TERM, '"two" OR "hous" OR "far" OR "two hous" OR "hous far"'),
        ("two quer*", Width.ALL, '"two" AND "quer" *'),
        ("query*", Width.ALL, '"quer" *'),
        ("two quer*", Width.ANY_CLAUSE, '"two" OR "quer" *'),
    ],
)
def test_an_expression_has_the_clauses_side_by_side_or_a_part_of_them(query, width, expression):
    assert expression_of(parse_query(query), width, "english") == expression


def test_words_of_no_language_are_not_stemmed():
    assert expression_of(parse_query("two houses"), Width.ALL_TERMS, PLAIN) == '"two" AND "houses"'


def found(engine, query, width=Width.ALL):
    with session_scope(engine, write=False) as session:
        statement = matching(session, parse_query(query), width)
        if statement is None:
            return None
        return {key: score for score, key in session.execute(statement.add_columns(SEARCH.c.url_key))}


def test_each_language_is_asked_for_its_own_stems_and_the_best_page_comes_first(engine):
    assert found(engine, "houses") is None
    add(engine, pages={1: ("x", "en", "a house and a boat and a tree"), 2: ("x", "en", "a house, a house")})
    scores = found(engine, "houses")
    assert list(scores) == [2, 1]
    assert scores[2] > scores[1] > 0
    add(engine, host="b.example", pages={3: ("x", None, "a house"), 4: ("x", "de", "ein Haus")})
    assert set(found(engine, "houses")) == {1, 2}
    assert set(found(engine, "hausen")) == {4}
    assert set(found(engine, "house")) == {1, 2, 3}
    assert found(engine, "english") == found(engine, "zebra") == {}


def test_the_terms_of_a_page_are_replaced_by_their_stems(engine):
    add(engine, pages={1: ("x", "en", "one")})
    with session_scope(engine) as session:
        number = session.scalar(text("SELECT id FROM search"))
        write(session, number, "english", ("Houses", "about houses", "links", "words of houses"))
    assert all(found(engine, query) for query in ("house", "about", "link", "word"))
    assert found(engine, "one") == {}
    with session_scope(engine) as session:
        write(session, number, "english", ("", "", "", ""))
    assert found(engine, "house") == {}
