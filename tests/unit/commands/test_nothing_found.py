"""A command without a result names the reason on standard error."""

import pytest

from sitecrawl.storage.db.engine import open_database
from sitecrawl.storage.named_sites import NO_SITES
from tests.integration.test_ends import run


@pytest.mark.parametrize("command", [["sites", "list"], ["template", "list"], ["export"], ["reextract"]])
def test_a_database_without_sites(tmp_path, sqlite_url, command):
    open_database(sqlite_url).dispose()
    done = run(tmp_path, sqlite_url, *command)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"sitecrawl: {NO_SITES}\n"


@pytest.mark.parametrize(
    "command",
    [
        *(["sites", action, "example.org"] for action in ("set", "pause", "resume", "forget")),
        *(["sites", "list"], ["status"], ["search", "word"], ["export"], ["reextract"], ["recrawl"]),
        ["template", "forget", "example.org"],
    ],
)
def test_a_command_about_stored_sites_in_the_wrong_folder_makes_no_database(tmp_path, sqlite_url, command):
    more = ["--every", "6h-30d"] if "set" in command else []
    done = run(tmp_path, sqlite_url, *command, *more)
    assert (done.returncode, done.stdout) == (1, "")
    assert "test.db: the database does not exist; crawl a site first, or correct" in done.stderr
    assert done.stderr.count("\n") == 1 and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["sites", "list", "--dying"], "no crawls of a site died twice in a row"),
        (["sites", "due"], "no site is due; see: sitecrawl sites list"),
        (["index", "--status"], "SITECRAWL_INDEX_SINKS names no sink; see docs/search.md"),
        (["index", "--rejected", "-s", 'SITECRAWL_INDEX_SINKS={"ndjson": {"folder": "x"}}'], "no page is refused"),
        (["pages", "example.org", "--closed"], "example.org: nothing is closed as a trap"),
        (
            ["pages", "example.org", "--url", "https://example.org/a"],
            "no such page of example.org; see: sitecrawl pages",
        ),
    ],
)
def test_a_site_without_such_a_thing(tmp_path, sqlite_url, command, told):
    run(tmp_path, sqlite_url, "sites", "add", "https://example.org/")
    run(tmp_path, sqlite_url, "sites", "pause", "example.org")
    done = run(tmp_path, sqlite_url, *command)
    assert done.stdout == ""
    assert told in done.stderr and done.stderr.count("\n") == 1
