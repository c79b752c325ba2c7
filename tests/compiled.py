"""Engines of one process share the statements that SQLAlchemy compiled.

Each test opens databases of its own and would compile the same statements anew: a fifth of the CPU of the unit tests, and a
quarter of that of a small crawl.
"""

import gc
import tempfile
from typing import Final

from sqlalchemy import create_engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect, Engine
from sqlalchemy.util import LRUCache

STATEMENTS: Final = 2000
"""Size of the cache, twice the number that the package needs, since some tests create many of their own."""


def share_compiled() -> None:
    """Make the engines that are created from now on share their compiled statements.

    SQLAlchemy looks for a statement by its dialect: the dialects of one kind are made equal.
    """
    _share(SQLiteDialect_pysqlite, create_engine("sqlite://"))
    _share(PGDialect_psycopg, create_engine("postgresql+psycopg://"))


def crawl_once() -> None:
    """Crawl a few pages of no site, so that the processes forked from this one find the statements of a crawl compiled."""
    from tests.unit.crawl.crawling import crawled, during

    share_compiled()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            during(f"sqlite:///{folder}/site.db", lambda crawling: crawled(crawling, range(5)), reason="finished")
    gc.collect()
    gc.freeze()


def _share(dialect: type[Dialect], first: Engine) -> None:
    compiled, types = LRUCache(STATEMENTS), first.dialect._type_memos

    def engine_created(engine: Engine) -> None:
        engine._compiled_cache = compiled
        engine.dialect._type_memos = types

    dialect.engine_created = staticmethod(engine_created)
    dialect.__eq__ = lambda one, other: type(one) is type(other)
    dialect.__hash__ = lambda one: hash(type(one))
