"""OP-03, at any moment: a crawl, a worker or a recrawl is stopped, and what it left undone is done by the next worker."""

import contextlib
import os
import signal
import subprocess
import sys
import time

from tests.drill.cases import ROOT, case, check
from tests.drill.crawls import Crawling, until
from tests.drill.postgres import PostgreSQL
from tests.drill.site import DrillSite
from tests.drill.workers import add, starts
from tests.integration.server import SiteServer, small_site

STOPS = 12
REPORTS = (10, 60, 120, 120)
"""Reports of each site."""
LONGEST = 5.0
"""Seconds after which a command is stopped; normally it takes about five."""


class Stopping:
    """Commands in one folder, on one database."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder, self.database, self.runs = folder, f"sqlite:///{folder}/drill.db", 0
        self.crawling = Crawling("", folder, self.database)

    def start(self, *arguments):
        """Start a command; return its process and the file of its messages."""
        self.runs += 1
        settings = {"SITECRAWL_DATABASE_URL": self.database, "SITECRAWL_TEMPLATE_MIN_PAGES": 20}
        flags = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        command = [sys.executable, "-c", "from sitecrawl.cli import main; main()", *arguments, *flags]
        path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
        log = self.folder / f"log-{self.runs}"
        with log.open("w") as file:
            return subprocess.Popen(command, stderr=file, cwd=self.folder, env={**os.environ, "PYTHONPATH": path}), log

    def ended(self, process, log, seconds):
        """Wait for a command; return its duration in seconds. Raises Failure if it does not end properly."""
        began = time.monotonic()
        code, said = process.wait(seconds), log.read_text()
        over = code in (-signal.SIGTERM, -signal.SIGINT) and said.endswith("rows in feed.jsonl\n")
        check(code == 0 or over, f"{process.args[3]}: status {code}: {said[-600:]}")
        check("Traceback" not in said, f"{process.args[3]}: a traceback: {said[-1500:]}")
        return time.monotonic() - began

    def leased(self):
        return self.crawling.query("SELECT host FROM site WHERE lease_owner IS NOT NULL")


def _pages(sites):
    """The number of pages of these sites."""
    return sum(path.endswith(".html") for site in sites for path in site.pages)


def _stopped(room, number, sites, arguments):
    """Stop a command at a random moment and have a worker do the rest; return seconds to the end, pages done before."""
    stopping = Stopping(room.folder / str(number))
    if arguments[0] != "crawl":
        add(stopping.database, starts(sites))
    process, log = stopping.start(*arguments)
    time.sleep(room.random.uniform(0.5, LONGEST))
    try:
        process.send_signal((signal.SIGTERM, signal.SIGINT)[number % 2])
        took = stopping.ended(process, log, 60)
        check(took <= 10, f"it took {took:.1f} s")
        if not (stopping.folder / "drill.db").exists():
            return took, 0
        check(stopping.leased() == [], f"not released: {stopping.leased()}")
        before = stopping.crawling.value("SELECT count(*) FROM content")
        begun = stopping.crawling.value("SELECT count(*) FROM site")
        stopping.ended(*stopping.start("worker", "--processes", "1", "--until-done"), 200)
    finally:
        process.kill()
    whole = _pages(sites) if begun else 0
    done = stopping.crawling.value("SELECT count(*) FROM content")
    check(done == whole, f"{done} of {whole} pages have main content; {before} had it when the command was stopped")
    check(stopping.crawling.value("SELECT count(*) FROM crawl WHERE finished_at IS NULL") == 0, "a crawl is left open")
    check(stopping.leased() == [], f"the worker did not release {stopping.leased()}")
    return took, before


def _at_any_moment(room, arguments, reports=REPORTS):
    slowest, amid = 0.0, 0
    for number in range(STOPS):
        with contextlib.ExitStack() as stack:
            sites = [stack.enter_context(SiteServer(small_site(one))) for one in reports]
            filled = [part.format(url=sites[0].url("/index.html")) for part in arguments]
            took, before = _stopped(room, number, sites, filled)
            slowest, amid = max(slowest, took), amid + (0 < before < _pages(sites))
    return f"{STOPS} times, {amid} amid the pages, {slowest:.1f} s at most; a worker did the rest"


EXPECTED = "ends within 10 s, status 0, released; the next worker does all that is left"


@case("OP-03-any-crawl", f"`crawl site` stopped at {STOPS} random moments of its life", EXPECTED)
def stop_a_crawl(room):
    return _at_any_moment(room, ["crawl", "site", "-a", "url={url}", "-O", "feed.jsonl"], reports=(200,))


@case("OP-03-any-worker", f"a worker of {len(REPORTS)} sites stopped at {STOPS} random moments", EXPECTED)
def stop_a_worker(room):
    return _at_any_moment(room, ["worker", "--processes", "1"])


@case("OP-03-any-recrawl", f"`recrawl --due` of {len(REPORTS)} sites stopped at {STOPS} random moments", EXPECTED)
def stop_a_recrawl(room):
    return _at_any_moment(room, ["recrawl", "--due", "--sites", "4", "-O", "feed.jsonl"])


@case("OP-03-database", "SIGTERM 2 s after the PostgreSQL server was stopped", "ends within 10 s; then all pages")
def stop_without_a_database(room):
    with PostgreSQL(room.folder) as server, DrillSite(200) as site:
        crawling = Crawling(site.url, room.folder, server.database())
        process = crawling.start()
        until(lambda: len(site.asked()) >= 40, process, 60, "the fortieth page")
        server.stop("immediate")
        time.sleep(2)
        since = time.monotonic()
        process.send_signal(signal.SIGTERM)
        ended = crawling.wait(process, 200, since).clean()
        check(ended.code == 3, f"status {ended.code}: {ended.said[-400:]}")
        check(ended.seconds <= 10, f"it took {ended.seconds:.1f} s")
        server.start()
        again = crawling.run(200).clean()
        check(again.code == 0, f"the next run ended with {again.code}: {again.said[-500:]}")
        crawling.whole(200)
    return f"{ended.seconds:.1f} s, status 3; then 200/200 pages"
