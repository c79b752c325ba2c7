"""Tests of the emptying of a test's PostgreSQL database."""

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tests.conftest import TEMPLATE
from tests.emptied import emptied

pytestmark = pytest.mark.postgresql


@pytest.fixture
def template(postgres_server):
    return f"{postgres_server.rsplit('/', 1)[0]}/{TEMPLATE}"


def run(url, *statements):
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"), poolclass=NullPool)
    with engine.begin() as connection:
        return [connection.execute(text(one)) for one in statements][-1].scalar()


SITE = (
    "INSERT INTO site (host, start_url, created_at) VALUES ('example.org', 'https://example.org/', now()) RETURNING id"
)


def test_rows_and_numbers_begin_anew(postgres_url, template):
    assert run(postgres_url, SITE) == 1
    run(postgres_url, "UPDATE outbox_clock SET last = 7", "SELECT 1")
    assert emptied(postgres_url, template)
    assert run(postgres_url, "SELECT count(*) FROM site") == 0
    assert run(postgres_url, "SELECT last FROM outbox_clock") == 0
    assert run(postgres_url, "SELECT count(*) FROM alembic_version") == 1
    assert run(postgres_url, SITE) == 1


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE more (id integer)",
        "ALTER TABLE site ADD COLUMN more integer",
        "DROP INDEX ix_search_vector",
        "CREATE FUNCTION more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    ],
)
def test_a_database_of_another_structure_is_not_used_again(postgres_url, template, change):
    run(postgres_url, change, "SELECT 1")
    assert not emptied(postgres_url, template)


def test_connections_that_a_test_left_are_ended(postgres_url, template):
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    left = engine.connect()
    left.execute(text(SITE))
    assert emptied(postgres_url, template)
    left.invalidate()
    engine.dispose()
