"""Empties a PostgreSQL database after a test, which takes a fifth of the time that a new database takes."""

import time
from functools import cache

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

SETTLED = 10.0
"""Seconds until the last connection of a test must be gone."""
STRUCTURE = """
SELECT md5(string_agg(line, ',' ORDER BY line)) FROM (
    SELECT format('%s.%s %s %s %s', n.nspname, c.relname, c.relkind, c.reloptions, c.relpersistence) AS line
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname !~ '^pg_'
    UNION ALL SELECT format('%s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull)
        FROM pg_attribute WHERE attrelid >= 16384 AND attnum > 0
    UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid >= 16384
    UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indexrelid >= 16384
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid >= 16384 AND NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT nspname FROM pg_namespace WHERE oid >= 16384
    UNION ALL SELECT format('%s %s', setdatabase > 0, setconfig) FROM pg_db_role_setting
        WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
) AS lines
"""
"""A digest of all that a test may have changed in a database besides its rows."""
OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
EMPTY = """
DO $$
DECLARE
    name text;
    filled boolean;
BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE 'SELECT EXISTS (SELECT FROM ' || quote_ident(name) || ')' INTO filled;
        IF filled THEN
            EXECUTE 'DELETE FROM ' || quote_ident(name);
        END IF;
    END LOOP;
    PERFORM setval(c.oid, s.seqstart, false) FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid;
END $$
"""
"""Deletes all rows in one statement: one for each table would take most of the time."""


def emptied(url: str, template: str) -> bool:
    """Make the rows of a database those of the template; False if that cannot be done, or its tables were changed."""
    try:
        connection = _connection(url)
        same = _alone(connection) and connection.scalar(text(STRUCTURE)) == _structure(template)
        if same:
            connection.exec_driver_sql(EMPTY)
            for table, rows in _rows(template).items():
                for row in rows:
                    names = ", ".join(f":{name}" for name in row)
                    connection.execute(text(f'INSERT INTO "{table}" VALUES ({names})'), row)
        connection.commit()
    except SQLAlchemyError:
        return False
    return same


def _alone(connection: Connection) -> bool:
    """End the other connections; False if one does not end."""
    deadline = time.monotonic() + SETTLED
    while connection.execute(text(OTHERS)).all():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
        connection.execute(text("SELECT pg_stat_clear_snapshot()"))
    return True


@cache
def _connection(url: str) -> Connection:
    """Return a connection that stays: a new one takes the server longer than to empty the database."""
    connection = _engine(url).connect()
    connection.execute(text("SET session_replication_role = replica"))  # neither triggers nor foreign keys
    return connection


def _engine(url: str) -> Engine:
    return create_engine(url.replace("postgresql://", "postgresql+psycopg://"), poolclass=NullPool)


@cache
def _structure(template: str) -> str:
    with _engine(template).connect() as connection:
        return str(connection.scalar(text(STRUCTURE)))


@cache
def _rows(template: str) -> dict[str, list[dict[str, object]]]:
    """Return the rows of the template by table, of the tables that have some."""
    found = {}
    with _engine(template).connect() as connection:
        for table in connection.scalars(text(TABLES)).all():
            rows = [dict(row) for row in connection.execute(text(f'SELECT * FROM "{table}"')).mappings()]
            if rows:
                found[table] = rows
    return found
