"""Tests of `sitecrawl sites`: added sites are crawled with their options."""

import json
import os
import subprocess
import sys

import pytest

from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from tests.integration.server import SiteServer, small_site
from tests.integration.test_ends import run


def listed(folder, database):
    done = run(folder, database, "sites", "list", "--json")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_list_is_added_and_each_bad_line_named(tmp_path, sqlite_url):
    lines = ["https://a.example/", "nonsense", "https://b.example/", "http://www.a.example/again", "https://c.example/"]
    (tmp_path / "sites.txt").write_text("\n".join(lines))
    done = run(tmp_path, sqlite_url, "sites", "add", "sites.txt", "--every", "6h-2d", "--max-pages", "9")
    assert done.returncode == 3
    assert done.stdout == (
        "3 sites added; 1 already known or listed twice (line 4); 1 line cannot be used (listed above)\n"
    )
    assert done.stderr.startswith("line 2: 'nonsense': ")
    again = run(tmp_path, sqlite_url, "sites", "add", "sites.txt")
    assert again.stdout.startswith("0 sites added; 4 already known or listed twice (lines 1, 3-5); ")
    found = listed(tmp_path, sqlite_url)
    assert [one["host"] for one in found] == ["a.example", "b.example", "c.example"]
    options = {"recrawl_min_interval": 21_600, "recrawl_max_interval": 172_800, "max_pages": 9}
    assert [(one["state"], one["options"]) for one in found] == [("due", options)] * 3

    page = run(tmp_path, sqlite_url, "sites", "list", "--limit", "2")
    assert [line.split()[0] for line in page.stdout.splitlines()] == ["a.example", "b.example"]
    assert page.stderr == "sitecrawl: there are more: sitecrawl sites list --after b.example\n"
    rest = run(tmp_path, sqlite_url, "sites", "list", "--after", "b.example")
    assert (rest.stdout.split()[0], rest.stderr) == ("c.example", "")

    assert run(tmp_path, sqlite_url, "sites", "pause", "a.example", "x.example", "c.example").returncode == 3
    assert [line.split()[0] for line in run(tmp_path, sqlite_url, "sites", "due").stdout.splitlines()] == ["b.example"]
    assert run(tmp_path, sqlite_url, "sites", "resume", "c.example").returncode == 0
    due = run(tmp_path, sqlite_url, "sites", "due", "--json", "--limit", "0").stdout.splitlines()
    assert [json.loads(line)["host"] for line in due] == ["b.example", "c.example"]
    assert run(tmp_path, sqlite_url, "sites", "set", "a.example", "--max-pages", "3").returncode == 0
    shown = run(tmp_path, sqlite_url, "sites", "show", "a.example").stdout
    assert "  state       paused\n" in shown
    assert "  max_pages: 3\n" in shown
    assert run(tmp_path, sqlite_url, "sites", "set", "a.example", "--every", "").returncode == 0
    assert listed(tmp_path, sqlite_url)[0]["options"] == {"max_pages": 3}
    assert run(tmp_path, sqlite_url, "recrawl", "--every", "1d-9d", "c.example").returncode == 0
    due = run(tmp_path, sqlite_url, "sites", "due").stdout.splitlines()  # it was never crawled
    assert [line.split()[0] for line in due] == ["b.example", "c.example"]
    assert run(tmp_path, sqlite_url, "sites", "pause", "b.example", "c.example").returncode == 0
    nothing = run(tmp_path, sqlite_url, "recrawl")
    assert nothing.returncode == 0, nothing.stderr
    assert "3 paused sites are left out; give a host to crawl it anyway" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "no-such-file"], "no-such-file: neither a URL nor a file that can be read"),
        (["add", "https://a.example/", "--every", "often"], "'often' is not an interval"),
        (["add", "https://a.example/", "--include", "("], "include '(' is not a regular expression"),
        (["set", "a.example"], "set takes --every"),
        (["pause"], "usage: sitecrawl sites"),
        (["show"], "usage: sitecrawl sites"),
    ],
)
def test_bad_arguments_are_one_clear_line(tmp_path, sqlite_url, arguments, words):
    done = run(tmp_path, sqlite_url, "sites", *arguments)
    assert done.returncode == 2
    assert words in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_site_that_was_added_is_crawled_with_its_own_limit(tmp_path, sqlite_url):
    with SiteServer(small_site(20)) as site:
        run(tmp_path, sqlite_url, "sites", "add", site.url("/index.html"), "--max-pages", "4")
        done = run(tmp_path, sqlite_url, "recrawl", "--due", "-O", "feed.jsonl", "-s", "SITECRAWL_MAX_PAGES=15")
        assert done.returncode == 0, done.stderr
        assert len((tmp_path / "feed.jsonl").read_text().splitlines()) == 4
        url = f"url={site.url('/index.html')}"
        assert run(tmp_path, sqlite_url, "crawl", "site", "-a", url, "-a", "max_pages=6").returncode == 0
    engine = open_database(sqlite_url)
    with session_scope(engine, write=False) as session:
        (one,) = SiteRepository(session).refs()
        assert CrawlRepository(session).latest(one.id).stats["pages"] == 6
        assert SiteRepository(session).options(one.id) == {"max_pages": 4}
    engine.dispose()


def test_a_line_of_standard_input_that_is_not_utf_8_is_refused_and_the_others_are_added(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from sitecrawl.cli import main; main()", "sites", "add", "-"),
            *("-s", f"SITECRAWL_DATABASE_URL=sqlite:///{tmp_path}/sites.db"),
        ],
        input=b"https://a.example/caf\xe9\nhttps://b.example/\n",
        capture_output=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(b"line 1: not text in UTF-8")
    assert b"1 site added; 1 line cannot be used" in done.stdout
