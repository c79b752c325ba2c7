"""A command without a result names the reason on standard error."""

import pytest

from sitecrawl.storage.named_sites import NO_SITES
from tests.integration.test_ends import run


@pytest.mark.parametrize("command", [["sites", "list"], ["template", "list"], ["export"], ["reextract"]])
def test_a_database_without_sites(tmp_path, sqlite_url, command):
    done = run(tmp_path, sqlite_url, *command)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"sitecrawl: {NO_SITES}\n"


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
