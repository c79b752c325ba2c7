"""A SQLite driver that fails at a chosen statement; compares a crawl's memory with the database afterwards."""

import sqlite3
import weakref
from contextlib import contextmanager

from sqlalchemy import event, text

from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter, ProcessDatabase
from tests.unit.crawl.crawling import ROOT


class Driver:
    """Counts the statements of an engine, BEGIN and COMMIT among them, and fails at one of them."""

    def __init__(self, engine):
        self.statements = []
        self.failing = 0
        """Number of the statement that fails, from 1; 0 for none."""
        self.failed = False
        driver = self

        class Cursor(sqlite3.Cursor):
            def execute(self, sql, *values):
                driver.run(sql)
                return super().execute(sql, *values)

            def executemany(self, sql, *values):
                driver.run(sql)
                return super().executemany(sql, *values)

        class Connection(sqlite3.Connection):
            def cursor(self):
                return super().cursor(Cursor)

            def commit(self):
                driver.run("COMMIT")
                return super().commit()

        @event.listens_for(engine, "do_connect")
        def connect(_dialect, _record, _arguments, parameters):
            parameters["factory"] = Connection

        engine.dispose()

    def run(self, sql):
        if sql.startswith("PRAGMA"):
            return
        self.statements.append(" ".join(sql.split()))
        if len(self.statements) == self.failing:
            self.failed = True
            raise sqlite3.IntegrityError(f"this statement fails: {self.statements[-1][:60]}")

    @contextmanager
    def failing_at(self, number):
        """Fail at the statement with this number, once; 0 counts only."""
        self.statements.clear()
        self.failing, self.failed = number, False
        try:
            yield
        finally:
            self.failing = 0


def memory(crawl):
    """Return what a crawl remembers that is stored as well."""
    frontier, learning, statistics = crawl.frontier, crawl.learning, crawl.statistics
    return {
        "known": set(frontier.known),
        "settled": set(frontier.settled),
        "seen": set(frontier.seen),
        "pages": frontier.pages,
        "discovery": frontier.discoveries.last,
        "under way": (set(frontier.claimed), dict(frontier.arrived)),
        "version": learning.layouts.version,
        "counted": learning.counted,
        "unpublished": learning.unpublished,
        "learned": {one.number: one.learner.template.pages_seen for one in learning.layouts},
        "templates": {
            one.number: (
                one.template.version,
                one.template.pages_seen,
                {key: node.counts() for key, node in one.template.nodes.items()},
            )
            for one in learning.layouts.published
        },
        "surveyed": statistics.pages,
        "values": dict(statistics.values._counts),
        "waiting": sorted([*crawl.waiting.pages, *crawl.waiting.aliases, *crawl.waiting.unextracted]),
        "emit_order": crawl.order.emitted.last,
        "earned": {key: group.first for key, group in crawl.guard._groups.items() if group.first},
        "closed": (dict(crawl.guard.closed), dict(crawl.infinite_spaces.closed)),
    }


def opened_again(crawl):
    """Return the memory of a crawl that resumes from the present database."""
    again = SiteCrawl(crawl.config, CrawlStart(ROOT, owner=crawl.owner), second_database(crawl))
    crawl.owner = again.owner
    crawl.writer.fence(again.writer.lease)
    return memory(again)


_second = weakref.WeakKeyDictionary()


def second_database(crawl):
    """Return a second connection to a crawl's database, which lasts as long as the crawl: a new one costs 50 ms."""
    if crawl not in _second:
        engine = open_database(crawl.config.database_url)
        writer = BatchWriter(engine)
        _second[crawl] = ProcessDatabase(engine, writer)
        weakref.finalize(crawl, close, writer, engine)
    return _second[crawl]


def close(writer, engine):
    writer.shutdown()
    engine.dispose()


TIMES = (
    "_at",
    "fetch_order",
    "changed_seconds",
    "missing_since",
    "next_reason",
    "leased_until",
    "lease_owner",
    "lease_epoch",
    "dated",
    "stats",
    "novelty",
)
"""Suffixes of the names of columns in which two equal crawls may differ.

Novelty is a mean over the last pages that one process learned from; a crawl that reads its templates again begins anew.
"""


def rows(engine):
    """Return all rows of all tables, without the columns in `TIMES`."""
    found = {}
    with session_scope(engine) as session:
        names = session.scalars(
            text("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_text%' ORDER BY name")
        ).all()
        for name in names:
            result = session.execute(text(f"SELECT * FROM {name}"))
            kept = [i for i, column in enumerate(result.keys()) if not column.endswith(TIMES)]
            found[name] = sorted(repr([row[i] for i in kept]) for row in result)
    return found
