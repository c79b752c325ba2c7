"""The real Scrapy crawls a real local website; the feed and the database are looked at."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sqlalchemy import create_engine, text

from tests import fork
from tests.integration.server import SiteServer, article, small_site

STRICT = (
    "import warnings; from scrapy.exceptions import ScrapyDeprecationWarning as W;"
    " warnings.simplefilter('error', W); from scrapy.cmdline import execute; execute()"
)
MODULE = [sys.executable, "-c", STRICT]


def command(url, feed, database, *more):
    settings = [f"SITECRAWL_DATABASE_URL={database}", "SITECRAWL_TEMPLATE_MIN_PAGES=40"]
    arguments = [part for setting in settings for part in ("-s", setting)]
    return [*MODULE, "crawl", "site", "-a", f"url={url}", "-O", str(feed), *arguments, *more]


HEARTLESS = (
    "from scrapy.core.engine import ExecutionEngine as E; assert E._SLOT_HEARTBEAT_INTERVAL == 5.0;"
    " E._SLOT_HEARTBEAT_INTERVAL = 3600.0; from scrapy.cmdline import execute; execute()"
)


def environment():
    return {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}


def crawl(url, folder, database, *more, run=fork.run):
    feed = folder / "feed.jsonl"
    done = run(
        command(url, feed, database, *more), capture_output=True, text=True, timeout=600, env=environment(), cwd=folder
    )
    rows = [json.loads(line) for line in feed.read_text().splitlines()] if feed.exists() else []
    return done, rows


def test_every_page_is_in_the_feed_once_with_its_main_content(tmp_path, database_url):
    with SiteServer(small_site()) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, database_url)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    paths = sorted(row["url"].split("/", 3)[3] for row in rows)
    assert paths == sorted(["index.html", "about.html", "contact.html", *(f"reports/{i}.html" for i in range(40))])
    report = next(row for row in rows if row["url"].endswith("/reports/7.html"))
    assert "Report 7 paragraph 3 tells of" in report["text"]
    assert "All rights reserved" not in report["text"]
    assert "Contact" not in report["text"]
    assert report["title"] == "Report 7"
    assert report["status"] == "new"
    assert report["template_version"] >= 1
    assert "html" not in report


def test_the_same_crawl_twice_gives_the_same_feed(tmp_path):
    feeds = []
    with SiteServer(small_site()) as site:
        for name, extension in (("one", "auto"), ("two", "auto"), ("three", "off")):
            folder = tmp_path / name
            folder.mkdir()
            told = ("-s", f"SITECRAWL_EXTENSION={extension}", "-s", "LOG_LEVEL=INFO")
            # processes of their own, each with another seed of hashes
            done, rows = crawl(
                site.url("/index.html"), folder, f"sqlite:///{folder}/test.db", *told, run=subprocess.run
            )
            assert ("'sitecrawl/flatten/reference': 1" in done.stderr) == (extension == "off")
            assert "Traceback" not in done.stderr  # nor when Python takes its modules apart, which forks leave out
            assert "Exception ignored" not in done.stderr
            feeds.append([{**row, "fetched_at": None} for row in rows])
    assert feeds[0]
    assert feeds[0] == feeds[1]
    assert feeds[0] == feeds[2]  # flattened in Python


IN_ONE_PROCESS = """
import sys
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings
from sitecrawl.spiders.site import SiteSpider

settings = Settings()
settings.setmodule("sitecrawl.settings", priority="project")
process = AsyncCrawlerProcess(settings)
for number, url in enumerate(sys.argv[2:]):
    own = settings.copy()
    own.set("SITECRAWL_DATABASE_URL", sys.argv[1], priority="cmdline")
    own.set("SITECRAWL_TEMPLATE_MIN_PAGES", 40, priority="cmdline")
    own.set("FEEDS", {f"feed{number}.jsonl": {"format": "jsonlines"}}, priority="cmdline")
    process.crawl(Crawler(SiteSpider, own), url=url)
process.start()
"""


def test_crawls_in_one_process_are_each_as_alone(tmp_path, sqlite_url):
    with SiteServer(small_site(), host="127.0.0.1") as one, SiteServer(small_site(15), host="127.0.0.2") as other:
        urls = [one.url("/index.html"), other.url("/index.html")]
        asked = [sys.executable, "-c", IN_ONE_PROCESS, sqlite_url, *urls]
        done = fork.run(asked, capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        for number, url in enumerate(urls):
            together = [json.loads(line) for line in (tmp_path / f"feed{number}.jsonl").read_text().splitlines()]
            _, alone = crawl(url, tmp_path, f"sqlite:///{tmp_path}/alone{number}.db")
            assert len(alone) == (43, 18)[number]
            assert [{**row, "fetched_at": None} for row in together] == [{**row, "fetched_at": None} for row in alone]


@pytest.mark.parametrize("reports", [3, 40])
def test_a_crawl_never_waits_for_scrapys_heartbeat(tmp_path, reports):
    """Scrapy itself checks for requests every 5 s; a crawl that relied on that would be idle until then."""
    database = f"sqlite:///{tmp_path}/test.db"
    with SiteServer(small_site(reports)) as site:
        for status in ("new", "changed"):
            asked = command(site.url("/index.html"), tmp_path / "feed.jsonl", database)
            done = fork.run(
                [sys.executable, "-c", HEARTLESS, *asked[len(MODULE) :]],
                capture_output=True,
                text=True,
                timeout=300,
                env=environment(),
                cwd=tmp_path,
            )
            assert done.returncode == 0, done.stderr
            rows = [json.loads(line) for line in (tmp_path / "feed.jsonl").read_text().splitlines()]
            assert {row["status"] for row in rows} == {status}
            assert len(rows) == (reports + 3 if status == "new" else 1)
            site.pages["/reports/1.html"] = article(77)


def test_a_second_crawl_emits_what_changed(tmp_path):
    database = f"sqlite:///{tmp_path}/test.db"
    with SiteServer(small_site()) as site:
        crawl(site.url("/index.html"), tmp_path, database)
        site.pages["/reports/3.html"] = article(77)
        site.pages["/reports/99.html"] = article(99)
        site.pages["/about.html"] = site.pages["/about.html"].replace(
            "</p>", ' <a href="/reports/99.html">99</a></p>', 1
        )
        done, rows = crawl(site.url("/index.html"), tmp_path, database)
    assert done.returncode == 0, done.stderr
    by_path = {row["url"].split("/", 3)[3]: row["status"] for row in rows}
    assert by_path["reports/3.html"] == "changed"
    assert by_path["reports/99.html"] == "new"
    assert "reports/4.html" not in by_path


def test_a_killed_crawl_goes_on_and_loses_nothing(tmp_path, database_url):
    with SiteServer(small_site(120)) as site:
        url, feed = site.url("/index.html"), tmp_path / "feed.jsonl"
        for _ in range(3):
            asked = len(site.log)
            site.hold(35)  # it is killed at any moment, but never at its end
            process = fork.Popen(
                command(url, feed, database_url, "-s", "SITECRAWL_LEASE_SECONDS=10"),
                env=environment(),
                cwd=tmp_path,
                stderr=subprocess.DEVNULL,
            )
            site.wait(asked + 25, process)
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            site.hold(None)
            release(database_url)
        done, rows = crawl(url, tmp_path, database_url)
        asked_for = [path for path in site.log if path.startswith("/reports/")]
    assert done.returncode == 0, done.stderr
    assert len({row["url"] for row in rows}) == len(rows) == 123
    with read(database_url) as connection:
        twice = connection.execute(text("SELECT count(*) FROM second_fetch")).scalar()
        assert 4 <= twice <= 6
        assert len(asked_for) - len(set(asked_for)) <= twice + 6  # two requests a kill at the most
        assert connection.execute(text("SELECT pages_seen FROM template")).scalar() <= 123


def read(database_url):
    return create_engine(database_url.replace("postgresql://", "postgresql+psycopg://")).connect()


def release(database_url):
    """Let the lease of a killed process expire, as time would."""
    with read(database_url) as connection:
        connection.execute(text("UPDATE site SET leased_until = NULL, lease_owner = NULL"))
        connection.commit()


def test_two_crawls_of_one_site_do_not_run_at_once(tmp_path):
    database = f"sqlite:///{tmp_path}/test.db"
    other = tmp_path / "other"
    other.mkdir()
    with SiteServer(small_site(20)) as site:
        url = site.url("/index.html")
        site.hold(10)
        first = fork.Popen(
            command(url, tmp_path / "first.jsonl", database),
            env=environment(),
            cwd=tmp_path,
            stderr=subprocess.DEVNULL,
        )
        site.wait(1, first)
        second, rows = crawl(url, other, database)
        site.hold(None)
        assert first.wait(timeout=600) == 0
    assert second.returncode == 1
    assert "is being crawled by" in second.stderr
    assert "Traceback" not in second.stderr
    assert rows == []
    assert len((tmp_path / "first.jsonl").read_text().splitlines()) == 23


def test_max_pages_is_kept_exactly(tmp_path, sqlite_url):
    with SiteServer(small_site()) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-a", "max_pages=7")
        assert len([path for path in site.log if path.endswith(".html")]) == 7
    assert done.returncode == 0, done.stderr
    assert len(rows) == 7


def test_new_files_are_for_their_owner_and_old_ones_keep_their_permissions(tmp_path):
    with SiteServer(small_site(3)) as site:
        for expected in (0o600, 0o640):
            crawl(site.url("/index.html"), tmp_path, f"sqlite:///{tmp_path}/test.db")
            for name in ("feed.jsonl", "test.db"):
                path = tmp_path / name
                assert (name, path.stat().st_mode & 0o777) == (name, expected)
                path.chmod(0o640)


def test_redirects_and_odd_pages_are_recorded_and_harm_nothing(tmp_path, sqlite_url):
    pages = small_site(12)
    extra = "".join(
        f'<a href="{path}">x</a>'
        for path in ("/old.html", "/doc", "/empty.html", "/gone.html", "/private/a.html", "http://[", "mailto:a@b")
    )
    pages["/about.html"] = pages["/about.html"].replace("</p>", extra + "</p>", 1)
    pages["/old.html"] = (301, {"Location": "/reports/2.html"}, "")
    pages["/doc"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4")
    pages["/empty.html"] = ""
    pages["/private/a.html"] = article(1)
    with SiteServer(pages) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert "/private/a.html" not in site.log
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len(rows) == 15
    with read(sqlite_url) as connection:
        states = dict(connection.execute(text("SELECT url, reason FROM page")).all())
    reasons = {url.split("/", 3)[3]: reason for url, reason in states.items()}
    assert reasons["old.html"].startswith("to http")
    assert reasons["doc"] == "not HTML (application/pdf)"
    assert reasons["empty.html"] == "the page is empty"
    assert reasons["gone.html"] == "HTTP 404: a dead link, no page was ever found there"
    assert "robots" in reasons["private/a.html"].lower()


def test_a_busy_host_is_left_alone_as_long_as_it_says(tmp_path, sqlite_url):
    asked = []

    def busy():
        asked.append(time.monotonic())
        return (429, {"Retry-After": "2"}, "later") if len(asked) == 1 else article(3)

    with SiteServer({**small_site(8), "/reports/3.html": busy}) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "SITECRAWL_SECOND_FETCHES=0")
    assert done.returncode == 0, done.stderr
    assert len(rows) == 11
    assert len(asked) == 2
    assert asked[1] - asked[0] >= 1.9


def test_a_site_whose_robots_cannot_be_read_is_not_crawled_now(tmp_path, sqlite_url):
    with SiteServer({**small_site(5), "/robots.txt": (503, {}, "")}) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "RETRY_TIMES=0")
        assert set(site.log) == {"/robots.txt"}
    assert done.returncode == 1
    assert "robots.txt cannot be read (HTTP 503)" in done.stderr
    assert rows == []


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["-a", "url=ftp://example.org/"], 2, "ftp://example.org/"),
        (["-a", "url=http://127.0.0.1:9/"], 1, "nothing was fetched"),
        (["-a", "url=http://127.0.0.1:9/", "-a", "max_pages=abc"], 2, "SITECRAWL_MAX_PAGES"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "SITECRAWL_DATABASE_URL=nonsense"], 2, "SITECRAWL_DATABASE_URL"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "SITECRAWL_EXTRACTOR=magic"], 2, "magic"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "SITECRAWL_DATABASE_URL=sqlite:////nowhere/x.db"], 1, "/nowhere"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "CONCURRENT_REQUESTS=eight"], 2, "CONCURRENT_REQUESTS"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "DOWNLOAD_DELAY=soon"], 2, "DOWNLOAD_DELAY"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "ROBOTSTXT_OBEY=perhaps"], 2, "ROBOTSTXT_OBEY"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "LOG_LEVEL=LOUD"], 2, "LOG_LEVEL"),
        ([], 2, "which website"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path, arguments, status, words):
    done = fork.run(
        [*MODULE, "crawl", "site", "-s", "RETRY_TIMES=0", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=tmp_path,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("sitecrawl: ")]
    assert len(lines) == 1
    assert words in lines[0]


def test_a_crawl_that_is_stopped_while_it_emits_waiting_pages_ends(tmp_path):
    """Scrapy's engine does not notice by itself that the last item of `start` is done."""
    with SiteServer(small_site(80)) as site:
        for number in range(5):
            site.log.clear()
            database = f"sqlite:///{tmp_path}/{number}.db"
            more = ("-s", "SITECRAWL_TEMPLATE_MIN_PAGES=60")
            line = command(site.url("/index.html"), tmp_path / f"{number}.jsonl", database, *more)
            with fork.Popen(line, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path) as child:
                site.wait(61, child)
                time.sleep(0.05 * number)
                child.send_signal(signal.SIGTERM)
                try:
                    said = child.communicate(timeout=300)[1]
                finally:
                    child.kill()
            assert child.returncode == 0, said
            assert "Traceback" not in said
