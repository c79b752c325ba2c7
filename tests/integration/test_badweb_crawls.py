"""Cases of the bad web that are crawls of their own: robots.txt, a second crawl, TLS, endless patience, CSV."""

import csv
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from sitecrawl.storage.pages import GOOD, PageStatus
from tests import fork
from tests.badweb.again import AGAIN
from tests.badweb.certificates import Authority, broken_off, listening, plain, secured, silent
from tests.badweb.robots import ROBOTS, small_web
from tests.badweb.server import ANY, FAILED, STORED, BadWeb, Expect
from tests.badweb.texts import FORMULA, csv_injection
from tests.integration.test_badweb import SETTINGS, Crawl, told
from tests.integration.test_crawl import command, environment, read

pytestmark = pytest.mark.badweb

AT_ONCE = 4


def alone(name, folder):
    with small_web(name) as web:
        started = time.monotonic()
        crawl = Crawl(web, folder, "-s", "SITECRAWL_MAX_CRAWL_DELAY=3", "-s", "SITECRAWL_MAX_RETRY_AFTER=5")
        return web, crawl, time.monotonic() - started


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    folders = [tmp_path_factory.mktemp(name) for name in ROBOTS]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(ROBOTS, pool.map(alone, ROBOTS, folders), strict=True))


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_txt_is_obeyed_however_it_comes(name, robots):
    web, crawl, seconds = robots[name]
    rules = ROBOTS[name][1]
    assert "Traceback" not in crawl.log
    assert set(rules.fetched) - set(web.log) == set()
    assert set(rules.unasked) & set(web.log) == set()
    assert web.forbidden.connects == 0
    assert len(web.log) <= rules.requests
    pages = [moment for moment, target, _ in web.times if not target.startswith("/robots")]
    # over three requests: a busy machine notes one late, and the next in time
    assert all(after - before >= 3 * rules.gap for before, after in zip(pages, pages[3:], strict=False))
    assert not rules.gap or len(pages) > 3
    assert seconds <= 2 * rules.seconds  # of a busy machine
    assert crawl.megabytes <= 800


# A second crawl ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    with BadWeb({name: (answer, Expect(ANY)) for name, (answer, _) in AGAIN.items()}, articles=60) as web:
        first = Crawl(web, folder, "-s", "SITECRAWL_EMIT_UNCHANGED=True")
        asked, web.version = len(web.times), 2
        second = Crawl(web, folder, "-s", "SITECRAWL_EMIT_UNCHANGED=True")
        until = len(web.times)
        return web, first, second, Crawl(web, folder), slice(asked, until)


@pytest.mark.parametrize("name", AGAIN)
def test_a_second_crawl_finds_what_has_changed(name, twice):
    web, first, second, third, asked = twice
    expect = AGAIN[name][1]
    path = f"/{name}/"
    row = {row["url"].split("/", 3)[3]: row["status"] for row in second.rows}.get(path[1:])
    state = {found: status for found, status, _ in second.pages}[path]
    if expect.outcome in ("changed", "unchanged"):
        assert row == expect.outcome
    elif expect.outcome == "gone":
        assert row == "gone" or state in (PageStatus.GONE, PageStatus.EXCLUDED) or path not in second.indexed
    elif expect.outcome == "kept":
        assert state not in GOOD
        assert second.texts[path] == first.texts[path] != ""
    else:
        assert state is PageStatus.ERROR
        assert path not in second.texts
    if expect.asks:
        header, value = expect.asks
        sent = [headers.get(header) for _, target, headers in web.times[asked] if target == path]
        assert sent == [value]
    assert sum(target == path for _, target, _ in web.times[: asked.stop]) <= expect.requests
    if expect.third == "gone":
        assert [row["status"] for row in third.rows if row["url"].endswith(path)] == ["gone"]
        assert path not in third.indexed


# Connections ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def connections(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    authority = Authority(folder)
    serve = {
        "tls-good": secured(authority.context()),
        "tls-expired": secured(authority.context(days=-1)),
        "tls-selfsigned": secured(authority.context(own=True)),
        "tls-wronghost": secured(authority.context(address="127.0.0.9")),
        "tls-nameless": secured(authority.context(address=None)),
        "tls-plain": plain,
        "tls-reset": broken_off,
        "conn-blackhole": silent,
    }

    def run(name):
        database = f"sqlite:///{folder}/{name}.db"
        more = ("-s", "DOWNLOAD_TIMEOUT=2", "-s", "RETRY_TIMES=1", "-s", "SITECRAWL_OUTAGE_PATIENCE=2")
        if name == "conn-refused":
            with socket.create_server(("127.0.0.1", 0)) as taken:
                port = taken.getsockname()[1]
            return visit(f"http://127.0.0.1:{port}/", folder / name, database, authority, more)
        with listening(serve[name]) as port:
            scheme = "http" if name.startswith("conn") else "https"
            return visit(f"{scheme}://127.0.0.1:{port}/", folder / name, database, authority, more)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = [*serve, "conn-refused"]
        return dict(zip(names, pool.map(run, names), strict=True))


def visit(url, folder, database, authority, more):
    folder.mkdir()
    done = fork.run(
        command(url, folder / "feed.jsonl", database, *more),
        capture_output=True,
        text=True,
        timeout=150,
        env={**environment(), "SSL_CERT_FILE": str(authority.file)},
        cwd=folder,
    )
    with read(database) as connection:
        rows = list(connection.execute(text("SELECT status, reason FROM page")))
        stored = connection.execute(text("SELECT count(*) FROM content WHERE text <> ''")).scalar()
    return done, rows, stored


NAMES = (
    "tls-expired", "tls-selfsigned", "tls-wronghost", "tls-nameless", "tls-plain", "tls-reset", "conn-refused",
    "conn-blackhole",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_connection_that_is_not_safe_or_not_there_is_a_failure_with_a_reason(name, connections):
    done, rows, stored = connections[name]
    assert "Traceback" not in done.stderr
    assert stored == 0
    assert done.returncode != 0
    assert "nothing was fetched: robots.txt cannot be read (" in done.stderr
    assert "nothing is kept of the site" in done.stderr
    assert rows == []


def test_a_safe_connection_is_used(connections):
    done, rows, stored = connections["tls-good"]
    assert done.returncode == 0, done.stderr
    assert stored == 1
    assert [status for status, _ in rows] == [PageStatus.FETCHED]


# Others -----------------------------------------------------------------------------------------------------------


def test_a_page_that_asks_for_years_of_patience_is_left_alone_and_every_other_page_is_stored(tmp_path):
    def patience(visit):
        visit.answer(None, 429, {"Retry-After": "999999999"})

    with BadWeb({"err-429-huge": (patience, Expect(FAILED))}, articles=12) as web:
        crawl = Crawl(web, tmp_path)
        again = Crawl(web, tmp_path)
    assert (crawl.code, again.code) == (0, 0), crawl.log[-2000:]
    assert len(web.asked("err-429-huge")) == 1
    assert set(crawl.texts) >= web.good - {"/"}
    assert "/err-429-huge/" not in crawl.texts
    assert "Traceback" not in crawl.log


def test_a_feed_in_csv_has_the_rows_of_the_other_feeds(tmp_path):
    with BadWeb({"csv-injection": (csv_injection, Expect(STORED))}, articles=12) as web:
        line = command(web.url(), tmp_path / "feed.csv", f"sqlite:///{tmp_path}/bad.db", *told(SETTINGS))
        done = fork.run(line, capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "feed.csv").open(newline="") as rows:
        found = {row["url"]: row for row in csv.DictReader(rows)}
    row = found[web.url("/csv-injection/")]
    assert row["title"] == f"'{FORMULA}"
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row.values())
    json.dumps(row)
