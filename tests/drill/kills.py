"""OP-01 to OP-06: a crawl that is killed, stopped, or run twice."""

import os
import signal
import subprocess
import time

from tests.drill.cases import ROOT, case, check
from tests.drill.crawls import CONCURRENCY, Crawling, until
from tests.drill.postgres import PostgreSQL
from tests.drill.site import DrillSite

PAGES = 3000


def kept_parts(site, row):
    """Return which lines of an article its row has: (the headline, all paragraphs, others)."""
    number = int(row["url"].rpartition("/")[2])
    lines = set(row["text"].splitlines()) - {""}
    headline, paragraphs = f"Report {number}", set(site.paragraphs(number))
    return headline in lines, paragraphs <= lines, bool(lines - paragraphs - {headline})


def killed_again_and_again(room, crawling, site, kills, between=lambda number: None, more=0):
    """Kill a crawl at random moments, then let it end; return the figures."""
    resumed, share = [], 2 * PAGES // (kills + 4)
    for number in range(kills):
        asked, began = len(site.asked()), time.monotonic()
        process = crawling.start()
        if number % 5 == 4:  # in the start, or in its first requests
            time.sleep(room.random.uniform(0.3, 2.5))
        else:
            until(lambda asked=asked: len(site.asked()) > asked, process, 150, "the first request after a kill")
            resumed.append(time.monotonic() - began)
            wanted = asked + room.random.randint(1, share)
            until(lambda wanted=wanted: len(site.asked()) >= wanted, process, 150, f"request {wanted}")
            time.sleep(room.random.uniform(0.0, 0.05))
        check(process.poll() is None, f"kill {number + 1} came too late: {crawling.log.read_text()[-500:]}")
        crawling.kill(process)
        between(number)
    ended = crawling.run(600).clean()
    check(ended.code == 0, f"the last run ended with {ended.code}: {ended.said[-500:]}")
    crawling.whole(PAGES)
    rows = crawling.rows()
    check(len(rows) == PAGES, f"the feed of the last run has {len(rows)} rows")
    kept = {kept_parts(site, row) for row in rows}
    check(kept in ({(True, True, False)}, {(False, True, False)}), f"what pages keep of their article: {kept}")
    repeats = len(site.asked()) - len(set(site.asked()))
    check(repeats <= CONCURRENCY * (kills + more), f"{repeats} repeats in {kills + more} kills")
    slowest = max(resumed)
    check(slowest <= 5, f"a run took {slowest:.1f} s to go on")
    return f"{kills + more} kills, {PAGES}/{PAGES} pages, {repeats} repeats, 0 duplicates, one set of kept parts, goes on after {slowest:.1f} s at most"


@case(
    "OP-01",
    "kill -9 at 20 random moments of 3,000 pages, SQLite",
    "all pages cut alike, repeats <= 8 a kill, integrity ok",
)
def kills_with_sqlite(room):
    with DrillSite(PAGES) as site:
        crawling = Crawling(site.url, room.folder, settings={"SITECRAWL_SECOND_FETCHES": 6})
        return killed_again_and_again(room, crawling, site, 20)


@case(
    "OP-01-postgresql",
    "10 kills of 3,000 pages; the server restarted twice (immediate)",
    "all pages, repeats <= 8 a kill",
)
def kills_with_postgresql(room):
    with DrillSite(PAGES) as site, PostgreSQL(room.folder) as server:
        crawling = Crawling(site.url, room.folder, server.database())

        def restart(number):
            if number in (2, 5):  # while a crawl runs: the server goes, and comes back
                asked = len(site.asked())
                process = crawling.start()
                until(lambda: len(site.asked()) > asked + 40, process, 150, "request 40")
                server.stop("immediate")
                time.sleep(3)
                server.start()
                asked = len(site.asked())
                until(lambda: len(site.asked()) > asked + 40, process, 150, "request 40 after the restart")
                crawling.kill(process)

        return killed_again_and_again(room, crawling, site, 10, restart, 2) + ", 2 restarts"


@case("OP-02", "kill -9 between the page's write and its links' write", "one transaction: both or none")
def kill_inside_a_transaction(room):
    with DrillSite(200) as site:
        crawling = Crawling(site.url, room.folder)
        for number in range(3):
            process = crawling.start(EXTENSIONS='{"tests.drill.faults.KillInTransaction": 1}')
            ended = crawling.wait(process, 60)
            check(ended.code == -signal.SIGKILL, f"the hook did not kill: {ended.code} {ended.said[-300:]}")
            stored = crawling.query(
                "SELECT page.url FROM page LEFT JOIN links USING (site_id, url_key)"
                " WHERE page.status = 1 AND links.url_key IS NULL"
            )
            check(not stored, f"kill {number + 1}: {len(stored)} pages have no links: {stored[:3]}")
        ended = crawling.run().clean()
        check(ended.code == 0, f"the last run ended with {ended.code}")
        crawling.whole(200)
    return "3 kills inside the transaction; 0 pages without links; 200/200 pages"


@case("OP-03", "SIGTERM with 8 stalled downloads", "ends within 10 s, site released, the rest goes on")
def stop_with_stalled_downloads(room):
    with DrillSite(100) as site:
        site.stalled = {f"/a/{number}" for number in range(3, 11)}
        crawling = Crawling(site.url, room.folder)
        process = crawling.start()
        until(lambda: len(site.stalled & set(site.log)) == 8, process, 60, "the eighth stalled download")
        since = time.monotonic()
        process.send_signal(signal.SIGTERM)
        ended = crawling.wait(process, 60, since).clean()
        check(ended.seconds <= 10, f"it took {ended.seconds:.1f} s")
        check(ended.code == 0, f"status {ended.code}: {ended.said[-500:]}")
        line = ended.line("the same command resumes it")
        check(crawling.value("SELECT lease_owner FROM site") is None, "the site is not released")
        site.stalled = set()
        again = crawling.run().clean()
        check(again.code == 0, f"the next run ended with {again.code}: {again.said[-500:]}")
        crawling.whole(100)
    return f"{ended.seconds:.1f} s, status 0 ({line.split(': ', 2)[2]}); then 100/100 pages"


@case(
    "OP-03-waiting",
    "SIGTERM at 12 random moments while pages are emitted that waited for the template",
    "ends within 10 s",
)
def stop_while_emitting(room):
    slowest = 0.0
    with DrillSite(120) as site:
        for number in range(12):
            folder = room.folder / str(number)
            folder.mkdir()
            crawling = Crawling(
                site.url, folder, settings={"SITECRAWL_TEMPLATE_MIN_PAGES": 60, "CONCURRENT_REQUESTS": 1}
            )
            site.forget()
            process = crawling.start()
            until(lambda: len(site.asked()) >= 60, process, 60, "the template")
            time.sleep(room.random.uniform(0.0, 0.3))
            since = time.monotonic()
            process.send_signal(signal.SIGTERM)
            ended = crawling.wait(process, 30, since).clean()
            check(ended.code == 0, f"status {ended.code}: {ended.said[-400:]}")
            check(ended.seconds <= 10, f"it took {ended.seconds:.1f} s")
            slowest = max(slowest, ended.seconds)
    return f"12 times, {slowest:.1f} s at most"


@case("OP-03-early", "SIGTERM or SIGINT at 20 random moments of the start", "ends within 10 s, status 0")
def stop_while_starting(room):
    slowest, unbegun = 0.0, 0
    with DrillSite(100, delay=0.2) as site:
        for number in range(20):
            folder = room.folder / str(number)
            folder.mkdir()
            process = (crawling := Crawling(site.url, folder)).start()
            time.sleep(room.random.uniform(0.3, 2.5))
            since = time.monotonic()
            process.send_signal((signal.SIGTERM, signal.SIGINT)[number % 2])
            ended = crawling.wait(process, 30, since).clean()
            check(ended.code == 0, f"status {ended.code}: {ended.said[-400:]}")
            check(ended.seconds <= 10, f"it took {ended.seconds:.1f} s")
            ended.line("stopped by a signal")
            unbegun += "before the crawl began" in ended.said
            slowest = max(slowest, ended.seconds)
    return f"20 times, {unbegun} before there was a crawl, {slowest:.1f} s at most"


@case("OP-04", "SIGINT twice", "ends within 2 s of the second one, nothing lost")
def interrupt_twice(room):
    with DrillSite(300, delay=0.02) as site:
        site.stalled = {f"/a/{number}" for number in range(40, 48)}
        crawling = Crawling(site.url, room.folder)
        process = crawling.start()
        until(lambda: len(site.stalled & set(site.log)) == 8, process, 60, "the eighth stalled download")
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        since = time.monotonic()
        process.send_signal(signal.SIGINT)
        ended = crawling.wait(process, 60, since)
        check(ended.seconds <= 2, f"it took {ended.seconds:.1f} s")
        check(crawling.integrity() == "ok", "integrity_check")
        site.stalled = set()
        again = crawling.run(200).clean()
        check(again.code == 0, f"the next run ended with {again.code}: {again.said[-500:]}")
        crawling.whole(300)
    return f"{ended.seconds:.1f} s after the second; then 300/300 pages"


@case("OP-05", "SIGTERM while a page of 100,000 attributes is parsed", "ends within 10 s")
def stop_while_parsing(room):
    with DrillSite(60) as site:
        attributes = " ".join(f"a{number}=1" for number in range(100_000))
        nested = "<div>" * 1500 + "deep" + "</div>" * 1500
        heavy = f"<html><body>{'<p>x</p>' * 60_000}{nested}</body></html>"
        for number in range(5, 25):
            html = f"<html><body><p {attributes}>x</p></body></html>" if number % 2 else heavy
            site.instead[f"/a/{number}"] = (200, {}, html)
        crawling = Crawling(site.url, room.folder)
        process = crawling.start()
        until(lambda: "/a/6" in site.log, process, 60, "the heavy page")
        time.sleep(0.3)
        since = time.monotonic()
        process.send_signal(signal.SIGTERM)
        ended = crawling.wait(process, 120, since).clean()
        check(ended.seconds <= 10, f"it took {ended.seconds:.1f} s")
        check(ended.code == 0, f"status {ended.code}: {ended.said[-500:]}")
        check(crawling.value("SELECT lease_owner FROM site") is None, "the site is not released")
    return f"{ended.seconds:.1f} s, status {ended.code}"


@case("OP-06", "two crawls of one site at once", "the second says so, every URL is asked for once")
def two_crawls(room):
    with DrillSite(300, delay=0.02) as site:
        first = Crawling(site.url, room.folder)
        process = first.start()
        until(lambda: len(site.asked()) > 20, process, 60, "request 20")
        (room.folder / "second").mkdir()
        second = Crawling(site.url, room.folder / "second", first.database)
        refused = second.run().clean()
        check(refused.code == 1, f"the second ended with {refused.code}: {refused.said[-300:]}")
        refused.line("is being crawled by")
        check(first.wait(process).code == 0, "the first one failed")
        first.whole(300)
        check(len(site.asked()) == 300, f"{len(site.asked())} requests for 300 pages")
    return f"the second ended after {refused.seconds:.1f} s with status 1; 300 requests for 300 pages"


@case("OP-06-parent", "recrawl is killed, its crawls are not; then recrawl again", "no site is crawled by two")
def orphaned_crawl(room):
    with DrillSite(120, delay=0.02) as site:
        crawling = Crawling(site.url, room.folder)
        check(crawling.run().code == 0, "the first crawl failed")
        site.delay = 0.3
        command = crawling.command(SITECRAWL_FULL_FETCH_EVERY=1)
        at = command.index("crawl")
        flags = command[command.index("-s") :]
        recrawl = [*command[:at], "recrawl", *flags]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        parent = subprocess.Popen(recrawl, cwd=room.folder, env=environment, stderr=subprocess.DEVNULL)
        site.forget()
        until(lambda: len(site.asked()) > 5, parent, 60, "request 5")
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        second = subprocess.run(recrawl, cwd=room.folder, env=environment, capture_output=True, text=True, timeout=120)
        check("is being crawled by" in second.stderr, f"the orphan's site was taken: {second.stderr[-400:]}")
        deadline = time.monotonic() + 90
        while crawling.value("SELECT lease_owner FROM site") and time.monotonic() < deadline:
            time.sleep(0.5)
        repeats = len(site.asked()) - len(set(site.asked()))
        check(repeats == 0, f"{repeats} repeats")
    return "the orphan ends in order; the second recrawl passed the site over, 0 repeats"
