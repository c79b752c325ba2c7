"""Tests of `sitecrawl status`: its output for people and for programs."""

import json
import signal
import subprocess
from dataclasses import fields
from urllib.request import urlopen

import pytest

from sitecrawl.commands.status import shown
from sitecrawl.storage.fleet_status import FleetStatus, SiteWithoutPage
from tests import fork
from tests.integration.server import SiteServer
from tests.integration.test_crawl import crawl
from tests.integration.test_ends import run
from tests.output import Output


def running(folder, *arguments):
    """Start a command that runs until it is stopped."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder}
    return fork.Popen(["sitecrawl", *arguments], **how)


def test_the_state_of_all_sites(tmp_path, database_url):
    run(tmp_path, database_url, "sites", "add", "https://a.example/", "https://b.example/", "https://c.example/")
    run(tmp_path, database_url, "sites", "pause", "c.example")
    done = run(tmp_path, database_url, "status")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "sites      3"
    assert lines[1].startswith("  due      2, the first for ")
    assert "  paused   1" in lines
    assert not [line for line in lines if line.startswith("look at")]
    found = json.loads(run(tmp_path, database_url, "status", "--json").stdout)
    assert (found["sites"], found["due"], found["paused"]) == (3, 2, 1)


def test_metrics_are_served_until_it_is_stopped(tmp_path, sqlite_url):
    run(tmp_path, sqlite_url, "sites", "add", "https://a.example/")
    settings = ["-s", f"SITECRAWL_DATABASE_URL={sqlite_url}"]
    with running(tmp_path, "status", "--serve-metrics", "127.0.0.1:0", *settings) as serving:
        address = Output(serving.stdout).line().strip()
        with urlopen(address, timeout=60) as answer:
            assert 'sitecrawl_sites_by_state{state="due"} 1.0' in answer.read().decode()
        serving.send_signal(signal.SIGINT)
        assert (serving.wait(), serving.stderr.read()) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--serve-metrics", "9108"], "'9108' is not an address; give one as 127.0.0.1:9108"),
        (["--serve-metrics", "127.0.0.1:9", "--json"], "usage: sitecrawl status"),
        (["x"], "usage: sitecrawl status"),
    ],
)
def test_bad_arguments_are_one_clear_line(tmp_path, sqlite_url, arguments, words):
    done = run(tmp_path, sqlite_url, "status", *arguments)
    assert done.returncode == 2
    assert words in done.stderr + done.stdout


def test_one_of_a_kind_is_said_so():
    status = FleetStatus(**{field.name: 1 for field in fields(FleetStatus)})
    lines = shown(status).splitlines()
    assert "rate       1 page and 1 crawl an hour" in lines
    assert "look at    1 held deletions at 1 site: sitecrawl pages HOST --status held" in lines


def test_what_is_wrong_is_named_with_what_to_look_at():
    status = FleetStatus(**{field.name: number for number, field in enumerate(fields(FleetStatus), 1)})
    lines = shown(status).splitlines()
    assert lines[1] == f"  due      {status.due} ({status.late} for over a day, {status.died} died), the first for 18 s"
    wrong = [line for line in lines if line.startswith("look at    ")]
    assert len(wrong) == 8
    assert (
        f"look at    {status.held_pages} held deletions at {status.held_sites} sites: sitecrawl pages HOST" in wrong[5]
    )


def test_sites_with_a_problem_are_named():
    status = FleetStatus(**{field.name: 5 for field in fields(FleetStatus)})
    named = {"failing": ["a.example"], "ended_early": [], "held_pages": [f"{one}.example" for one in "bcde"]}
    lines = shown(status, None, named).splitlines()
    assert "look at    5 sites with a failing host (a.example): sitecrawl pages HOST" in lines
    assert "look at    5 crawls of the last day ended early: sitecrawl pages HOST --crawls" in lines
    held = "5 held deletions at 5 sites (b.example, c.example, d.example and more): sitecrawl pages HOST --status held"
    assert f"look at    {held}" in lines


def test_a_site_without_a_page_is_named_with_the_reason(tmp_path, sqlite_url):
    with SiteServer({"/": (403, {}, "no")}) as site:
        crawl(site.url("/"), tmp_path, sqlite_url)
        host = site.url().split("/")[2]
    line = f"look at    1 sites without a page: {host} after 1 crawl (HTTP 403): sitecrawl pages {host}"
    assert line in run(tmp_path, sqlite_url, "status").stdout.splitlines()
    found = json.loads(run(tmp_path, sqlite_url, "status", "--json").stdout)
    assert found["worst_without_page"] == {"host": host, "crawls": 1, "reason": "HTTP 403"}


def test_a_reason_is_shown_without_control_characters():
    status = FleetStatus(**{field.name: 1 for field in fields(FleetStatus)})
    lines = shown(status, SiteWithoutPage("a.example", 2, "HTTP\x1b[31m 500")).splitlines()
    assert [line for line in lines if "a.example after 2 crawls (HTTP" in line]
    assert not [line for line in lines if "\x1b" in line]


def test_it_is_watched_until_it_is_stopped(tmp_path, sqlite_url):
    run(tmp_path, sqlite_url, "sites", "add", "https://a.example/")
    settings = ["-s", f"SITECRAWL_DATABASE_URL={sqlite_url}"]
    with running(tmp_path, "status", "--watch", "--json", *settings) as watching:
        output = Output(watching.stdout)
        first, second = (json.loads(output.line()) for _ in range(2))
        assert second["oldest_due_seconds"] > first["oldest_due_seconds"]
        watching.send_signal(signal.SIGINT)
        assert (watching.wait(), watching.stderr.read()) == (0, "")
