"""OP-49: feeds of crawls that are killed again and again: no change is lost, no line is cut, `export` is the database."""

import json
import os
import signal
import time
from contextlib import ExitStack

from sitecrawl.templates.learner import DECIDED
from tests import fork
from tests.drill.cases import ROOT, case, check
from tests.drill.crawls import FAST, Crawling
from tests.drill.postgres import PostgreSQL
from tests.drill.site import DrillSite

KILLS, PAGES = 20, 400
TIMES = ("fetched_at", "depth")
"""Fields for the time and source of the first discovery of a page, which depend on chance."""
LEARNED = ("template_version", "confidence")
"""Fields for the pages from which the layout decided, which depend on chance if the site has more pages."""


def rows(path):
    """The rows of a feed. Raises Failure when a line is cut off."""
    found = []
    for line in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
        check(line.endswith(b"\n"), f"{path.name}: the last line is cut off: {line[-80:]!r}")
        try:
            found.append(json.loads(line))
        except ValueError:
            check(False, f"{path.name}: a line is cut off: {line[:80]!r}")
    return found


def last(feeds):
    """The last row of each URL, in the order of feeds."""
    return {row["url"]: row for feed in feeds for row in feed}


def timeless(found, more=()):
    """Rows by their path, without what chance decides, and `more`."""
    return {
        row["url"].split("/", 3)[3]: {
            name: value
            for name, value in row.items()
            if name not in (*TIMES, *more, "id", "url", "canonical_url", "site", "status")
        }
        for row in found
    }


def exported(crawling):
    """Compares the output of `export` with the database."""
    target = crawling.folder / "export.jsonl"
    program = ["sitecrawl", "export", "-O", str(target), "-s", f"SITECRAWL_DATABASE_URL={crawling.database}"]
    done = fork.run(program, capture_output=True, text=True, timeout=300, cwd=crawling.folder, env=environment())
    check(done.returncode == 0, f"export ended with {done.returncode}: {done.stderr[-300:]}")
    found = rows(target)
    statement = (
        "SELECT url, digest, text FROM content JOIN page USING (site_id, url_key) WHERE content.status <> 'gone'"
    )
    stored = sorted((url, digest or "", text) for url, digest, text in crawling.query(statement))
    check(sorted((row["url"], row["digest"], row["text"]) for row in found) == stored, "export is not the database")
    return found


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}


def program(crawling, *command):
    told = {
        **FAST,
        "SITECRAWL_TEMPLATE_MIN_PAGES": DECIDED,
        "SITECRAWL_DATABASE_URL": crawling.database,
        "SITECRAWL_FULL_FETCH_EVERY": 1,
    }
    return ["sitecrawl", *command, *(part for name, value in told.items() for part in ("-s", f"{name}={value}"))]


def descendants(process):
    """A process and all that it started, itself first."""
    found = [process]
    for one in found:
        try:
            with open(f"/proc/{one}/task/{one}/children") as file:
                found += map(int, file.read().split())
        except OSError:
            continue
    return found


def run_or_kill(crawling, command, sites, wanted, *, alone=False):
    """Run a command; return its status. It is killed once the sites have received `wanted` more requests.

    With `alone` only the process itself is killed; the processes that it started go on.
    """
    asked = sum(len(site.log) for site in sites)
    with (crawling.folder / "log").open("a") as log:
        process = fork.Popen(command, stdout=log, stderr=log, cwd=crawling.folder, env=environment())
    deadline = time.monotonic() + 600
    while process.poll() is None and sum(len(site.log) for site in sites) < asked + wanted:
        check(time.monotonic() < deadline, f"it did not end: {(crawling.folder / 'log').read_text()[-500:]}")
        time.sleep(0.002)
    for one in [process.pid] if alone else descendants(process.pid):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return process.wait(600)


def killed_crawls(room, folder, database, option, kills, pages):
    """Crawl with kills, then again after an edit with kills; return the figures."""
    folder.mkdir()
    with DrillSite(pages) as site:
        crawling = Crawling(site.url, folder, database)
        (folder / "undisturbed").mkdir()
        plain = Crawling(site.url, folder / "undisturbed")
        feed, done, finished = folder / "feed.jsonl", 0, []
        for edit in (0, 1):
            site.size += edit  # every article has one paragraph more
            while True:
                wanted = room.random.randint(1, max(2, 2 * pages // kills)) if done < kills * (1 + edit) / 2 else 10**9
                command = program(crawling, "crawl", "site", "-a", f"url={site.url}", option, str(feed))
                status = run_or_kill(crawling, command, [site], wanted)
                if status == -signal.SIGKILL:
                    done += 1
                    continue
                check(status == 0, f"status {status}: {(folder / 'log').read_text()[-500:]}")
                break
            finished.append(rows(feed))
            command = program(plain, "crawl", "site", "-a", f"url={site.url}")
            check(run_or_kill(plain, command, [site], 10**9) == 0, "the undisturbed crawl failed")
        found = exported(crawling)
        lines = sum(map(len, finished)) if option == "-O" else len(finished[-1])
        compare(last(finished), found, exported(plain), pages)
    return f"{option}: {done} kills, {lines} rows for {2 * pages} changes"


def compare(told, found, undisturbed, pages):
    """Raise Failure unless the feeds, the export and the export of undisturbed crawls are equal."""
    check(len(told) == len(found) == pages, f"{len(told)} pages in the feeds, {len(found)} in the export, of {pages}")
    check(timeless(told.values()) == timeless(found), "the last rows of the feeds are not the export")
    more = () if pages <= DECIDED else LEARNED
    here, there = timeless(found, more), timeless(undisturbed, more)
    differ = [path for path in here.keys() | there.keys() if here.get(path) != there.get(path)]
    check(not differ, f"{len(differ)} rows differ from those of undisturbed crawls: {differ[:3]}")


def killed_recrawls(room, folder, database, kills, pages):
    """Recrawl two sites whose pages were all edited, with kills; return the figures."""
    folder.mkdir()
    with ExitStack() as stack:
        sites = [stack.enter_context(DrillSite(pages // 2, host=f"127.0.0.{number}")) for number in (1, 2)]
        crawling = Crawling("", folder, database)
        for number, site in enumerate(sites):
            url = f"http://127.0.0.{number + 1}:{site.port}/a/0"
            command = program(crawling, "crawl", "site", "-a", f"url={url}", "-O", "first.jsonl")
            check(run_or_kill(crawling, command, [site], 10**9) == 0, "the first crawl failed")
        feed, done, finished = folder / "feed.jsonl", 0, []
        while True:
            if done % 5 == 0:
                for site in sites:
                    site.size += 1
            last_edit = done >= kills
            wanted = room.random.randint(1, max(2, pages // 4)) if not last_edit else 10**9
            command = program(crawling, "recrawl", "-O", str(feed), "--sites", "2")
            status = run_or_kill(crawling, command, sites, wanted, alone=done % 4 == 3)
            if status == -signal.SIGKILL:
                done += 1
                continue
            finished.append(rows(feed))
            feed.unlink()  # taken away after each run
            check(status in (0, 1, 3), f"status {status}: {(folder / 'log').read_text()[-500:]}")
            if last_edit and status == 0 and current(crawling, sites):
                break
            time.sleep(0.2)
        told, found = last(finished), exported(crawling)
        check(not (folder / "feed.jsonl.parts").exists(), "parts are left")
        check(len(told) == len(found) == pages, f"{len(told)} of {pages} pages are in the feeds, {len(found)} exported")
        check(
            {url: (row["digest"], row["text"]) for url, row in told.items()}
            == {row["url"]: (row["digest"], row["text"]) for row in found},
            "the last rows of the feeds are not the export",
        )
    return (
        f"recrawl -O: {done} kills, {sum(map(len, finished))} rows of {pages} pages in {len(finished)} finished feeds"
    )


def current(crawling, sites):
    """Say whether the database has every page as the sites have it now."""
    words = f"%paragraph {sites[0].size - 1} tells%"
    every = sum(site.pages for site in sites)
    return crawling.value("SELECT count(*) FROM content WHERE text LIKE :words", words=words) == every


def feeds_of_killed_runs(room, database, kills=KILLS, pages=PAGES):
    """Run all ways to write a feed on databases that `database` creates."""
    said = [
        killed_crawls(room, room.folder / option, database(option), option, kills, pages) for option in ("-O", "-o")
    ]
    return "; ".join([*said, killed_recrawls(room, room.folder / "recrawl", database("recrawl"), kills, pages)])


@case("OP-49", "feeds by -O, -o and recrawl -O with 20 kill -9 each, SQLite", "no change lost, no line cut")
def feeds_with_sqlite(room):
    return feeds_of_killed_runs(room, lambda name: f"sqlite:///{room.folder}/{name}.db")


@case("OP-49-postgresql", "the same with PostgreSQL", "no change lost, no line cut")
def feeds_with_postgresql(room):
    with PostgreSQL(room.folder) as server:
        return feeds_of_killed_runs(room, lambda _: server.database())
