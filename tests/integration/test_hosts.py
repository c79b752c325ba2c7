"""Trouble of one host stays its own: a broken variant, page or folder does not affect a healthy site."""

import datetime as dt
import itertools
import subprocess

import pytest
from sqlalchemy import text

from sitecrawl.storage.pages import PageStatus
from tests import fork
from tests.integration.server import OWN, SiteServer, article, frame, small_site
from tests.integration.test_crawl import command, crawl, environment, read

YEAR = "31536000"
ARTICLES = 14
GOOD = {"/index.html", "/about.html", "/contact.html", *(f"/reports/{i}.html" for i in range(ARTICLES))}
QUICK = ("-s", "RETRY_TIMES=0", "-s", "SITECRAWL_OUTAGE_PATIENCE=1")


def path(url):
    return "/" + url.split("/", 3)[3]


def linking(*hrefs, first=True):
    """Return a small site whose front page links to further URLs, before all others or after them."""
    pages = small_site(ARTICLES)
    links = "".join(f'<li><a href="{href}">Elsewhere {i}</a></li>' for i, href in enumerate(hrefs))
    old, new = ('<ul><li><a href="/reports', f'<ul>{links}<li><a href="/reports') if first else ("</ul></div><div", "")
    if first:
        pages["/index.html"] = pages["/index.html"].replace(old, new, 1)
    else:
        pages["/index.html"] = pages["/index.html"].replace(
            '</ul></div><div class="footer"', f'{links}</ul></div><div class="footer"'
        )
    assert links in pages["/index.html"]
    return pages


def states(database):
    with read(database) as connection:
        found = connection.execute(text("SELECT url, status, reason FROM page"))
        return {url: (PageStatus(status), reason or "") for url, status, reason in found}


def rewind(database, column, table):
    """Have a moment that was stored be past."""
    with read(database) as connection:
        past = dt.datetime(2020, 1, 1).isoformat(sep=" ")
        connection.execute(text(f"UPDATE {table} SET {column} = '{past}' WHERE {column} IS NOT NULL"))
        connection.commit()


# F2: a variant of the host ------------------------------------------------------------------------------------


def test_a_link_to_a_variant_of_the_host_that_has_no_address_costs_the_site_nothing(tmp_path, database_url):
    # 8080: a variant's port has to be one that any crawl may ask
    with SiteServer({}, host=OWN, port=8080) as site:
        variants = [f"http://www.{OWN}:8080/x{i}" for i in range(3)]
        site.pages = linking(*variants)
        for run in range(3):
            done, rows = crawl(site.url("/index.html"), tmp_path, database_url)
            assert done.returncode == 0, done.stderr
            assert {path(row["url"]) for row in rows} == (GOOD if not run else set())
            found = states(database_url)
            assert {found[url][0] for url in variants} == {PageStatus.ERROR}
            assert all(f"www.{OWN}:8080" in found[url][1] and "DNS" in found[url][1] for url in variants)
        with read(database_url) as connection:
            reasons = connection.execute(text("SELECT reason FROM crawl")).scalars().all()
    assert reasons == ["finished"] * 3


@pytest.mark.parametrize("where", ["on the same page", "on a later page", "in a later crawl"])
def test_a_page_that_a_sick_variant_of_the_host_hides_is_fetched_as_other_links_spell_it(tmp_path, sqlite_url, where):
    with SiteServer({}, host=OWN, port=8080) as site:
        variants = [f"http://www.{OWN}:8080/hidden/{i}.html" for i in range(3)]
        hidden = {f"/hidden/{i}.html": article(70 + i) for i in range(3)}
        healthy = "".join(f'<a href="{url}">Found again {url}</a> ' for url in hidden)
        site.pages = linking(*variants, *(hidden if where == "on the same page" else ())) | hidden
        later = site.pages["/reports/12.html"].replace("</body>", f"{healthy}</body>")
        if where == "on a later page":
            site.pages["/reports/12.html"] = later
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "SITECRAWL_SECOND_FETCHES=0")
        assert done.returncode == 0, done.stderr
        if where == "in a later crawl":
            assert {path(row["url"]) for row in rows} == GOOD
            site.pages["/reports/12.html"] = later
            site.log.clear()
            done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "SITECRAWL_SECOND_FETCHES=0")
            assert done.returncode == 0, done.stderr
            assert {path(row["url"]) for row in rows} >= hidden.keys()
        else:
            assert {path(row["url"]) for row in rows} == GOOD | hidden.keys()
        assert all(site.log.count(url) == 1 for url in hidden)
        found = states(sqlite_url)
        assert {found[site.url(url)] for url in hidden} == {(PageStatus.FETCHED, "")}
        assert not found.keys() & set(variants)


def test_a_redirect_to_the_host_with_a_trailing_dot_costs_the_site_nothing(tmp_path, sqlite_url):
    pages = linking("/moved")
    with SiteServer(pages) as site:
        port = site.server.server_address[1]
        site.pages["/moved"] = (302, {"Location": f"http://127.0.0.1.:{port}/x"}, "moved")
        for run in range(2):
            done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
            assert done.returncode == 0, done.stderr
            assert {path(row["url"]) for row in rows} == (GOOD if not run else set())
    status, reason = states(sqlite_url)[site.url("/moved")]
    assert status is PageStatus.ERROR
    assert reason.startswith(f"127.0.0.1.:{port}: robots.txt cannot be read")


def test_a_site_that_does_not_answer_at_all_is_still_an_outage(tmp_path, sqlite_url):
    with SiteServer(linking()) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        before, url = states(sqlite_url), site.url("/index.html")
    done, rows = crawl(url, tmp_path, sqlite_url, *QUICK)
    assert (done.returncode, rows) == (1, [])
    assert "robots.txt cannot be read" in done.stderr
    assert states(sqlite_url) == before


# F3: 429 and 503 with a long Retry-After ----------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("first", [True, False])
def test_one_page_that_asks_for_a_year_of_patience_is_left_alone_and_the_site_is_whole(
    tmp_path, sqlite_url, status, first
):
    pages = linking("/busy.html", "/bad.html", first=first)
    pages["/busy.html"] = (status, {"Retry-After": YEAR}, "in a year")
    pages["/bad.html"] = (500, {}, "oops")
    with SiteServer(pages) as site:
        for run in range(3):
            done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "RETRY_TIMES=1")
            assert done.returncode == 0, done.stderr
            assert {path(row["url"]) for row in rows} == (GOOD if not run else set())
            assert site.log.count("/busy.html") == 1  # in all runs together
            assert site.log.count("/bad.html") == 2 * (run + 1)
        found = states(sqlite_url)[site.url("/busy.html")]
        assert found[0] is PageStatus.ERROR
        assert found[1].startswith(f"HTTP {status}; not asked again before 20")
        rewind(sqlite_url, "not_before", "page")
        site.pages["/busy.html"] = article(77)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert [path(row["url"]) for row in rows] == ["/busy.html"]


def test_a_folder_that_asks_for_patience_is_left_alone_and_the_site_is_whole(tmp_path, sqlite_url):
    pages = linking(*(f"/api/{i}.html" for i in range(12)))
    pages |= {f"/api/{i}.html": (429, {"Retry-After": YEAR}, "in a year") for i in range(12)}
    with SiteServer(pages) as site:
        for run in range(3):
            done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
            # 12 of 29 pages could not be fetched: the first run says so
            assert done.returncode == (0 if run else 3), done.stderr
            assert {path(row["url"]) for row in rows} == (GOOD if not run else set())
            assert sum(asked.startswith("/api/") for asked in site.log) == 12
    with read(sqlite_url) as connection:
        assert connection.execute(text("SELECT reason FROM crawl")).scalars().all() == ["finished"] * 3


def test_a_site_that_asks_for_patience_at_every_url_is_left_alone_until_then(tmp_path, sqlite_url):
    pages = linking()
    with SiteServer(pages) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        before = states(sqlite_url)
        robots = site.pages["/robots.txt"]
        site.pages = {url: (429, {"Retry-After": "86400"}, "tomorrow") for url in pages}
        site.pages["/robots.txt"] = robots
        site.log.clear()
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert (done.returncode, rows) == (1, []), done.stderr
        assert "left alone until" in done.stderr
        asked = [url for url in site.log if url != "/robots.txt"]
        assert len(asked) <= 4, asked
        assert states(sqlite_url) == before
        site.log.clear()
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert (done.returncode, rows, site.log) == (1, [], [])
        assert "left alone until" in done.stderr
        rewind(sqlite_url, "not_before", "host")
        site.pages = {**pages, "/reports/3.html": article(33)}
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert [(path(row["url"]), row["status"]) for row in rows] == [("/reports/3.html", "changed")]


# F4: the probe ------------------------------------------------------------------------------------------------


def test_pages_that_fail_after_a_trap_was_closed_are_no_outage(tmp_path, sqlite_url):
    """The page that makes the trap suspect also links to the broken pages, so they are requested after the trap."""
    numbers, answers = itertools.count(), itertools.count(1)
    broken = [f"/broken/{i}.html" for i in range(4)]

    def trap():
        hrefs = [f"/trap/{next(numbers)}" for _ in range(12)] + (broken if next(answers) == 3 else [])
        links = "".join(f'<a href="{href}">more {i}</a> ' for i, href in enumerate(hrefs))
        return frame("Trap", f"<h1>Trap</h1><p>Come in, there is more to see here than anywhere.</p>{links}")

    class Endless(dict):
        def get(self, key, default=None):
            return trap if key.startswith("/trap/") and key not in self else super().get(key, default)

    pages = linking(*(f"/trap/first{i}" for i in range(4)), first=False)
    pages |= {url: (500, {}, "oops") for url in broken}
    with SiteServer({}) as site:
        site.pages = Endless(pages)
        settings = ("-s", "SITECRAWL_TRAP_PAGES=3", "-s", "SITECRAWL_OUTAGE_FAILURES=3", *QUICK)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *settings)
        closed = next(i for i, asked in enumerate(site.log) if "sitecrawl-asks-" in asked)
        assert sum(asked in broken for asked in site.log[closed + 1 :]) >= 3, site.log
    assert "has not answered" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert {path(row["url"]) for row in rows} >= GOOD
    assert {states(sqlite_url)[site.url(url)][0] for url in broken} == {PageStatus.ERROR}


# F14: an outage with a robots.txt that answers ----------------------------------------------------------------


def test_an_outage_is_noticed_although_robots_txt_answers(tmp_path, sqlite_url):
    pages = small_site(60)
    with SiteServer(pages) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        before = states(sqlite_url)
        site.pages = {url: (503, {}, "down") if url != "/robots.txt" else page for url, page in pages.items()}
        site.log.clear()
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *QUICK)
        asked = [url for url in site.log if url != "/robots.txt"]
        assert rows == []
        assert done.returncode == 1, done.stderr  # nothing was fetched
        assert "has not answered since" in done.stderr
        assert 10 <= len(asked) <= 13  # and the probes of one second
        assert len(set(asked[:10])) == 10
        assert states(sqlite_url) == before
        site.pages = {**pages, "/reports/3.html": article(99)}
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert [row["status"] for row in rows] == ["changed"]


def test_an_outage_of_several_crawls_is_noticed_in_each(tmp_path, sqlite_url):
    """The second crawl of an outage begins with a host that failed before, so a failed robots.txt makes it suspect."""
    pages = small_site(20)
    with SiteServer(pages) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        before = states(sqlite_url)
        site.pages = dict.fromkeys(pages, (500, {}, "down"))
        for _ in range(3):
            done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *QUICK, "-s", "RETRY_TIMES=1")
            assert (done.returncode, rows) == (1, []), done.stderr
            assert "has not answered since" in done.stderr
        assert states(sqlite_url) == before
        site.pages = {**pages, "/reports/3.html": article(99)}
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert [row["status"] for row in rows] == ["changed"]


def test_failures_that_nobody_has_understood_outlive_a_kill(tmp_path, sqlite_url):
    """A URL that failed before the process was killed is not requested first: another one shows whether the host failed."""
    pages = linking("/bad.html")
    with SiteServer(pages) as site:
        line = command(site.url("/index.html"), tmp_path / "feed.jsonl", sqlite_url, "-s", "RETRY_TIMES=0")

        def kill():
            child.kill()
            child.wait(60)
            return article(0)

        def bad():
            site.pages |= {url: kill for url in pages if url not in ("/index.html", "/robots.txt")}
            return 500, {}, "oops"

        site.pages["/bad.html"] = bad
        with fork.Popen(line, stderr=subprocess.PIPE, env=environment(), cwd=tmp_path) as child:
            child.communicate(timeout=120)
        assert child.returncode == -9
        assert site.log[-2] == "/bad.html"
        site.pages |= {**pages, "/bad.html": (500, {}, "oops")}
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "RETRY_TIMES=0")
        assert site.log.count("/bad.html") == 1
    assert done.returncode == 0, done.stderr
    assert {path(row["url"]) for row in rows} == GOOD
    assert states(sqlite_url)[site.url("/bad.html")] == (PageStatus.ERROR, "HTTP 500")
