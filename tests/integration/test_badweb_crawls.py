"""Cases of the bad web that are crawls of their own: robots.txt, a second crawl, TLS, a host without end, CSV."""

import csv
import itertools
import json
import os
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from sitecrawl.links.infinite_spaces import is_invented
from sitecrawl.storage.pages import GOOD, PageStatus
from tests import fork
from tests.badweb.again import AGAIN
from tests.badweb.answers import random_links
from tests.badweb.certificates import Authority, broken_off, listening, plain, secured, silent
from tests.badweb.robots import ROBOTS, small_web
from tests.badweb.server import ANY, FAILED, STORED, BadWeb, Expect
from tests.badweb.texts import FORMULA, csv_injection
from tests.badweb.traps import calendar, facets_text
from tests.integration.test_badweb import SETTINGS, Crawl, told
from tests.integration.test_crawl import MODULE, command, environment, read

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
    assert all(after - before >= rules.gap for before, after in itertools.pairwise(pages))
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
    "tls-expired", "tls-selfsigned", "tls-wronghost", "tls-plain", "tls-reset", "conn-refused", "conn-blackhole"
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


def deeper(visit):
    visit.answer(visit.page("".join(f'<a href="{visit.random.getrandbits(48):x}/">l{i}</a> ' for i in range(40))))


@pytest.mark.parametrize("trap", [random_links, deeper])
def test_a_folder_that_answers_any_url_with_new_links_is_closed_and_the_site_is_whole(trap, tmp_path):
    with BadWeb({"random-links": (trap, Expect(ANY))}, articles=120) as web:
        crawl = Crawl(web, tmp_path)
        asked = web.asked("random-links")
        assert len(asked) <= 150
        assert sum(target.startswith("sitecrawl-asks-") for target in asked) == 1
        lists = ("/random-links/", "/cases-")
        assert {path for path in crawl.texts if not path.startswith(lists)} == web.good - {"/"}
    assert crawl.code == 0, crawl.log[-2000:]
    left = [reason for _, _, reason in crawl.pages if reason and reason.startswith("a trap: ")]
    assert len(left) > 1000
    assert len(set(left)) == 1


LIMITS = {"random-links": 150, "deeper": 150, "calendar": 250, "facets-text": 300}
"""Most requests into each trap, with the settings as they come, over three runs together."""


def trapped_web():
    cases = {"random-links": random_links, "deeper": deeper, "calendar": calendar, "facets-text": facets_text}
    return BadWeb({name: (answer, Expect(ANY)) for name, answer in cases.items()}, articles=60)


def asked_of_traps(web):
    return {name: len(web.asked(name)) for name in LIMITS}


def closed(folder):
    with read(f"sqlite:///{folder}/bad.db") as connection:
        found = connection.execute(text("SELECT place, reason FROM closed ORDER BY place")).all()
    return {place.removeprefix("http://").partition("/")[2]: reason for place, reason in found}


def test_traps_cost_no_more_than_their_limit_over_three_runs_together(tmp_path):
    told = ("-s", "SITECRAWL_MAX_QUERY_VARIANTS=200")
    with trapped_web() as web:
        runs = [Crawl(web, tmp_path, *told)]
        first = asked_of_traps(web)
        known = closed(tmp_path)
        runs += [Crawl(web, tmp_path, *told) for _ in range(2)]
        asked = asked_of_traps(web)
        assert all(asked[name] <= most for name, most in LIMITS.items()), (first, asked)
        listed = subprocess.run(
            [
                *MODULE,
                "pages",
                f"127.0.0.1:{web.port}",
                "--closed",
                "-s",
                f"SITECRAWL_DATABASE_URL=sqlite:///{tmp_path}/bad.db",
            ],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment(),
        )
    assert [run.code for run in runs] == [0, 0, 0], runs[-1].log[-2000:]
    assert set(known) == {"random-links/", "deeper/", "facets-text/?"}  # the calendar ends by DEPTH_LIMIT
    assert closed(tmp_path) == known
    good = web.good - {"/"}
    assert all(good <= set(run.texts) for run in runs)
    assert all(reason in listed.stdout for reason in known.values()), listed


def test_runs_that_are_cut_short_do_not_pay_for_a_trap_again(tmp_path):
    """A run ends after 45 answers, fewer than it takes to know a trap; two of them know it."""
    with BadWeb({"deeper": (deeper, Expect(ANY))}, articles=12) as web:
        cuts = [Crawl(web, tmp_path, "-s", "CLOSESPIDER_PAGECOUNT=45") for _ in range(4)]
        assert "resuming crawl 1 of" in cuts[1].log
        whole = Crawl(web, tmp_path)
        assert len(web.asked("deeper")) <= 150
    assert whole.code == 0, whole.log[-2000:]
    assert set(closed(tmp_path)) == {"deeper/"}


def test_a_folder_that_was_closed_long_ago_is_asked_for_once(tmp_path):
    honest = []

    def trap(visit):
        if honest and visit.rest:
            visit.answer("<h1>Not found</h1>", 404)
        else:
            deeper(visit)

    keep = ("-s", "SITECRAWL_TRAP_KEEP=0")  # whatever is closed was closed long ago
    with BadWeb({"deeper": (trap, Expect(ANY))}, articles=12) as web:
        Crawl(web, tmp_path)
        before = len(web.asked("deeper"))
        Crawl(web, tmp_path, *keep)
        again = web.asked("deeper")[before:]
        assert sum(is_invented(f"/{target}") for target in again) == 1
        assert len(again) <= 1 + 8  # what was under way with the answer
        assert set(closed(tmp_path)) == {"deeper/"}
        honest.append(True)
        Crawl(web, tmp_path, *keep)
    assert closed(tmp_path) == {}


def test_an_honest_folder_whose_pages_all_name_new_ones_is_read_to_its_end(tmp_path):
    def honest(visit):
        number = int(visit.rest or 0) if (visit.rest or "0").isdigit() else -1
        if not 0 <= number < 300:
            visit.answer("<h1>Not found</h1>", 404)
            return
        names = range(10 * number + 1, min(10 * number + 11, 300))
        visit.answer(visit.page("".join(f'<a href="{name}">l{name}</a> ' for name in names)))

    with BadWeb({"honest": (honest, Expect(ANY))}, articles=12) as web:
        crawl = Crawl(web, tmp_path, "-s", "SITECRAWL_TRAP_PAGES=3")
        asked = [target for target in web.asked("honest") if target.startswith("sitecrawl-asks-")]
    assert crawl.code == 0, crawl.log[-2000:]
    assert 1 <= len(asked) <= 4
    assert sum(path.startswith("/honest/") for path in crawl.texts) == 300
    assert not any("sitecrawl-asks-" in path for path, _, _ in crawl.pages)


def test_pages_without_end_are_bounded_by_max_pages(tmp_path):
    with BadWeb({"random-links": (random_links, Expect(ANY))}, articles=12) as web:
        crawl = Crawl(web, tmp_path, "-s", "SITECRAWL_MAX_PAGES=100", "-s", "SITECRAWL_TRAP_PAGES=0")
    assert crawl.code == 0, crawl.log[-2000:]
    assert 100 <= len(web.log) <= 120


def test_a_feed_in_csv_has_the_rows_of_the_other_feeds(tmp_path):
    with BadWeb({"csv-injection": (csv_injection, Expect(STORED))}, articles=12) as web:
        line = command(web.url(), tmp_path / "feed.csv", f"sqlite:///{tmp_path}/bad.db", *told(SETTINGS))
        path = os.pathsep.join((str(tmp_path.cwd()), environment().get("PYTHONPATH", "")))
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=120, env={**environment(), "PYTHONPATH": path}, cwd=tmp_path
        )
    assert done.returncode == 0, done.stderr
    with (tmp_path / "feed.csv").open(newline="") as rows:
        found = {row["url"]: row for row in csv.DictReader(rows)}
    row = found[web.url("/csv-injection/")]
    assert row["title"] == f"'{FORMULA}"
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row.values())
    json.dumps(row)
