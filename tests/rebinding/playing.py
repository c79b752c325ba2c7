"""The stage for the cases: names, websites, and crawls by the real command, each in a process of its own."""

import json
import multiprocessing
import os
import re
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass

import zstandard

from tests import fork
from tests.rebinding.web import SECRET

ZSTD = b"\x28\xb5\x2f\xfd"
TIMEOUT = 120
FAST = {
    "SITECRAWL_TEMPLATE_MIN_PAGES": 30,
    "SITECRAWL_MAX_RETRY_AFTER": 5,
    "SITECRAWL_OUTAGE_PATIENCE": 1,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 20,
    "RETRY_TIMES": 1,
}
UNPINNED = {"DNSCACHE_ENABLED": False}
"""Have each connect look the name up."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command."""

    code: int
    said: str
    rows: list

    def line(self):
        """Return the one line that is for people. Fails unless there is one."""
        lines = [line for line in self.said.splitlines() if line.startswith("sitecrawl: ")]
        assert len(lines) == 1, self.said
        return lines[0]


def run(arguments, folder, output):
    """Run a command of sitecrawl in this forked process."""
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.chdir(folder)
    os.environ["SCRAPY_SETTINGS_MODULE"] = "sitecrawl.settings"
    if arguments[0] in fork.FLEETS:
        fork.Starter()
    sys.argv = ["sitecrawl", *arguments]
    from scrapy.cmdline import execute

    execute()


class Stage:
    """The names and servers of the namespace, and a count of the crawls that were played on it."""

    def __init__(self, web, names, folder):
        self.web, self.names, self.folder = web, names, folder
        self.crawls = self.plays = 0
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload(["tests.rebinding.preload"])

    def play(self, case, *arguments):
        """Play a case on a website of its own; return the problems found, none if all is right."""
        self.plays += 1
        room = Room(self, f"c{self.plays}-rebinding.org", self.folder / str(self.plays))
        self.web.connects.clear()
        self.web.intranet.clear()
        wrong = []
        try:
            case(room, *arguments)
        except AssertionError as error:
            wrong.append(f"{error}"[:1500] or "an assertion failed")
        if self.web.connects:
            wrong.append(f"connects to {', '.join(sorted(set(self.web.connects)))}: {len(self.web.connects)}")
        if room.leaks():
            wrong.append(f"the text of a forbidden server is in {', '.join(room.leaks())}")
        return wrong


class Room:
    """One website by name, its database, and its crawls."""

    def __init__(self, stage, host, folder):
        self.stage, self.host, self.folder = stage, host, folder
        self.web, self.names = stage.web, stage.names
        self.folder.mkdir()
        self.site = stage.web.site(host)
        self.runs = 0

    def lead(self, *addresses, name=None):
        """Make the name of the website, or another below it, resolve to these addresses from now on."""
        self.names.answers[f"{name}.{self.host}" if name else self.host] = list(addresses)

    def leading(self, *addresses):
        """Return a function that makes the name resolve to these addresses."""
        return lambda: self.lead(*addresses)

    def crawl(self, **settings):
        """Crawl the website, and return how it went."""
        return self._crawl(["crawl", "site", "-a", f"url={self.site.url}"], settings)

    def recrawl(self, **settings):
        """The same by `recrawl`."""
        return self._crawl(["recrawl", self.host], settings)

    def _crawl(self, command, settings):
        self.stage.crawls += 1
        feed = self.folder / f"feed-{self.stage.crawls}.jsonl"
        told = {**FAST, **settings}
        flags = [part for name, value in told.items() for part in ("-s", f"{name}={value}")]
        ended = self.command(*command, "-O", str(feed), *flags)
        rows = [json.loads(line) for line in feed.read_text().splitlines()] if feed.exists() else []
        assert "Traceback" not in ended.said, ended.said
        return Ended(ended.code, ended.said, rows)

    def command(self, *arguments):
        """Run a command of sitecrawl on the database."""
        self.runs += 1
        output = self.folder / f"said-{self.runs}"
        database = ["-s", f"SITECRAWL_DATABASE_URL=sqlite:///{self.folder}/site.db"]
        process = self.stage.processes.Process(target=run, args=([*arguments, *database], self.folder, output))
        process.start()
        process.join(TIMEOUT)
        late = process.is_alive()
        if late:
            process.kill()
            process.join()
        said = output.read_text()
        assert not late, f"{arguments[0]} did not end within {TIMEOUT} s: {said}"
        return Ended(process.exitcode, said, [])

    def pages(self):
        """Return the output of the command `pages`."""
        return self.command("pages", self.host).said

    def query(self, statement):
        with closing(sqlite3.connect(self.folder / "site.db")) as connection, connection:
            return connection.execute(statement).fetchall()

    def stored(self):
        """Return all rows of the database that crawls have written, except those of the crawls themselves."""
        tables = [name for (name,) in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = [name for name in tables if name not in ("site", "crawl") and not name.startswith("sqlite_")]
        return {name: self.query(f'SELECT * FROM "{name}"') for name in kept}

    def leaks(self):
        """Return where the text of a forbidden server is found: files, and columns of the database."""
        found = [path.name for path in self.folder.glob("feed*") if SECRET in path.read_text()]
        if (self.folder / "site.db").exists():
            tables = [name for (name,) in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for name in tables:
                found += [name for row in self.query(f'SELECT * FROM "{name}"') if _holds(row)]
        return sorted(set(found))


def _holds(row):
    for value in row:
        plain = value
        if isinstance(value, bytes) and value.startswith(ZSTD):
            plain = zstandard.ZstdDecompressor().decompress(value)
        shown = plain.decode("utf-8", "replace") if isinstance(plain, bytes) else str(plain)
        if SECRET.lower() in shown.lower() or re.search(r"/internal-\d", shown):
            return True
    return False
