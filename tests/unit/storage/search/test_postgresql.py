"""Tests of the statements of the search in PostgreSQL: which pages they examine, and what a page counts for.

What users find is tested with SQLite and PostgreSQL alike (`test_repository.py`).
"""

from math import log

import pytest
from sqlalchemy import text

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.search import postgresql
from sitecrawl.storage.search.postgresql import matching, write
from sitecrawl.storage.search.terms import Clause, Width, parse_query
from sitecrawl.storage.tables.models import SEARCH
from tests.unit.storage.search.test_repository import add


@pytest.fixture
def engine(postgres_url):
    engine = open_database(postgres_url)
    yield engine
    engine.dispose()


def texts(*words, language="en"):
    """Return pages 1, 2 ... with these texts and neutral titles."""
    return {key: ("x", language, one) for key, one in enumerate(words, 1)}


def scores(engine, query, width=Width.ALL):
    """Return the scores of the matching pages by key, best first; None if nothing can match."""
    with session_scope(engine, write=False) as session:
        statement = matching(session, parse_query(query), width)
        if statement is None:
            return None
        return {key: score for score, key in session.execute(statement.add_columns(SEARCH.c.url_key))}


def evaluated(engine, expression):
    with session_scope(engine, write=False) as session:
        return session.scalar(text(f"SELECT {expression}"))


def once(engine, words, query, weights=postgresql.WEIGHTS):
    """Return the score of a single text for a query."""
    return evaluated(
        engine,
        f"ts_rank('{weights}', setweight(to_tsvector('english', 'x'), 'A') || to_tsvector('english', '{words}'),"
        f" to_tsquery('english', '{query}'), 1)",
    )


@pytest.mark.parametrize(
    ("terms", "prefix", "phrase"),
    [
        (("a",), False, "('a')"),
        (("a",), True, "('a':*)"),
        (("a", "b", "c"), False, "('a' <-> 'b' <-> 'c')"),
        (("a", "b"), True, "('a' <-> 'b':*)"),
    ],
)
def test_a_clause_is_a_phrase_whose_last_term_may_be_a_prefix(terms, prefix, phrase):
    assert postgresql._phrase(Clause(terms, prefix)) == phrase


@pytest.mark.parametrize(
    ("terms", "size", "kept"),
    [
        ("one two", 7, "one two"),
        ("one two", 6, "one"),
        ("one two", 3, ""),  # what may be a part of a word is left out
        ("\u00e9\u00e9 two", 8, "\u00e9\u00e9 two"),
        ("one \u00e9\u00e9", 7, "one"),
    ],
)
def test_terms_are_cut_at_a_space_by_their_bytes(terms, size, kept):
    assert postgresql._cut(terms, size) == kept


def test_each_field_has_its_weight_and_is_cut(engine, monkeypatch):
    add(engine, pages=texts("one"))
    monkeypatch.setattr(postgresql, "MAX_SHORT_BYTES", 9)
    monkeypatch.setattr(postgresql, "MAX_BYTES", 11)
    with session_scope(engine) as session:
        number = session.scalar(text("SELECT id FROM search"))
        write(session, number, "simple", ("title aa bb", "about aa bb", "links aa bb", "words aa bb cc"))
        stored = session.scalar(text("SELECT CAST(vector AS text) FROM search"))
    assert stored == "'aa':2A,4B,6C,8 'about':5C 'links':3B 'title':1A 'words':7"


def test_all_clauses_close_together_count_most_and_equal_pages_keep_their_order(engine):
    add(engine, pages=texts("harbour of the old town", "harbour town", "harbour town", "harbour only"))
    found = scores(engine, "harbour town")
    assert list(found) == [2, 3, 1]
    expected = (
        "ts_rank_cd('{weights}', setweight(to_tsvector('english', 'x'), 'A') || to_tsvector('english', '{words}'),"
    )
    expected += " to_tsquery('english', 'harbour & town'), 1)"
    for key, words in ((1, "harbour of the old town"), (2, "harbour town")):
        said = evaluated(engine, expected.format(weights=postgresql.WEIGHTS, words=words))
        assert found[key] == pytest.approx(said)


def test_a_clause_counts_by_its_rarity(engine):
    add(engine, pages=texts("harbour", "harbour", "harbour", "otter"))
    found = scores(engine, "harbour otter", Width.ANY_CLAUSE)
    assert list(found) == [4, 1, 2, 3]
    for key, word, count in ((1, "harbour", 3), (4, "otter", 1)):
        assert found[key] == pytest.approx(log(1 + 4 / count) * once(engine, word, word))


def test_neighbours_of_the_query_that_are_neighbours_on_the_page_count_again(engine):
    add(engine, pages=texts("copper bridge", "bridge copper"))
    found = scores(engine, "copper bridge zebra", Width.ANY_CLAUSE)
    assert list(found) == [1, 2]
    assert found[1] - found[2] == pytest.approx(postgresql.PAIR * 2 * log(1 + 2 / 2))


def test_of_a_pair_with_a_word_that_is_nowhere_the_other_counts_alone(engine):
    add(engine, pages=texts("copper"))
    found = scores(engine, "copper zebra", Width.ANY_CLAUSE)
    assert found == {1: pytest.approx(log(2) * once(engine, "copper", "copper"))}
    assert scores(engine, "zebra otter", Width.ANY_CLAUSE) is None


def test_only_pages_with_the_rarest_clauses_are_examined(engine, monkeypatch):
    add(engine, pages=texts("otter", "copper", "copper", "town", "town", "town"))
    query = "town copper otter zebra"
    for most, keys in ((6, {1, 2, 3, 4, 5, 6}), (5, {1, 2, 3}), (3, {1, 2, 3}), (2, {1}), (0, {1})):
        monkeypatch.setattr(postgresql, "CANDIDATES", most)
        assert set(scores(engine, query, Width.ANY_CLAUSE)) == keys, most


@pytest.mark.parametrize("width", [Width.ALL, Width.ANY_CLAUSE])
def test_a_page_is_asked_in_its_own_language_and_stop_words_find_nothing(engine, width):
    add(engine, pages={1: ("x", "en", "the houses"), 2: ("x", "de", "die Häuser"), 3: ("x", None, "the houses")})
    assert set(scores(engine, "house", width)) == {1}
    assert set(scores(engine, "houses", width)) == {1, 3}
    assert set(scores(engine, "haus", width)) == {2}
    assert set(scores(engine, "the", width)) == {3}
    assert set(scores(engine, "die the", width) or ()) == ({3} if width is Width.ANY_CLAUSE else set())


def test_where_no_language_has_a_word_of_the_query_there_is_no_statement(engine):
    assert scores(engine, "house") is None
    add(engine, pages=texts("the house"))
    assert scores(engine, "the") is None
    assert scores(engine, "the", Width.ANY_CLAUSE) is None
    assert scores(engine, "house the") == scores(engine, "house")
