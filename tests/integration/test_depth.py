"""Crawls of sites whose pages are many links from the start: archives are read to their end, calendars are not."""

import signal
import subprocess

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
    def day(number):
        more = f'<a href="/day/{number + 1}">next</a>'
        return frame(f"Day {number}", f"<h1>Day {number}</h1><p>No events on this day.</p>{more}")

    pages = {f"/day/{number}": day(number) for number in range(1, 60)}
    with SiteServer(
        {**archive(2), **pages, "/": archive(2)["/"].replace("<p>", '<p><a href="/day/1">Days</a> ', 1)}
    ) as site:
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
