"""The commands `search` and `index`, as processes, on both databases."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from sqlalchemy import create_engine, text

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.address import parse_address
from sitecrawl.storage.db.engine import open_database, session_scope
from tests import fork
from tests.integration.bulk_server import REFUSED
from tests.integration.feeding import (
    ROOT,
    add_pages,
    bulk_server,
    content,
    expected,
    feed_with_kills,
    run_index,
    start_index,
    state,
)
from tests.integration.server import OWN, SiteServer, small_site
from tests.integration.test_crawl import command, crawl, environment, release

PHRASE = "the US House of Representatives"
BROKEN = 'On Sept. 27, the <i>US</i> <span class="yshortcuts">House of\nRepresen</span>tatives unanimously passed it.'


def scrapy(*arguments):
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    command = [sys.executable, "-m", "scrapy.cmdline", *arguments]
    return fork.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=ROOT)


def search(database, *arguments):
    return scrapy("search", "-s", f"SITECRAWL_DATABASE_URL={database}", *arguments)


def test_from_a_crawl_to_an_answer_and_to_a_server(tmp_path, database_url):
    pages = small_site()
    pages["/reports/7.html"] = pages["/reports/7.html"].replace("<p>", f"<p>{BROKEN}</p><p>", 1)
    pages["/about.html"] = pages["/about.html"].replace(
        "since 1907", 'since 1907; see <a href="/reports/7.html">Congress'
    )
    for path, page in pages.items():
        if isinstance(page, str):
            pages[path] = (200, {"Content-Language": "en-AU"}, page.replace(" lang=en", ""))
    with SiteServer(pages) as site:
        crawl(site.url("/index.html"), tmp_path, database_url)
        host = site.url("").removeprefix("http://")
    found = search(database_url, f'"{PHRASE}"', "--json")
    (hit,) = [json.loads(line) for line in found.stdout.splitlines()]
    assert hit["url"].endswith("/reports/7.html")
    assert "<mark>House</mark> <mark>of</mark> <mark>Representatives</mark>" in hit["snippet"]
    shown = search(database_url, "paragraph", "tells", "--site", host, "--limit", "3")
    assert shown.stdout.startswith(" 1. Report")
    assert "[paragraph] 0 [tells]" in shown.stdout
    assert search(database_url, "All rights reserved").stdout.startswith("Nothing found")
    with bulk_server() as url:
        done = run_index(database_url, {"opensearch": {"url": url}}, "--once")
        assert done.returncode == 0, done.stderr
        documents = state(url)["documents"]
    (text_sent,) = [one["source"]["text"] for one in documents.values() if "/reports/7.html" in one["source"]["url"]]
    assert PHRASE in text_sent
    assert len(documents) >= 40
    assert {one["source"]["language"] for one in documents.values()} == {"en-au"}
    (anchors,) = [one["source"]["anchors"] for one in documents.values() if "/reports/7.html" in one["source"]["url"]]
    assert anchors == ["Congress.", "Report 7"]
    (hit,) = [json.loads(line) for line in search(database_url, "congress", "reports", "--json").stdout.splitlines()]
    assert hit["url"].endswith("/reports/7.html")


def test_an_index_that_is_down_while_a_crawl_is_killed_is_complete_once_it_is_back(tmp_path, database_url):
    sinks = {"server": {"url": f"http://{OWN}:9200", "type": "opensearch"}}
    with SiteServer(small_site()) as site:
        site.hold(35)
        killed = fork.Popen(
            command(site.url("/index.html"), tmp_path / "killed.jsonl", database_url),
            **{"env": environment(), "cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL},
        )
        feed = start_index(database_url, sinks)
        try:
            site.wait(25, killed)
            killed.send_signal(signal.SIGKILL)
            killed.wait(60)
            site.hold(None)
            release(database_url)
            done, rows = crawl(site.url("/index.html"), tmp_path, database_url)
            assert done.returncode == 0, done.stderr
            assert feed.poll() is None
        finally:
            feed.send_signal(signal.SIGKILL)  # between what it sent and what it noted, perhaps
            feed.wait(60)
    with bulk_server("--host", OWN, "--port", 9200) as url:
        assert run_index(database_url, sinks, "--once").returncode == 0
        held = state(url)["documents"]
    engine = open_database(database_url)
    documents, _ = expected(engine)
    engine.dispose()
    assert len(rows) == 43
    assert len(documents) > 30
    assert held == documents


def test_what_is_not_known_is_named(tmp_path):
    database = f"sqlite:///{tmp_path}/test.db"
    engine = open_database(database)
    add_pages(engine, 1)
    engine.dispose()
    unknown = search(database, "x", "--site", "nowhere.example")
    assert unknown.returncode == 1
    assert "nowhere.example: the database holds nothing about this site; known: example.org" in unknown.stderr
    sinks = {"one": {"type": "ndjson", "folder": str(tmp_path)}, "two": {"type": "markdown", "folder": str(tmp_path)}}
    unknown = run_index(database, sinks, "--once", "--sink", "three")
    assert unknown.returncode == 1
    assert "three: there is no such sink; known: one, two" in unknown.stderr
    none = run_index(database, {}, "--once")
    assert (none.returncode, "names no sink" in none.stderr) == (2, True)
    day = search(database, "x", "--since", "yesterday")
    assert (day.returncode, day.stderr) == (2, "sitecrawl: --since yesterday is not a day; write it as 2026-03-01\n")
    for nothing in ('"""', "-*()"):
        assert search(database, "--", nothing).stdout.startswith("Nothing to search for")
    assert search(database).returncode == 2


def test_several_sinks_at_once_of_which_one_is_down(tmp_path):
    database = f"sqlite:///{tmp_path}/test.db"
    engine = open_database(database)
    site_id = add_pages(engine, 30)
    sinks = {
        "away": {"type": "opensearch", "url": "http://127.0.0.1:1"},
        "log": {"type": "ndjson", "folder": str(tmp_path / "log")},
        "notes": {"type": "markdown", "folder": str(tmp_path / "notes")},
    }
    done = run_index(database, sinks, "--once", "-s", "SITECRAWL_INDEX_ATTEMPTS=2")
    assert done.returncode == 1
    assert "away: 0 changes delivered; down since 20" in done.stdout
    assert "log: 30 changes delivered\nnotes: 30 changes delivered" in done.stdout
    assert "away is down since 20" in done.stderr
    assert "30 changes are waiting" in done.stderr
    status = run_index(database, sinks, "--status").stdout.splitlines()
    assert status[0].startswith("away: 30 changes waiting; down since 20")
    assert status[1].startswith("log: 0 changes waiting, last delivery 20")
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, content(3, f"{REFUSED} please", crawl_id=2))
    engine.dispose()
    with bulk_server() as url:
        sinks["away"]["url"] = url
        done = run_index(database, sinks, "--once", "-s", "SITECRAWL_INDEX_BATCH=10")
        assert done.returncode == 3
        assert "away: 29 changes delivered, 1 refused (see: index --rejected)" in done.stdout
        there = state(url)
        assert (len(there["documents"]), there["requests"]) == (29, 3)  # 30 changes, ten in a batch
        rejected = run_index(database, sinks, "--rejected").stdout
        assert rejected.startswith("away: https://example.org/3  (1 try, set aside): 400 mapper_parsing_exception")
        again = run_index(database, sinks, "--retry", "--sink", "away")
        assert "away: 1 page to be tried again" in again.stdout
        assert again.returncode == 3
    assert len(list((tmp_path / "notes").rglob("*.md"))) == 30
    assert run_index(database, sinks, "--resend", "--sink", "log").stdout == "log: 30 changes delivered\n"
    del sinks["away"]
    assert run_index(database, sinks, "--status").stdout.startswith("away: ")
    assert run_index(database, sinks, "--forget", "--sink", "away").stdout.startswith("away is forgotten; ")
    assert [line.partition(":")[0] for line in run_index(database, sinks, "--status").stdout.splitlines()] == [
        "log",
        "notes",
    ]
    again = run_index(database, sinks, "--forget", "--sink", "away")
    assert (again.returncode, again.stderr) == (
        1,
        "sitecrawl: away: nothing was ever sent to such a sink; known: log, notes\n",
    )
    assert "--forget needs --sink NAME" in run_index(database, sinks, "--forget").stderr


def test_the_feed_goes_on_until_it_is_told_to_end(tmp_path):
    database = f"sqlite:///{tmp_path}/test.db"
    engine = open_database(database)
    add_pages(engine, 5)
    engine.dispose()
    feed = start_index(database, {"notes": {"type": "markdown", "folder": str(tmp_path / "notes")}})
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "notes").rglob("*.md"))) < 5:
        assert feed.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    feed.send_signal(signal.SIGTERM)
    assert feed.wait(120) == 0


def test_the_server_holds_what_the_database_says_whatever_is_killed(database_url):
    seen = feed_with_kills(database_url, pages=150, changes=400, kills=3, rng=random.Random(7))
    assert seen["documents"] > 100
    assert seen["refused"] > 0


def test_an_older_database_keeps_its_queue(sqlite_url):
    """The outbox of the first schema is migrated, since none of it was sent yet."""
    engine = open_database(sqlite_url)
    add_pages(engine, 3)
    engine.dispose()
    assert scrapy("database", "upgrade", "-s", f"SITECRAWL_DATABASE_URL={sqlite_url}").returncode == 0
    for revision in ("0001", "head"):
        move = "downgrade" if revision == "0001" else "upgrade"
        done = subprocess.run(
            [sys.executable, "-m", "alembic", move, revision],
            env={**os.environ, "SITECRAWL_DATABASE_URL": sqlite_url},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
    plain = create_engine(parse_address(sqlite_url))
    with plain.connect() as connection:
        rows = connection.execute(text("SELECT operation, revision, numbered FROM outbox")).all()
    plain.dispose()
    assert [tuple(row) for row in rows] == [(1, 1, 0)] * 3
    found = search(sqlite_url, "first")
    assert found.stderr == "The search index was rebuilt from 3 pages.\n"
    assert found.stdout.count("https://example.org/") == 3
    assert search(sqlite_url, "--rebuild").stdout == "The search index was rebuilt from 3 pages.\n"
    assert search(sqlite_url, "first words", "--json").stdout.count("\n") == 3


def test_a_real_server(tmp_path):
    """With SITECRAWL_TEST_OPENSEARCH_URL this runs on a real OpenSearch or Elasticsearch, else on the server here."""
    given = os.environ.get("SITECRAWL_TEST_OPENSEARCH_URL")
    if not given:
        with bulk_server() as url:
            _feed_and_compare(f"sqlite:///{tmp_path}/test.db", url, state=lambda _: state(url)["documents"])
        return
    index = f"sitecrawl-test-{uuid.uuid4().hex[:8]}"
    try:
        _feed_and_compare(f"sqlite:///{tmp_path}/test.db", given, index=index, state=lambda i: _held(given, i))
    finally:
        with urlopen(Request(f"{given}/{index}", method="DELETE"), timeout=30):
            pass


def _feed_and_compare(database, url, state, index="pages"):
    engine = open_database(database)
    site_id = add_pages(engine, 20)
    sinks = {"server": {"type": "opensearch", "url": url, "index": index}}
    assert run_index(database, sinks, "--once").returncode == 0
    with session_scope(engine) as session:
        contents = ContentRepository(session)
        contents.put(site_id, content(1, f"changed: {PHRASE}", crawl_id=2))
        contents.put(site_id, content(2, "hidden", crawl_id=2), index=False)
    engine.dispose()
    assert run_index(database, sinks, "--once").returncode == 0
    assert run_index(database, sinks, "--resend").returncode == 0
    held = state(index)
    assert len(held) == 19
    assert sum(PHRASE in one["source"]["text"] for one in held.values()) == 1


def _held(url, index):
    try:
        with urlopen(Request(f"{url}/{index}/_refresh", method="POST"), timeout=30):
            pass
        with urlopen(f"{url}/{index}/_search?size=1000&version=true", timeout=30) as answer:
            hits = json.load(answer)["hits"]["hits"]
    except HTTPError as error:
        raise AssertionError(error.read().decode()) from error
    return {hit["_id"]: {"version": hit["_version"], "source": hit["_source"]} for hit in hits}
