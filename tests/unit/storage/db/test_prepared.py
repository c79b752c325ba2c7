import datetime as dt

import pytest
from sqlalchemy import bindparam, create_engine, insert, select, text, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.storage.db.address import parse_address
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.tables.models import CONTENT, CRAWL, PAGE, SITE

MOMENT = dt.datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=dt.timezone(dt.timedelta(hours=2)))
GIVEN = {"id": 7, "host": "a.org", "start_url": "https://a.org/", "created_at": MOMENT, "options": {"a": [1, None]}}
ADD = PreparedChange(insert(SITE), tuple(GIVEN))
READ = PreparedSelect(
    select(SITE.c.id, SITE.c.created_at, SITE.c.options, SITE.c.lease_owner).where(SITE.c.host == bindparam("h"))
)


@pytest.fixture
def site(engine):
    with session_scope(engine) as session:
        assert ADD.run(session, GIVEN) == 1


def test_values_are_what_sqlalchemy_makes_of_them(engine, site):
    with session_scope(engine, write=False) as session:
        row = READ.first(session, {"h": "a.org"})
        kept = session.execute(select(*SITE.c)).one()
        assert tuple(row) == (7, MOMENT, {"a": [1, None]}, None)
        assert tuple(row) == (kept.id, kept.created_at, kept.options, kept.lease_owner)
        assert row[1].tzinfo is dt.UTC
        assert [tuple(one) for one in READ.all(session, {"h": "a.org"})] == [tuple(row)]
        assert READ.first(session, {"h": "b.org"}) is None
        assert READ.all(session, {"h": "b.org"}) == []


def test_types_without_a_sign_fractions_truth_and_null(engine, site):
    page = {"site_id": 7, "url_key": 1, "url": "u%(x)s :y ?", "status": 1, "depth": 0, "discovery": 1}
    page |= {"discovered_at": MOMENT, "sample": [3, 4], "comparisons": 0.25, "surveyed": True, "fetched_at": None}
    content = {"site_id": 7, "url_key": 1, "status": "new", "kind": "content", "text": "t", "words": 1}
    content |= {"simhash": 2**64 - 1, "method": "m", "confidence": 1 / 3, "extracted_at": MOMENT, "anchors": None}
    columns = (PAGE.c.url, PAGE.c.sample, PAGE.c.comparisons, PAGE.c.surveyed, PAGE.c.fetched_at)
    columns += (CONTENT.c.simhash, CONTENT.c.confidence, CONTENT.c.anchors, CONTENT.c.indexed)
    read = PreparedSelect(select(*columns).join_from(PAGE, CONTENT, PAGE.c.url_key == CONTENT.c.url_key))
    with session_scope(engine) as session:
        PreparedChange(insert(PAGE), tuple(page)).run(session, page)
        PreparedChange(insert(CONTENT), tuple(content)).run_all(session, [content])
        found = ("u%(x)s :y ?", [3, 4], 0.25, True, None, 2**64 - 1, 1 / 3, None, True)
        assert tuple(read.first(session, {})) == found
        null = "SELECT count(*) FROM content WHERE anchors IS NULL"
        assert session.scalar(text(null)) == 1


def test_what_the_statement_itself_sets_needs_no_value(engine, site):
    take = update(SITE).where(SITE.c.host == bindparam("h"), SITE.c.lease_owner.is_(None))
    taken = PreparedChange(take.values(lease_owner="me", leased_until=MOMENT))
    with session_scope(engine) as session:
        assert [taken.run(session, {"h": "a.org"}) for _ in range(2)] == [1, 0]
        assert session.scalar(select(SITE.c.leased_until)) == MOMENT


def test_a_statement_is_compiled_once(engine, site):
    class Counting:
        def __init__(self):
            self.compiled = 0

        def compile(self, **options):
            self.compiled += 1
            return select(SITE.c.host).compile(**options)

    counting = Counting()
    statement = PreparedSelect(counting)
    for _ in range(3):
        with session_scope(engine) as session:
            assert [tuple(row) for row in statement.all(session, {})] == [("a.org",)]
    assert counting.compiled == 1


def test_errors_are_those_of_sqlalchemy_and_show_no_values(engine, site):
    with pytest.raises(StorageError) as caught, session_scope(engine) as session:
        ADD.run(session, {**GIVEN, "host": "secret.org"})
    assert isinstance(caught.value.__cause__, IntegrityError)
    assert "secret" not in str(caught.value.__cause__)
    with pytest.raises(StorageError, match="naive datetime"), session_scope(engine) as session:
        ADD.run(session, {**GIVEN, "id": 8, "host": "b.org", "created_at": dt.datetime(2026, 1, 1)})
    with session_scope(engine, write=False) as session:
        assert session.scalar(text("SELECT count(*) FROM site")) == 1


def test_nothing_can_be_written_where_only_reading_was_meant(engine, site):
    for _ in range(2):
        with pytest.raises(StorageError), session_scope(engine, write=False) as session:
            ADD.run(session, {**GIVEN, "id": 8, "host": "b.org"})
        with session_scope(engine) as session:
            session.execute(update(SITE).values(start_url="https://b.org/"))


def test_a_list_of_varying_length_is_refused(engine):
    with pytest.raises(AssertionError, match="varying length"), session_scope(engine) as session:
        PreparedSelect(select(SITE.c.id).where(SITE.c.id.in_([1, 2]))).all(session, {})


def test_a_connection_that_is_lost_is_given_up(postgres_url):
    engine, other = open_database(postgres_url), create_engine(parse_address(postgres_url))
    with pytest.raises(DatabaseLostError), session_scope(engine) as session:
        ADD.run(session, GIVEN)
        process = session.scalar(text("SELECT pg_backend_pid()"))
        with other.begin() as connection:
            connection.execute(text("SELECT pg_terminate_backend(:process)"), {"process": process})
        READ.first(session, {"h": "a.org"})
    with session_scope(engine) as session:
        assert READ.first(session, {"h": "a.org"}) is None
        ADD.run(session, GIVEN)
    engine.dispose()
    other.dispose()


def test_an_insert_asks_for_no_row_back():
    """PostgreSQL would return the key of each row, which nobody reads."""
    add = PreparedChange(insert(CRAWL), ("site_id", "started_at"))
    assert "RETURNING" not in add.form(postgresql.dialect()).sql
