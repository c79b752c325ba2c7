"""Crawls of sites whose pages are many links from the start: archives are read to their end, calendars are not."""

import datetime as dt
import signal
import subprocess

from sqlalchemy import update

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.tables.models import PAGE
from tests import fork
from tests.integration.server import SiteServer, article, frame
from tests.integration.test_crawl import command, crawl, environment

LISTS, POSTS = 14, 3
STEP = ("-s", "SITECRAWL_DEPTH_STEP=4")


def archive(lists=LISTS):
    """An archive of lists; each links to three articles and the next list."""
    pages = {}
    for number in range(1, lists + 1):
        posts = range(number * POSTS, number * POSTS + POSTS)
        cards = "".join(
            f'<article><h2><a href="/post/{post}">Report {post}</a></h2><p>Report {post} in one line.</p></article>'
            for post in posts
        )
        older = f'<a class="older" href="/page/{number + 1}">Older reports</a>' if number < lists else ""
        pages[f"/page/{number}" if number > 1 else "/"] = frame(f"Reports, page {number}", cards + older)
        pages.update({f"/post/{post}": article(post) for post in posts})
    return pages


def paths(rows):
    return {"/" + row["url"].split("/", 3)[3] for row in rows}


def test_an_archive_is_read_to_its_end(tmp_path, sqlite_url):
    with SiteServer(archive()) as site:
        done, rows = crawl(site.url("/"), tmp_path, sqlite_url, *STEP)
        assert done.returncode == 0, done.stderr
        assert paths(rows) == set(site.pages)
        assert "  depth " not in done.stderr
        depths = {"/" + row["url"].split("/", 3)[3]: row["depth"] for row in rows}
        assert (depths["/page/2"], depths["/page/14"], depths["/post/44"]) == (1, 13, 14)

        site.pages = archive(LISTS + 6)
        done, rows = crawl(site.url("/"), tmp_path, sqlite_url, *STEP)
        assert done.returncode == 0, done.stderr
        assert {path for path in site.pages if path not in archive()} <= paths(rows)


def test_the_limit_of_scrapy_is_obeyed(tmp_path, sqlite_url):
    with SiteServer(archive()) as site:
        done, rows = crawl(site.url("/"), tmp_path, sqlite_url, *STEP, "-s", "DEPTH_LIMIT=6")
        assert (done.returncode, len(rows)) == (0, 7 + 6 * POSTS), done.stderr
        assert max(row["depth"] for row in rows) == 6
        assert "  depth         pages over DEPTH_LIMIT=6 links away were left out; 4 links lead there\n" in done.stderr


def test_a_calendar_ends_at_the_limit(tmp_path, sqlite_url):
    with SiteServer(archive_and_days(2)) as site:
        done, rows = crawl(site.url("/"), tmp_path, sqlite_url, *STEP)
    assert done.returncode == 0, done.stderr
    assert sum("/day/" in row["url"] for row in rows) == 4
    assert {path for path in archive(2) if path.startswith("/post")} <= paths(rows)
    why = "no list with links to main content leads there; SITECRAWL_DEPTH_STEP=0 follows all links"
    assert f"  depth         pages over 4 links away were left out (1 link leads there): {why}\n" in done.stderr


def test_a_crawl_that_is_killed_beyond_the_limit_goes_on(tmp_path, sqlite_url):
    with SiteServer(archive()) as site:
        site.limit = 40  # of some 60 requests; the limit is raised after 18
        line = command(site.url("/"), tmp_path / "first.jsonl", sqlite_url, *STEP)
        process = fork.Popen(line, env=environment(), cwd=tmp_path, stderr=subprocess.DEVNULL)
        with site.changed:
            assert site.changed.wait_for(lambda: len(site.log) > 40, timeout=60)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        with site.changed:
            site.limit = None
            site.changed.notify_all()
        done, rows = crawl(site.url("/"), tmp_path, sqlite_url, *STEP)
        assert done.returncode == 0, done.stderr
        assert "resuming crawl 1" in done.stderr
        assert paths(rows) == set(site.pages)  # those of the first run are emitted again


def days(last):
    """A calendar without events, of which each day links to the next."""
    found = {}
    for number in range(1, last + 1):
        more = f'<a href="/day/{number + 1}">next</a>' if number < last else ""
        found[f"/day/{number}"] = frame(f"Day {number}", f"<h1>Day {number}</h1><p>No events on this day.</p>{more}")
    return found


def archive_and_days(lists):
    pages = archive(lists)
    return {**pages, **days(60), "/": pages["/"].replace("<p>", '<p><a href="/day/1">Days</a> ', 1)}


NEAR_DAYS = {f"/day/{number}" for number in range(1, 5)}
"""The days within the first depth limit."""


def asked(site):
    """Return the pages that were requested since the last call, without dead links."""
    found = site.pages.keys() & set(site.log)
    site.log.clear()
    return found


def test_a_later_crawl_follows_the_archive_but_not_the_calendar(tmp_path, sqlite_url):
    with SiteServer({}) as site:
        for lists in (LISTS, LISTS + 6, LISTS + 7):
            site.pages = archive_and_days(lists)
            done, _ = crawl(site.url("/"), tmp_path, sqlite_url, *STEP)
            assert done.returncode == 0, done.stderr
            assert asked(site) == {*archive(lists), *NEAR_DAYS}
            assert "pages over 4 links away were left out (1 link leads there)" in done.stderr


def make_due(database_url, *urls):
    past = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
    engine = open_database(database_url)
    with session_scope(engine) as session:
        session.execute(update(PAGE).values(next_fetch_at=past + dt.timedelta(days=30)))
        session.execute(update(PAGE).where(PAGE.c.url.in_(urls)).values(next_fetch_at=past))
    engine.dispose()


def test_a_crawl_of_due_pages_at_the_limit_follows_the_archive_but_not_the_calendar(tmp_path, sqlite_url):
    """It does not read the pages beside these, which are the evidence that the archive leads to main content."""
    with SiteServer(archive_and_days(5)) as site:  # the last list is at the limit
        done, _ = crawl(site.url("/"), tmp_path, sqlite_url, *STEP)
        assert done.returncode == 0, done.stderr
        assert asked(site) == {*archive(5), *NEAR_DAYS}

        site.pages = archive_and_days(12)
        make_due(sqlite_url, site.url("/page/5"), site.url("/day/4"))
        done, _ = crawl(site.url("/"), tmp_path, sqlite_url, *STEP, "-a", "due=1")
        assert done.returncode == 0, done.stderr
        assert asked(site) == {"/page/5", "/day/4", *archive(12).keys() - archive(5).keys()}

        site.pages["/page/5"] = site.pages["/page/5"].replace("</article>", '</article><a href="/post/900">New</a>', 1)
        site.pages["/post/900"] = article(900)
        make_due(sqlite_url, site.url("/page/5"), site.url("/day/4"))
        done, _ = crawl(site.url("/"), tmp_path, sqlite_url, *STEP, "-a", "due=1")
        assert done.returncode == 0, done.stderr
        assert asked(site) == {"/page/5", "/day/4", "/post/900"}
