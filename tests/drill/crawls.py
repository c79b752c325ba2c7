"""The real `sitecrawl crawl` as a process, and what it left behind in its database."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field

from sqlalchemy import create_engine, text

from sitecrawl.storage.pages import PageStatus
from tests.drill.cases import ROOT, Failure, check, terminate

CONCURRENCY = 8
FAST = {
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
    "SITECRAWL_TEMPLATE_MIN_PAGES": 30,
    "SITECRAWL_SECOND_FETCHES": 0,  # in most cases a second request for a page is a fault
    "RETRY_TIMES": 1,
    "DOWNLOAD_TIMEOUT": 30,
}


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a process."""

    code: int
    said: str
    seconds: float
    megabytes: float

    def line(self, words):
        """Return the message line for the user if it contains these words. Raises Failure otherwise."""
        lines = [line for line in self.said.splitlines() if line.startswith("sitecrawl: ")]
        check(
            len(lines) == 1 and words in lines[0], f"status {self.code}, {words!r} is not said once: {self.said[-600:]}"
        )
        return lines[0]

    def clean(self):
        """Raise Failure when there is a traceback."""
        check("Traceback" not in self.said, f"a traceback: {self.said[-1500:]}")
        return self


@dataclass(slots=True)
class Crawling:
    """A crawl of one site into one database, run as often as a case wants."""

    url: str
    folder: object
    database: str = ""
    settings: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    runs: int = 0
    before: tuple = ()
    """A program and its arguments that the crawl is run by."""

    def __post_init__(self):
        self.database = self.database or f"sqlite:///{self.folder}/drill.db"

    def command(self, *, feed=None, **settings):
        told = {**FAST, "SITECRAWL_DATABASE_URL": self.database, **self.settings, **settings}
        flags = [part for name, value in told.items() for part in ("-s", f"{name}={value}")]
        program = [*self.before, sys.executable, "-c", "from sitecrawl.cli import main; main()"]
        return [*program, "crawl", "site", "-a", f"url={self.url}", "-O", str(feed or self.feed), *flags]

    @property
    def feed(self):
        return self.folder / "feed.jsonl"

    @property
    def log(self):
        return self.folder / f"log-{self.runs}"

    def start(self, **settings):
        """Start the crawl; its messages go to `log`."""
        self.runs += 1
        path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
        with self.log.open("w") as log:
            return subprocess.Popen(
                self.command(**settings),
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={
                    **os.environ,
                    "PYTHONPATH": path,
                    "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings",
                    **self.environment,
                },
            )

    def wait(self, process, timeout=300.0, since=None):
        """Return how a crawl ended. Raises Failure when it does not, having killed it."""
        since = time.monotonic() if since is None else since
        deadline = time.monotonic() + timeout
        while True:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() > deadline:
                terminate(process)
                raise Failure(f"the crawl did not end within {timeout:.0f} s: {self.log.read_text()[-800:]}")
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        said = self.log.read_text(errors="replace")
        return Ended(process.returncode, said, time.monotonic() - since, usage.ru_maxrss / 1024)

    def run(self, timeout=300.0, **settings):
        """Crawl, and return how it ended."""
        since = time.monotonic()
        return self.wait(self.start(**settings), timeout, since)

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()

    def rows(self):
        return [json.loads(line) for line in self.feed.read_text().splitlines()] if self.feed.exists() else []

    # The database -------------------------------------------------------------------------------------------------

    def query(self, statement, **values):
        """Return the rows of a statement, from a connection of its own."""
        engine = create_engine(self.database.replace("postgresql://", "postgresql+psycopg://"))
        with engine.connect() as connection:
            found = connection.execute(text(statement), values)
            rows = [tuple(row) for row in found] if found.returns_rows else []
            connection.commit()
        engine.dispose()
        return rows

    def value(self, statement, **values):
        return self.query(statement, **values)[0][0]

    def states(self):
        """Return the number of URLs in each state."""
        return {
            PageStatus(status).name: count
            for status, count in self.query("SELECT status, count(*) FROM page GROUP BY 1")
        }

    def path(self):
        return self.database.removeprefix("sqlite:///")

    def integrity(self):
        """Return the problems that SQLite finds in its file; none for PostgreSQL, whose constraints prevent them."""
        if not self.database.startswith("sqlite"):
            return "ok"
        with closing(sqlite3.connect(self.path())) as connection:
            return connection.execute("PRAGMA integrity_check").fetchone()[0]

    def whole(self, pages):
        """Raise Failure unless every page of a site of `pages` articles is stored once, with content and links."""
        found = self.value("SELECT count(*) FROM page WHERE status IN (1, 2)")
        check(found == pages, f"{found} of {pages} pages are stored; states {self.states()}")
        double = self.value("SELECT count(*) FROM (SELECT url FROM page GROUP BY url HAVING count(*) > 1) twice")
        check(double == 0, f"{double} URLs have two rows")
        texts = self.value("SELECT count(*) FROM content WHERE text <> ''")
        check(texts == pages, f"{texts} of {pages} pages have a text")
        check(self.integrity() == "ok", f"integrity_check: {self.integrity()}")
        rows = [row["url"] for row in self.rows()]
        check(len(rows) == len(set(rows)), f"{len(rows) - len(set(rows))} rows are in the feed twice")


def stat(ended, name):
    """Return a number of Scrapy's stats, which need STATS_DUMP and LOG_LEVEL=INFO; 0 when it is not there."""
    found = re.search(rf"'{re.escape(name)}': ([\d.]+)", ended.said)
    return float(found[1]) if found else 0.0


def until(condition, process, timeout=60.0, what="it"):
    """Wait until a condition holds while a process runs. Raises Failure."""
    deadline = time.monotonic() + timeout
    while not condition():
        check(process.poll() is None, f"the crawl ended before {what}")
        check(time.monotonic() < deadline, f"{what} did not happen within {timeout:.0f} s")
        time.sleep(0.005)
