"""A site whose pages have rotating boxes, teasers and counters: they are not content and no change; edits are."""

import itertools
import signal
import subprocess

import pytest
from sqlalchemy import text

from tests import fork
from tests.integration.server import WORDS, SiteServer, article, frame
from tests.integration.test_crawl import MODULE, command, crawl, environment, read

EVERY = ("-s", "SITECRAWL_EMIT_UNCHANGED=True", "-s", "LOG_LEVEL=INFO")
REPORTS = 30
MARK = "Sponsored"


class Rotating:
    """Pages that differ at each request, and otherwise only where they are edited."""

    def __init__(self, reports=REPORTS):
        self.turn = itertools.count(1)
        self.edited = {}
        self.names = "offer"
        links = "".join(f'<li><a href="/reports/{i}.html">Report {i}</a></li>' for i in range(reports))
        robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n")
        self.pages = {"/robots.txt": robots, "/index.html": frame("Front page", f"<h1>Reports</h1><ul>{links}</ul>")}
        for number in range(reports):
            self.pages[f"/reports/{number}.html"] = lambda number=number: self.report(number)

    def report(self, number):
        turn = next(self.turn)
        words = " ".join(WORDS[(turn * 7 + k * k) % len(WORDS)] for k in range(12))
        page = self.edited.get(number, article(number))
        first, rest = page.split("</p>", 1)
        box = f"<div class='{self.names}'><p>{MARK} {turn * 7919}: buy the {words} today, and save.</p></div>"
        more = "".join(
            f"<li><a href='https://elsewhere.example/{turn}'>{MARK}: {words} {k * turn}</a></li>" for k in range(3)
        )
        counter = f"<p>This report was read {turn * 31} times since it was printed.</p>"
        page = f"{first}</p>{box}{rest}".replace("</h1>", f"</h1><div class=by>By the editors, {turn} views</div>", 1)
        return page.replace("</article>", f"{counter}<ul class=more>{more}</ul></article>", 1)


def repeats(server):
    """The number of second requests for pages."""
    asked = [path for path in server.log if path != "/robots.txt"]
    return len(asked) - len(set(asked))


def statuses(rows):
    return {row["url"].rsplit("/", 1)[1]: row["status"] for row in rows}


def changed(rows):
    return {name for name, status in statuses(rows).items() if status != "unchanged"}


def run(tmp_path, database, *arguments):
    done = fork.run(
        [*MODULE, *arguments, "-s", f"SITECRAWL_DATABASE_URL={database}"],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_what_rotates_is_no_content_and_no_change_and_an_edit_is(tmp_path, sqlite_url):
    site = Rotating()
    with SiteServer(site.pages) as server:
        url, host = server.url("/index.html"), server.url("").split("/")[2]
        done, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert done.returncode == 0, done.stderr
        assert f"'sitecrawl/pages/fetched_twice': {repeats(server)}," in done.stderr
        assert len(rows) == REPORTS + 1
        assert not [row["url"] for row in rows if MARK in row["text"]]
        assert all("paragraph 5" in row["text"] for row in rows if "/reports/" in row["url"])
        assert 4 <= repeats(server) <= 6
        assert max(server.log.count(path) for path in server.log) == 2
        assert ", 0 changed" in run(tmp_path, sqlite_url, "reextract", host)
        shown = run(tmp_path, sqlite_url, "template", "show", host)
        assert "div.offer: volatile: differs between two fetches on" in shown
        explained = run(tmp_path, sqlite_url, "extract", server.url("/reports/3.html"), "--explain")
        assert "[volatile: differs between two fetches on" in explained

        server.log.clear()
        _, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert changed(rows) == set()
        assert not repeats(server)  # what is volatile is known

        site.edited[3] = article(3).replace("Report 3 paragraph 2", "Report 3 remark 2")
        site.edited[5] = article(5).replace("</article>", "<p>Paragraph six was added by the editors.</p></article>")
        begin, end = article(7).index("<p>Report 7 paragraph 4"), article(7).index("<p>Report 7 paragraph 5")
        site.edited[7] = article(7)[:begin] + article(7)[end:]
        site.edited[9] = article(9).replace("Report 9 paragraph 1 tells", "Report 9 paragraph 11 tells")  # a number
        _, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert changed(rows) == {"3.html", "5.html", "7.html", "9.html"}


def test_none_is_fetched_twice_where_that_is_turned_off_or_the_layout_is_small(tmp_path, sqlite_url):
    site, small = Rotating(), Rotating(8)
    with SiteServer(site.pages) as server:
        crawl(server.url("/index.html"), tmp_path, sqlite_url, *EVERY, "-s", "SITECRAWL_SECOND_FETCHES=0")
        assert not repeats(server)
    with SiteServer(small.pages) as server:
        crawl(server.url("/index.html"), tmp_path, sqlite_url, *EVERY)
        assert not repeats(server)


def test_second_fetches_are_no_pages_of_the_budget(tmp_path, sqlite_url):
    site = Rotating()
    with SiteServer(site.pages) as server:
        _, rows = crawl(server.url("/index.html"), tmp_path, sqlite_url, *EVERY, "-s", "SITECRAWL_MAX_PAGES=20")
        assert len(rows) == 20
        assert repeats(server) == 4


def test_a_killed_crawl_fetches_no_page_a_third_time(tmp_path, database_url):
    site = Rotating()
    with SiteServer(site.pages) as server:
        url, feed = server.url("/index.html"), tmp_path / "feed.jsonl"
        told = command(url, feed, database_url, *EVERY, "-s", "SITECRAWL_TEMPLATE_MIN_PAGES=128")
        for more in (REPORTS + 3, 2):  # in the middle of the second fetches
            server.hold(more)
            process = fork.Popen(told, env=environment(), cwd=tmp_path, stderr=subprocess.DEVNULL)
            server.wait(len(server.log) + 1 if more == 2 else more + 1, process)
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            server.hold(None)
        done, rows = crawl(url, tmp_path, database_url, *EVERY, "-s", "SITECRAWL_TEMPLATE_MIN_PAGES=128")
        assert done.returncode == 0, done.stderr
        assert not [row["url"] for row in rows if MARK in row["text"]]
    with read(database_url) as connection:
        twice = connection.execute(text("SELECT count(*) FROM second_fetch")).scalar()
        assert 4 <= twice <= 6
    asked_again = [path for path in set(server.log) if server.log.count(path) > 1 and path != "/robots.txt"]
    assert len(asked_again) <= 6 + 8 + 2  # second fetches, and what was under way when the crawl was killed


@pytest.mark.parametrize("minimum", [16, 12])
def test_places_found_after_a_layout_has_decided_apply_to_all_its_pages(tmp_path, sqlite_url, minimum):
    """The layout decides so early that most comparisons are made afterwards."""
    site = Rotating()
    with SiteServer(site.pages) as server:
        url, host = server.url("/index.html"), server.url("").split("/")[2]
        more = (*EVERY, "-s", f"SITECRAWL_TEMPLATE_MIN_PAGES={minimum}")
        _, rows = crawl(url, tmp_path, sqlite_url, *more)
        last = {row["url"]: row for row in rows}
        assert not [url for url, row in last.items() if MARK in row["text"]]
        assert ", 0 changed" in run(tmp_path, sqlite_url, "reextract", host)
        _, rows = crawl(url, tmp_path, sqlite_url, *more)
        assert changed(rows) == set()


def test_a_box_with_another_name_is_compared_anew(tmp_path, sqlite_url):
    site = Rotating()
    with SiteServer(site.pages) as server:
        url, host = server.url("/index.html"), server.url("").split("/")[2]
        crawl(url, tmp_path, sqlite_url, *EVERY)
        site.names = "promotion"
        server.log.clear()
        _, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert 2 <= repeats(server) <= 6
        assert not [url for url, row in {row["url"]: row for row in rows}.items() if MARK in row["text"]]
        assert ", 0 changed" in run(tmp_path, sqlite_url, "reextract", host)
        _, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
        assert changed(rows) == set()


def test_a_text_that_is_another_one_each_day_stays_content(tmp_path, sqlite_url):
    site = Rotating()
    with SiteServer(site.pages) as server:
        url = server.url("/index.html")
        for day in ("Monday", "Tuesday", "Wednesday"):
            for number in range(REPORTS):
                site.edited[number] = article(number).replace("paragraph 2 tells of", f"remark of this {day} tells of")
            _, rows = crawl(url, tmp_path, sqlite_url, *EVERY)
            reports = [row for row in rows if "/reports/" in row["url"]]
            assert {row["status"] for row in reports} == {"new" if day == "Monday" else "changed"}
            assert all(f"remark of this {day}" in row["text"] for row in reports)
