"""OP-07 to OP-13, OP-22 to OP-24, OP-55: databases and disks that are busy, gone, full, read-only, damaged or of another age."""

import contextlib
import os
import sqlite3
import subprocess
import threading
import time
from contextlib import closing

from tests.drill.cases import case, check, need_root, tested
from tests.drill.crawls import Crawling, until
from tests.drill.postgres import PostgreSQL
from tests.drill.site import DrillSite

PAGES = 300

tested(
    "OP-07",
    "several processes write the same rows",
    "no error, counts add up, deadlocks are tried again",
    "tests/unit/storage/db/test_concurrency.py",
)


def amid(crawling, site):
    """Start a crawl, and return its process at the sixtieth request."""
    process = crawling.start()
    until(lambda: len(site.asked()) > 60, process, 60, "request 60")
    return process


@contextlib.contextmanager
def exclusive(crawling):
    """Keep the database of a crawl locked."""
    with closing(sqlite3.connect(crawling.path(), isolation_level=None, timeout=30)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
        connection.execute("ROLLBACK")


@case("OP-08", "another process holds BEGIN EXCLUSIVE for 20 s", "waits, nothing lost, no error")
def locked(room):
    with DrillSite(PAGES, delay=0.01) as site:
        crawling = Crawling(site.url, room.folder)
        process = amid(crawling, site)
        with exclusive(crawling):
            before = len(site.asked())
            time.sleep(20)
            meanwhile = len(site.asked()) - before
        ended = crawling.wait(process).clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-500:]}")
        crawling.whole(PAGES)
        repeats = len(site.asked()) - len(set(site.asked()))
        check(repeats == 0, f"{repeats} repeats")
    return f"{meanwhile} requests in the 20 s; then {PAGES}/{PAGES} pages, 0 repeats"


@case(
    "OP-55", "SIGTERM while another process keeps the database locked", "ends within 15 s with status 3, then resumed"
)
def stopped_while_locked(room):
    with DrillSite(PAGES, delay=0.01) as site:
        crawling = Crawling(site.url, room.folder)
        process = amid(crawling, site)
        with exclusive(crawling):
            time.sleep(3)
            began = time.monotonic()
            process.terminate()
            ended = crawling.wait(process, 120).clean()
            took = time.monotonic() - began
        check(ended.code == 3 and "stayed locked" in ended.said, f"status {ended.code}: {ended.said[-500:]}")
        check(took <= 15, f"it took {took:.1f} s to end")
        again = crawling.run().clean()
        check(again.code == 0, f"status {again.code}: {again.said[-500:]}")
        crawling.whole(PAGES)
    return f"ended after {took:.1f} s; then {PAGES}/{PAGES} pages"


@case("OP-09", "PostgreSQL is stopped (immediate) for 60 s", "the crawl waits and goes on by itself, nothing lost")
def server_away(room):
    with DrillSite(PAGES, delay=0.01) as site, PostgreSQL(room.folder) as server:
        crawling = Crawling(site.url, room.folder, server.database())
        process = amid(crawling, site)
        server.stop("immediate")
        before = len(site.asked())
        time.sleep(60)
        meanwhile = len(site.asked()) - before
        check(process.poll() is None, f"the crawl ended: {crawling.log.read_text()[-500:]}")
        server.start()
        ended = crawling.wait(process).clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-500:]}")
        crawling.whole(PAGES)
        repeats = len(site.asked()) - len(set(site.asked()))
        check(repeats == 0, f"{repeats} repeats")
    return f"{meanwhile} requests meanwhile; then {PAGES}/{PAGES} pages, 0 repeats"


@case("OP-09-gone", "PostgreSQL is stopped and stays away", "ends by itself, says so, goes on later")
def server_gone(room):
    with DrillSite(PAGES, delay=0.01) as site, PostgreSQL(room.folder) as server:
        crawling = Crawling(site.url, room.folder, server.database())
        process = amid(crawling, site)
        server.stop("immediate")
        ended = crawling.wait(process, 200).clean()
        check(ended.code == 3, f"status {ended.code}: {ended.said[-800:]}")
        ended.line("the same command resumes it")
        server.start()
        again = crawling.run().clean()
        check(again.code == 0, f"the next run: {again.code}: {again.said[-500:]}")
        crawling.whole(PAGES)
    return f"ended after {ended.seconds:.0f} s with status 3; then {PAGES}/{PAGES} pages"


@case("OP-10", "pg_terminate_backend of all connections every 2 s", "nothing lost, no error")
def connections_ended(room):
    with DrillSite(PAGES, delay=0.15) as site, PostgreSQL(room.folder) as server:
        crawling = Crawling(site.url, room.folder, server.database())
        name, ended = crawling.database.rsplit("/", 1)[1], threading.Event()
        count = 0

        def terminate():
            nonlocal count
            while not ended.wait(2):
                server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
                count += 1

        process = crawling.start()
        until(lambda: len(site.asked()) > 10, process, 60, "request 10")
        thread = threading.Thread(target=terminate)
        thread.start()
        try:
            result = crawling.wait(process).clean()
        finally:
            ended.set()
            thread.join()
        check(result.code == 0, f"status {result.code}: {result.said[-500:]}")
        crawling.whole(PAGES)
    return f"{count} times; {PAGES}/{PAGES} pages"


def spoiled(room, spoil, mend, words):
    """A database that suddenly cannot be written: the crawl ends with a message, and is resumed after the repair."""
    with DrillSite(PAGES, delay=0.02) as site, PostgreSQL(room.folder) as server:
        url = server.database()
        name = url.rsplit("/", 1)[1]
        server.execute("CREATE ROLE crawler LOGIN", url=url)
        server.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO crawler", url=url)
        server.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO crawler", url=url)
        crawling = Crawling(site.url, room.folder, server.url(name, "crawler"))
        process = crawling.start()
        until(lambda: len(site.asked()) > 60, process, 60, "request 60")
        since = time.monotonic()
        server.execute(*(statement.format(name=name) for statement in spoil), url=url)
        ended = crawling.wait(process, 100, since).clean()
        check(ended.code in (1, 3), f"status {ended.code}: {ended.said[-800:]}")
        ended.line(words)
        check(ended.seconds <= 30, f"it took {ended.seconds:.0f} s")
        refused = crawling.run(60).clean()
        check(refused.code == 1, f"another run: {refused.code}: {refused.said[-300:]}")
        refused.line(words)
        server.execute(*(statement.format(name=name) for statement in mend), url=url)
        again = crawling.run().clean()
        check(again.code == 0, f"mended: {again.code}: {again.said[-500:]}")
        crawling.whole(PAGES)
    return f"ended after {ended.seconds:.1f} s with status {ended.code}; mended, {PAGES}/{PAGES} pages"


@case("OP-11", "PostgreSQL becomes read-only", "clear message, status not 0, no loop; mended, it goes on")
def server_read_only(room):
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'crawler'"
    return spoiled(
        room,
        ["ALTER DATABASE {name} SET default_transaction_read_only = on", end],
        ["SET default_transaction_read_only = off", "ALTER DATABASE {name} SET default_transaction_read_only = off"],
        "read-only",
    )


@case("OP-11-privilege", "a privilege is taken away", "clear message, status not 0, no loop; given back, it goes on")
def lost_privilege(room):
    return spoiled(
        room,
        ["REVOKE INSERT, UPDATE ON page, site FROM crawler"],
        ["GRANT ALL ON page, site TO crawler"],
        "grant the missing privilege",
    )


@contextlib.contextmanager
def small_disk(room, megabytes):
    """A disk of its own in memory. Raises NotPossible."""
    need_root()
    folder = room.folder / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        from tests.drill.cases import NotPossible

        raise NotPossible("THE DISK COULD NOT BE MOUNTED: mount needs a privilege that this root has not")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@case("OP-12", "the disk of the database is full (20 MB)", "ends within 30 s, status not 0; with space it goes on")
def disk_full(room):
    with DrillSite(2000, size=60) as site, small_disk(room, 20) as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(13 * 2**20))
        crawling = Crawling(site.url, room.folder, f"sqlite:///{disk}/drill.db")
        process = crawling.start()
        until(lambda: _free(disk) < 200_000, process, 120, "the full disk")
        ended = crawling.wait(process, 90).clean()
        check(ended.seconds <= 30, f"it took {ended.seconds:.0f} s")
        check(ended.code in (1, 3), f"status {ended.code}: {ended.said[-800:]}")
        ended.line("the disk is full")
        check(crawling.integrity() == "ok", "integrity_check")
        stored = crawling.value("SELECT count(*) FROM page WHERE status = 1")
        refused = crawling.run(60).clean()
        check(refused.code in (1, 3), f"another run: {refused.code}: {refused.said[-300:]}")
        ballast.unlink()
        subprocess.run(["mount", "-o", "remount,size=300m", str(disk)], check=True)
        again = crawling.run().clean()
        check(again.code == 0, f"with space: {again.code}: {again.said[-500:]}")
        crawling.whole(2000)
    return f"ended after {ended.seconds:.1f} s with status {ended.code}, {stored} pages stored; then 2000/2000 pages"


def _free(disk):
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


@case("OP-13", "the disk of the feed is full", "the crawl ends, says so; with space the feed is whole")
def feed_disk_full(room):
    with DrillSite(600, size=20) as site, small_disk(room, 1) as disk:
        crawling = Crawling(site.url, room.folder)
        ended = crawling.run(120, feed=f"{disk}/feed.jsonl").clean()
        check(ended.code == 3, f"status {ended.code}: {ended.said[-500:]}")
        line = ended.line("the feed cannot be written")
        again = crawling.run(120).clean()
        check(again.code == 0, f"with space: {again.code}: {again.said[-500:]}")
        crawling.whole(600)
        check(len(crawling.rows()) == 600, f"the feed has {len(crawling.rows())} rows")
    return f"status 3 after {ended.seconds:.0f} s ({line.split(': ')[3][:46]}...); then a feed of 600 rows"


@case("OP-13-log", "the disk of the log is full", "the crawl goes on or ends in order, never hangs")
def log_disk_full(room):
    with DrillSite(600) as site, small_disk(room, 1) as disk:
        (disk / "ballast").write_bytes(bytes(2**20 - 16384))
        crawling = Crawling(site.url, room.folder)
        ended = crawling.run(120, LOG_FILE=f"{disk}/log", LOG_LEVEL="DEBUG")
        check(ended.code == 0, f"status {ended.code}: {ended.said[-500:]}")
        crawling.whole(600)
    return f"status 0 after {ended.seconds:.0f} s, 600/600 pages"
