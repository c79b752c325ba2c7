"""`pages`: what became of each page, for people and for programs."""

import json

from sitecrawl.storage.db.engine import open_database
from tests import fork
from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import MODULE, crawl, environment


def pages(folder, database, *arguments):
    return fork.run(
        [*MODULE, "pages", *arguments, "-s", f"SITECRAWL_DATABASE_URL={database}"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=folder,
    )


def test_the_life_of_pages_and_the_history_of_crawls(tmp_path, database_url):
    with SiteServer(small_site(30), etags=True) as site:
        url, host = site.url("/index.html"), site.url().split("/")[2]
        crawl(url, tmp_path, database_url)
        for i in range(12):
            site.pages[f"/reports/{i}.html"] = (410, {}, "")
        site.pages["/reports/20.html"] = (404, {}, "")
        crawl(url, tmp_path, database_url)
        missing, gone = site.url("/reports/20.html"), site.url("/reports/3.html")

    shown = pages(tmp_path, database_url, host)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[-1] == "33 pages"
    line, failed = [line for line in shown.stdout.splitlines() if missing in line]
    assert line.startswith("error       404    2 fetches")
    assert "(HTTP 404, for the first time: deleted if the next crawl finds the same)" in line
    assert failed == (
        f"failed        1, HTTP 404, for the first time; deleted if the next crawl finds the same: {missing}"
    )

    held = pages(tmp_path, database_url, host, "--status", "held", "--json")
    rows = [json.loads(line) for line in held.stdout.splitlines()]
    assert len(rows) == 12
    assert {(row["status"], row["deletion"], row["row"], row["indexed"]) for row in rows} == {("gone", 2, "new", True)}

    story = pages(tmp_path, database_url, host, "--url", gone).stdout
    assert "status        gone: HTTP 410" in story
    assert "deletion      decided by crawl 2, not carried out" in story

    unchanged = pages(tmp_path, database_url, host, "--status", "unchanged", "--json")
    assert {json.loads(line)["not_modified"] for line in unchanged.stdout.splitlines()} == {1}

    history = pages(tmp_path, database_url, host, "--crawls").stdout.splitlines()
    assert len(history) == 2
    assert "held" in history[0]
    assert "12 held" in history[0]
    assert "; URLs: " in history[0]
    assert "20 unchanged" in history[0].partition("; URLs: ")[2]
    assert "  33 pages; rows: 33 new; URLs: 33 fetched" in history[1]
    first = json.loads(pages(tmp_path, database_url, host, "--crawls", "--json").stdout.splitlines()[1])
    assert first["stats"]["pages"] == 33


def test_a_url_that_no_crawl_came_to_says_why(tmp_path, sqlite_url):
    with SiteServer({**small_site(12), "/robots.txt": (503, {}, "")}) as site:
        url, host = site.url("/index.html"), site.url().split("/")[2]

        def reasons():
            shown = pages(tmp_path, sqlite_url, host, "--status", "discovered", "--json").stdout
            return {(row["url"], row["reason"]) for row in map(json.loads, shown.splitlines())}

        crawl(url, tmp_path, sqlite_url, "-s", "RETRY_TIMES=0")
        why = "robots.txt cannot be read (HTTP 503)"
        assert reasons() == {(url, f"not fetched yet: {why}")}
        history = pages(tmp_path, sqlite_url, host, "--crawls").stdout
        assert f"not finished: {why}" in history

        site.pages = small_site(12)
        crawl(url, tmp_path, sqlite_url, "-a", "max_pages=3")
        assert {why for _, why in reasons()} == {"not fetched yet: the last crawl ended before (max_pages)"}

        slow = [site.url(f"/reports/{i}.html") for i in (3, 5)]
        for path in ("/reports/3.html", "/reports/5.html"):
            site.pages[path] = (503, {"Retry-After": "86400"}, "tomorrow")
        crawl(url, tmp_path, sqlite_url)
        assert reasons() == set()
        shown = pages(tmp_path, sqlite_url, host, "--status", "error", "--json").stdout
        left = [json.loads(line) for line in shown.splitlines()]
        assert {row["url"] for row in left} == set(slow)
        assert all(row["reason"].startswith("HTTP 503; not asked again before 2") for row in left)


def test_what_is_not_known_is_one_clear_line(tmp_path, sqlite_url):
    open_database(sqlite_url).dispose()
    unknown = pages(tmp_path, sqlite_url, "example.org")
    assert unknown.returncode == 1
    assert unknown.stderr.strip().endswith(
        "sitecrawl: example.org: the database holds nothing about this site; no site is known yet;"
        " start with: sitecrawl crawl site -a url=https://example.org/"
    )
    assert pages(tmp_path, sqlite_url, "example.org", "--status", "odd").returncode == 2
    assert pages(tmp_path, sqlite_url).returncode == 2
