"""Tests of the messages at the begin and end of a crawl: rows of its feed, failed URLs, and a forgotten site."""

import os
import signal
import subprocess
import sys

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.sinks import SinkRepository
from sitecrawl.storage.sites import SiteRepository
from tests import fork
from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import command, crawl, environment, read
from tests.output import Output


def run(folder, database, *arguments):
    return fork.run(
        ["sitecrawl", *arguments, "-s", f"SITECRAWL_DATABASE_URL={database}"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )


def hosts(database):
    engine = open_database(database)
    with session_scope(engine, write=False) as session:
        found = [site.host for site in SiteRepository(session).refs()]
    engine.dispose()
    return found


def test_a_site_that_never_answered_is_forgotten_again(tmp_path, database_url):
    with SiteServer({}) as site:
        url = site.url()
    for _ in range(2):
        done, _ = crawl(url, tmp_path, database_url, "-s", "RETRY_ENABLED=0")
        assert done.returncode == 1
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("sitecrawl: ")]
        assert line.endswith("; nothing is kept of the site")
        assert f"crawling {url} for the first time" in done.stderr
        assert hosts(database_url) == []


def test_a_start_page_that_was_not_found_is_requested_again(tmp_path, sqlite_url):
    with SiteServer({}) as site:
        done, _ = crawl(site.url(), tmp_path, sqlite_url)
        assert (done.returncode, "nothing was fetched: HTTP 404" in done.stderr) == (1, True), done.stderr
        site.pages["/"] = article(1)
        done, rows = crawl(site.url(), tmp_path, sqlite_url)
    assert (done.returncode, [row["status"] for row in rows]) == (0, ["new"]), done.stderr


def test_a_site_that_answers_with_one_text_is_told(tmp_path, sqlite_url):
    """A question about cookies cannot be told from a page, but from its repetition."""
    asked = "We and our partners use cookies to show you advertisements. You can accept all or choose some. " * 3
    wall = frame("Harbour News", f"<h1>Welcome</h1><p>{asked}</p>")
    pages = small_site(6)
    for name in pages:
        if name.startswith("/reports/"):
            pages[name] = wall
    with SiteServer(pages) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert (
            "  one text      6 of 9 pages with text have the same: a question about cookies, a log-in, a wall?"
            in done.stderr
        )
        site.pages.update(small_site(6))
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert "one text" not in done.stderr


def test_a_site_that_sends_readers_to_a_log_in_is_told(tmp_path, sqlite_url):
    login = frame("Log in", "<form><input name=user><input type=password name=word></form>")
    pages = small_site(6) | {"/login": login}
    names = [name for name in pages if name.startswith("/reports/")]
    walled = {name: (302, {"Location": f"/login?next={name}"}, "") for name in names}
    with SiteServer(pages | walled) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("  redirects ")]
        assert (
            f" URLs lead to {site.url('/login')} for now: a log-in, a question about cookies, pages that are gone?"
            in line
        )
        assert line.startswith("  redirects     6 of ")
        site.pages.update(pages)
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert "  redirects " not in done.stderr


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("", "no link of the start page leads to another page of the site"),
        ("<meta name=robots content=nofollow>", "the start page asks that its links are not followed (nofollow)"),
    ],
)
def test_a_start_page_that_leads_nowhere_is_told(tmp_path, sqlite_url, head, line):
    link = "<a href=/2>on</a>" if head else ""
    with SiteServer({"/": f"<head>{head}</head><p>A page with some words of its own.</p>{link}"}) as site:
        done, _ = crawl(site.url("/"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert f"  links         {line}" in done.stderr


def test_a_site_that_needs_a_browser_is_told(tmp_path, database_url):
    shell = "<html><head><script src=/app.js></script></head><body><div id=app></div><a href=/x></a></body></html>"
    with SiteServer({"/": shell}) as site:
        done, items = crawl(site.url("/"), tmp_path, database_url)
    assert done.returncode == 0, done.stderr
    assert [item["kind"] for item in items] == ["none"]
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("  JavaScript    ")]
    assert line.startswith("  JavaScript    1 of 1 page has no text until a browser runs the scripts")
    assert "docs/scope.md" in line
    assert "/: finished, 1 page in " in done.stderr.replace(site.url("/")[7:-1], "/")
    assert "  URLs          1 dead link, 1 fetched\n" in done.stderr


def test_pages_beyond_the_limit_of_depth_are_told(tmp_path, sqlite_url):
    chain = {f"/{number}": f"<p>Page {number} of the chain.<p><a href=/{number + 1}>on</a>" for number in range(4)}
    with SiteServer({**chain, "/4": "<p>The end."}) as site:
        done, rows = crawl(site.url("/0"), tmp_path, sqlite_url, "-s", "DEPTH_LIMIT=2")
        assert (done.returncode, len(rows)) == (0, 3), done.stderr
        assert "  depth         pages over DEPTH_LIMIT=2 links away were left out; 1 link leads there\n" in done.stderr
        done, rows = crawl(site.url("/0"), tmp_path, sqlite_url)
        assert (done.returncode, len(rows)) == (0, 2), done.stderr
    assert "  depth " not in done.stderr


def test_a_page_that_leads_elsewhere_needs_no_browser(tmp_path, database_url):
    shell = "<html><head><meta http-equiv=refresh content='0;url=/reports/1.html'><script src=/app.js></script></head></html>"
    with SiteServer({**small_site(2), "/": shell}) as site:
        done, _ = crawl(site.url("/"), tmp_path, database_url, "-a", "include=/$", "-a", "max_pages=1")
    assert "1 redirected" in done.stderr
    assert "JavaScript" not in done.stderr


def test_each_end_is_told_with_what_to_do(tmp_path, database_url):
    pages = small_site(12)
    more = "".join(f'<a href="{path}">x</a>' for path in ("/bad.html", "/private/a.html", "/doc", "http://[::1]:22/"))
    pages["/about.html"] = pages["/about.html"].replace("</p>", more + "</p>", 1)
    pages["/bad.html"] = (500, {}, "oops")
    pages["/doc"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4")
    with SiteServer(pages) as site:
        url, host = site.url("/index.html"), site.url().split("/")[2]
        done, _ = crawl(url, tmp_path, database_url, "-a", "max_pages=5", "-s", "RETRY_ENABLED=0")
        assert done.returncode == 0, done.stderr
        left = [line for line in done.stderr.splitlines() if line.startswith("  given up ")]
        assert left[0].startswith("  given up      ")
        assert (
            "max_pages); the next crawls read more of them; raise max_pages to have them sooner: among them http"
            in left[0]
        )
        done, _ = crawl(url, tmp_path, database_url, "-s", "RETRY_ENABLED=0")
        assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert not any("JavaScript" in line for line in lines)
    assert any(
        line.startswith(f"crawling {url} again (crawl 2): the feed will contain the changes since crawl 1")
        for line in lines
    )
    assert "  crawl         2 is finished, its feed is complete; the same command crawls the site again" in lines
    assert any(line.startswith("  changes       ") and line.endswith(" changed, 0 gone") for line in lines)
    told = [
        f"failed        1, HTTP 500; the next crawl tries again: {site.url('/bad.html')}",
        f"refused       1, forbidden by robots.txt; the site wishes it so: {site.url('/private/a.html')}",
        f"no page       1, not HTML (application/pdf); nothing to do: {site.url('/doc')}",
    ]
    assert [line.strip() for line in lines if line.strip() in told] == told

    shown = run(tmp_path, database_url, "pages", host).stdout.splitlines()
    assert shown[-4:-1] == told
    assert run(tmp_path, database_url, "pages", host, "--status", "error").stdout.splitlines()[-2:] == [
        told[0],
        "1 page",
    ]

    due = run(tmp_path, database_url, "recrawl", "--due", host)
    assert f"nothing is due; next is {host} at" in due.stderr

    engine = open_database(database_url)
    with session_scope(engine) as session:
        SinkRepository(session).register("index")
        held = SiteRepository(session).get(host)
        SiteRepository(session).lease(held.id, "another machine", now(), 3600)
    busy = run(tmp_path, database_url, "sites", "forget", host)
    assert busy.returncode == 1
    assert f"{host} is being crawled by another machine" in busy.stderr
    with session_scope(engine) as session:
        SiteRepository(session).release(held.id, "another machine")
    assert host in run(tmp_path, database_url, "sites", "list").stdout
    forgotten = run(tmp_path, database_url, "sites", "forget", host)
    assert forgotten.returncode == 0, forgotten.stderr
    assert (
        forgotten.stdout
        == f"{host}: forgotten, with 18 URLs. Its deletion waits for the indexes: sitecrawl index --once\n"
    )
    assert hosts(database_url) == []
    with session_scope(engine) as session:
        outbox = Outbox(session)
        while outbox.number(now()):
            pass
        changes = outbox.after(0, 100)
    engine.dispose()
    assert {change.operation.name for change in changes} == {"DELETE"}
    assert site.url("/reports/3.html") in {change.url for change in changes}


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["sites", "forget", "no.example"], 1, "no.example: the database holds nothing about this site"),
        (["recrawl", "--due", "no.example"], 1, "no.example: the database holds nothing about this site"),
        (["crawl", "http://127.0.0.1:9/"], 2, "crawl site -a url=https://example.org/"),
        (["crawl", "site", "127.0.0.1:9"], 2, "give the website as -a url="),
        (["sites"], 2, "usage: sitecrawl sites"),
        (["sites", "forget"], 2, "usage: sitecrawl sites"),
        (["sites", "list", "x"], 2, "usage: sitecrawl sites"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path, sqlite_url, arguments, status, words):
    open_database(sqlite_url).dispose()
    done = run(tmp_path, sqlite_url, *arguments)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert words in done.stdout + done.stderr


@pytest.mark.parametrize("command", [["sites", "list"], ["template", "list"], ["pages", "a.example"]])
def test_a_reader_that_hangs_up_is_no_error(tmp_path, sqlite_url, command):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        SiteRepository(session).get_or_add("a.example", "https://a.example/", now())
    engine.dispose()
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        program = ["sitecrawl", *command, "-s", f"SITECRAWL_DATABASE_URL={sqlite_url}"]
        done = fork.run(program, stdout=closed, stderr=subprocess.PIPE, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


SLOW_END = """
import asyncio, sys
from sitecrawl.crawl.site import SiteCrawl
count = SiteCrawl.counts
async def slow(crawl):
    print("counting", file=sys.stderr, flush=True)
    await asyncio.sleep(1.0)
    return await count(crawl)
SiteCrawl.counts = slow
from scrapy.cmdline import execute
execute()
"""
"""A crawl that takes a second to be finished once its spider is being closed."""


def test_a_signal_while_a_crawl_is_being_finished_leaves_it_finished(tmp_path, sqlite_url):
    with SiteServer(small_site(5)) as site:
        process = fork.Popen(
            [
                sys.executable,
                "-c",
                SLOW_END,
                *command(site.url("/index.html"), tmp_path / "feed.jsonl", sqlite_url)[3:],
            ],
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=tmp_path,
        )
        output = Output(process.stderr)
        while "counting" not in (line := output.line()):
            assert line
        process.send_signal(signal.SIGINT)
        said = output.rest()
        assert process.wait(60) == 0, said
    assert "is finished, its feed is complete" in said
    with read(sqlite_url) as connection:
        (row,) = connection.execute(text("SELECT finished_at IS NOT NULL AS finished, reason FROM crawl"))
        (site,) = connection.execute(text("SELECT lease_owner FROM site"))
    assert (row.finished, row.reason, site.lease_owner) == (1, "finished", None)


STOPPED_EARLY = """
import asyncio, os, signal
from scrapy.core.engine import ExecutionEngine
begin = ExecutionEngine.open_spider_async
async def slow(engine, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(1.0)
    await begin(engine, **options)
ExecutionEngine.open_spider_async = slow
from scrapy.cmdline import execute
execute()
"""
"""A crawl that gets a signal before its engine runs, so that Scrapy ends without closing the spider."""


def test_a_signal_before_the_first_request_leaves_the_site_to_others(tmp_path, sqlite_url):
    with SiteServer(small_site(5)) as site:
        done, _ = crawl(
            site.url("/index.html"),
            tmp_path,
            sqlite_url,
            run=lambda command, **options: fork.run([*command[:2], STOPPED_EARLY, *command[3:]], **options),
        )
        assert done.returncode == 0, done.stderr
        assert "stopped by a signal; the same command resumes it" in done.stderr
        assert site.log == []
    with read(sqlite_url) as connection:
        (row,) = connection.execute(text("SELECT finished_at, reason FROM crawl"))
        (site,) = connection.execute(text("SELECT lease_owner FROM site"))
    assert (row.finished_at, row.reason, site.lease_owner) == (None, "shutdown", None)
