"""A worker: several due sites at once in one process, what a signal and a kill leave, and the rate of a shared address."""

import contextlib
import datetime as dt
import json
import os
import signal
import subprocess
import time

from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.fleet.wake_ups import queue_schema
from sitecrawl.storage.db.engine import open_database, session_scope, upgrade_database
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import SITE
from tests import fork
from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import environment, read
from tests.output import Output

SECONDS = 300


def due(database, *urls):
    """Sites that were only added: nothing is known about them except that they are due."""
    upgrade_database(database)
    engine = open_database(database)
    with session_scope(engine) as session:
        for url in urls:
            SiteRepository(session).get_or_add(url.split("/")[2], url, now())
        session.execute(SITE.update().values(next_crawl_at=now()).where(SITE.c.next_crawl_at.is_(None)))
    engine.dispose()


@contextlib.contextmanager
def worker(folder, database, *more):
    """A worker that runs; it is killed at the end if it still does."""
    settings = [f"SITECRAWL_DATABASE_URL={database}", "SITECRAWL_TEMPLATE_MIN_PAGES=20", "SITECRAWL_CRAWL_LOG=json"]
    settings.append("SITECRAWL_SECOND_FETCHES=0")
    arguments = [part for setting in settings for part in ("-s", setting)]
    process = fork.Popen(
        ["sitecrawl", "worker", "--processes", "1", "--sites", "8", *arguments, *more],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=folder,
    )
    process.output = Output(process.stderr, SECONDS)
    try:
        yield process
    finally:
        process.kill()
        process.wait(SECONDS)


def crawls(process, number):
    """The next lines about crawls that have ended, as {site: line}, and all other lines."""
    found, others = {}, []
    while len(found) < number:
        line = process.output.line()
        assert line, others
        if line.startswith("{"):
            row = json.loads(line)
            found[row["site"]] = row
        else:
            others.append(line)
    return found, others


def stop(process):
    """Stop a worker; return its status and its remaining output."""
    process.send_signal(signal.SIGTERM)
    return process.wait(SECONDS), process.output.rest()


def stored(database):
    with read(database) as connection:
        rows = connection.execute(
            text("SELECT s.host, count(*) n FROM content c JOIN site s ON s.id = c.site_id GROUP BY s.host")
        )
        return {row.host: row.n for row in rows}


def leases(database):
    with read(database) as connection:
        rows = connection.execute(text("SELECT host, lease_owner FROM site WHERE lease_owner IS NOT NULL"))
        return {row.host: row.lease_owner for row in rows}


def host(site):
    return site.url("/").split("/")[2]


def test_one_process_crawls_all_sites_that_are_due_until_a_signal(tmp_path, postgres_url):
    with SiteServer(small_site(12)) as one, SiteServer(small_site(7)) as two, SiteServer({}) as empty:
        due(postgres_url, *(site.url("/index.html") for site in (one, two, empty)))
        with worker(tmp_path, postgres_url) as process:
            found, _ = crawls(process, 3)
            with SiteServer(small_site(5)) as late:
                due(postgres_url, late.url("/index.html"))
                found |= crawls(process, 1)[0]
            status, said = stop(process)
        expected = {host(one): 15, host(two): 10, host(late): 8}
        assert status == 0, said
        assert {site: row["pages"] for site, row in found.items() if row["pages"]} == expected
        assert found[host(empty)]["pages"] == 0
        assert stored(postgres_url) == expected
        pages = [path for path in one.log if path != "/robots.txt"]
        assert len(pages) == len(set(pages))
    assert leases(postgres_url) == {}
    with read(postgres_url) as connection:
        late_sites = connection.execute(text("SELECT count(*) FROM site WHERE next_crawl_at IS NULL")).scalar()
        assert (late_sites, connection.execute(text("SELECT count(*) FROM site")).scalar()) == (0, 4)


def test_a_signal_stops_all_crawls_in_order_and_the_next_worker_resumes_them(tmp_path, sqlite_url):
    with SiteServer(small_site(30)) as one, SiteServer(small_site(30)) as two:
        due(sqlite_url, one.url("/index.html"), two.url("/index.html"))
        with worker(tmp_path, sqlite_url, "-s", "DOWNLOAD_TIMEOUT=900") as process:  # it waits for no answer
            for site in (one, two):
                site.hold(10)
            for site in (one, two):
                site.wait(11, process)
            assert set(leases(sqlite_url)) == {host(one), host(two)}
            process.send_signal(signal.SIGTERM)
            found, _ = crawls(process, 2)
            assert process.wait(SECONDS) == 0
        assert {row["outcome"] for row in found.values()} == {"shutdown"}
        assert leases(sqlite_url) == {}
        for site in (one, two):
            site.hold(None)
        with worker(tmp_path, sqlite_url) as process:
            found, _ = crawls(process, 2)
            assert stop(process)[0] == 0
        assert {(row["outcome"], row["resumed"]) for row in found.values()} == {("finished", True)}
        assert stored(sqlite_url) == {host(one): 33, host(two): 33}


def test_a_killed_process_is_replaced_and_its_sites_are_resumed(tmp_path, postgres_url):
    with SiteServer(small_site(30)) as one, SiteServer(small_site(30)) as two:
        due(postgres_url, one.url("/index.html"), two.url("/index.html"))
        with worker(tmp_path, postgres_url) as process:
            for site in (one, two):
                site.hold(12)
            for site in (one, two):
                site.wait(13, process)
            (crawling,) = {int(owner.split(":")[1]) for owner in leases(postgres_url).values()}
            assert crawling != process.pid
            os.kill(crawling, signal.SIGKILL)
            for site in (one, two):
                site.hold(None)
            found, others = crawls(process, 2)
            assert stop(process)[0] == 0
        assert "process 1 was ended by signal 9; another begins in" in "".join(others)
        assert {(row["outcome"], row["resumed"]) for row in found.values()} == {("finished", True)}
        assert stored(postgres_url) == {host(one): 33, host(two): 33}
        for site in (one, two):
            assert len(site.log) - len(set(site.log)) <= 4, "more than robots.txt, sitemap and a page in flight"


def test_a_process_ends_with_its_worker(tmp_path, sqlite_url):
    with SiteServer(small_site(30)) as one:
        due(sqlite_url, one.url("/index.html"))
        with worker(tmp_path, sqlite_url) as process:
            one.hold(5)
            one.wait(6, process)
            process.kill()
            one.hold(None)
            found, others = crawls(process, 1)
            others.append(process.output.rest())  # it ends with the process, which gives its lease back after that line
        assert found[host(one)]["outcome"] in ("shutdown", "finished"), (found, others)
        assert leases(sqlite_url) == {}, others


def test_sites_of_one_address_share_its_rate_over_all_processes(tmp_path, sqlite_url):
    asked = []

    def timed(pages):
        def answer(page):
            def give():
                asked.append(time.monotonic())
                return page if isinstance(page, tuple) else (200, {}, page)

            return give

        return {path: answer(page) for path, page in pages.items()}

    polite = ("SITECRAWL_LOOPBACK_POLITENESS=True", "DOWNLOAD_DELAY=0.2", "AUTOTHROTTLE_ENABLED=False")
    settings = [part for setting in polite for part in ("-s", setting)]
    with SiteServer(timed(small_site(4))) as one, SiteServer(timed(small_site(4))) as two:
        due(sqlite_url, one.url("/index.html"), two.url("/index.html"))
        with worker(tmp_path, sqlite_url, *settings, "--processes", "2") as process:
            found, others = crawls(process, 2)
            assert stop(process)[0] == 0
    assert [row["pages"] for row in found.values()] == [7, 7], (found, others)
    assert len(asked) > 13
    # a busy machine may write a time down late, so single gaps say nothing; two separate rates would take half as long
    assert max(asked) - min(asked) > 0.9 * 0.2 * (len(asked) - 1), asked
    with read(sqlite_url) as connection:
        assert connection.execute(text("SELECT count(*) FROM address_slot")).scalar() == 0


def test_a_site_that_never_answers_is_not_asked_over_and_over(tmp_path, sqlite_url):
    with SiteServer({"/robots.txt": (503, {}, "")}) as one, SiteServer(small_site(20)) as two:
        due(sqlite_url, one.url("/index.html"), two.url("/index.html"))
        with worker(tmp_path, sqlite_url, "-s", "RETRY_TIMES=0", "-s", "LOG_LEVEL=ERROR") as process:
            found, _ = crawls(process, 2)
            assert stop(process) == (0, "sitecrawl: worker ended; its sites are released\n")
        assert found[host(one)]["outcome"] == "robots.txt unreadable"
        assert stored(sqlite_url) == {host(two): 23}
    with read(sqlite_url) as connection:
        when = connection.execute(
            text("SELECT next_crawl_at FROM site WHERE host = :host"), {"host": host(one)}
        ).scalar()
    assert dt.datetime.fromisoformat(when) > now().replace(tzinfo=None) + dt.timedelta(hours=1.9)


def test_lines_of_the_log_name_the_site(tmp_path, sqlite_url):
    with SiteServer(small_site(3)) as one, SiteServer({"/index.html": "<p>x</p>"}) as two:
        one.pages["/robots.txt"] = (503, {}, "")
        due(sqlite_url, one.url("/index.html"), two.url("/index.html"))
        with worker(tmp_path, sqlite_url, "-s", "RETRY_TIMES=0") as process:
            _, others = crawls(process, 2)
            _, said = stop(process)
        told = [line for line in [*others, *said.splitlines()] if "robots.txt" in line]
    assert told
    assert all(f"{host(one)}: " in line for line in told)
    assert not any(host(two) in line for line in told)


def test_a_worker_with_a_queue_makes_its_tables_and_crawls_what_is_due(tmp_path, postgres_url):
    upgrade_database(postgres_url)
    with SiteServer(small_site(5)) as one, SiteServer(small_site(7)) as two:
        with worker(tmp_path, postgres_url, "--queue", "--processes", "2") as process:
            due(postgres_url, one.url("/index.html"))
            found, _ = crawls(process, 1)
            due(postgres_url, two.url("/index.html"))
            found |= crawls(process, 1)[0]
            status, said = stop(process)
        assert (status, stored(postgres_url), leases(postgres_url)) == (0, {host(one): 8, host(two): 10}, {}), said
    assert "no wake-ups" not in said
    with read(postgres_url) as connection:
        tables = f"{queue_schema()}.procrastinate"
        jobs = connection.execute(text(f"SELECT count(*) FROM {tables}_jobs WHERE task_name = 'sitecrawl:wake'"))
        asked = connection.execute(text(f"SELECT last_value FROM {tables}_jobs_id_seq")).scalar()
    assert (jobs.scalar(), asked > 1) == (0, True)


def test_a_queue_needs_postgresql(tmp_path, sqlite_url):
    with worker(tmp_path, sqlite_url, "--queue") as process:
        assert process.wait(SECONDS) == 2
        assert "worker --queue needs PostgreSQL" in process.output.rest()


def test_a_worker_that_is_to_run_until_done_ends_when_no_site_is_due(tmp_path, sqlite_url):
    with SiteServer(small_site(8)) as one, SiteServer(small_site(5)) as two, SiteServer(small_site(3)) as three:
        due(sqlite_url, *(site.url("/index.html") for site in (one, two, three)))
        options = ("--until-done", "--sites", "2", "-s", "SITECRAWL_WORKER_RECYCLE=2")
        with worker(tmp_path, sqlite_url, *options) as process:
            found, _ = crawls(process, 3)
            assert process.wait(SECONDS) == 0
            assert process.output.rest() == "sitecrawl: worker ended: no site is due\n"
        assert {row["outcome"] for row in found.values()} == {"finished"}
        assert (stored(sqlite_url), leases(sqlite_url)) == ({host(one): 11, host(two): 8, host(three): 6}, {})
        with worker(tmp_path, sqlite_url, "--until-done") as process:
            assert process.wait(SECONDS) == 0


def test_a_worker_that_is_to_run_until_done_crawls_a_site_once_up_to_its_limit_of_pages(tmp_path, sqlite_url):
    with SiteServer(small_site(8)) as one, SiteServer(small_site(5)) as two, SiteServer(small_site(3)) as three:
        due(sqlite_url, *(site.url("/index.html") for site in (one, two, three)))
        with worker(tmp_path, sqlite_url, "--until-done", "-s", "SITECRAWL_MAX_PAGES=1") as process:
            found, _ = crawls(process, 3)
            assert process.wait(SECONDS) == 0
            assert process.output.rest() == "sitecrawl: worker ended: no site is due\n"
        assert [row["outcome"] for row in found.values()] == ["max_pages"] * 3
        assert (stored(sqlite_url), leases(sqlite_url)) == ({host(one): 1, host(two): 1, host(three): 1}, {})
