"""Every command with input that cannot be used: one line and the documented status, never a traceback."""

import argparse
import contextlib
import os
import secrets
import socket
import subprocess
from importlib import import_module

import pytest
from scrapy.utils.project import get_project_settings

from sitecrawl.commandline import names
from tests import fork

EXAMPLES = {
    "crawl": ["site", "-a", "url=http://127.0.0.1:9/", "-s", "RETRY_TIMES=0"],
    "database": ["upgrade"],
    "demo": [],
    "evaluate": ["{gold}"],
    "export": ["h.example"],
    "extract": ["{page}", "--site", "h.example"],
    "index": ["--status"],
    "override": ["check", "{override}"],
    "pages": ["h.example"],
    "recrawl": ["h.example"],
    "reextract": ["h.example"],
    "report": ["h.example", "-O", "report.html"],
    "search": ["word"],
    "serve": ["--port", "{port}"],
    "sites": ["forget", "h.example"],
    "status": [],
    "completion": ["bash"],
    "mcp": [],
    "template": ["list"],
    "ui": ["--port", "{port}"],
    "worker": ["--processes", "1"],
}
"""Arguments with which each command reads the database, or else a file."""
WITHOUT_DATABASE = {"completion", "demo", "evaluate", "override"}
NEEDS_NOTHING = {"demo", "export", "mcp", "recrawl", "reextract", "serve", "status", "ui", "worker"}
"""Commands that may be called without arguments."""
ENDLESS = {"worker"}
"""Commands that run until they are stopped and print nothing (`test_worker.py`)."""
ABSURD = ("99999999999999999999", "-99999999999999999999", "nan", "1e400", "", "x", "²")
FILES = {
    "crawl": [
        ["site", "-a", "url=/nowhere/page.html"],
        ["http://127.0.0.1:9/"],
        ["site", "http://127.0.0.1:9/"],
        ["site", "-a", "urls=/nowhere/urls.txt"],
        ["site", "-a", "url=http://127.0.0.1:9/", "-a", "include=("],
        ["site", "-a", "url=http://127.0.0.1:9/", "-s", "SITECRAWL_SECRETS=/nowhere/secrets.toml"],
        ["site", "-a", "url=http://127.0.0.1:9/", "-O", "/proc/x.jsonl"],
    ],
    "evaluate": [["/nowhere/gold"], ["{gold}", "--floors", "/nowhere/floors.toml"], ["{gold}", "--json", "/proc/x"]],
    "export": [
        ["-O", "/nowhere/x.jsonl"],
        ["--format", "md", "-O", "{folder}"],
        ["-O", "{folder}"],
        ["--format", "md"],
        ["--chunks", "--format", "md", "-O", "x"],
        ["--since", "yesterday"],
    ],
    "extract": [["/nowhere/page.html"], ["{page}", "--override", "/nowhere/h.yaml"], ["{folder}"]],
    "override": [["check", "/nowhere/h.yaml"], ["import", "/nowhere/h.txt"], ["import", "{page}", "--into", "/proc/x"]],
    "recrawl": [["-O", "/nowhere/feed.jsonl"], ["-O", "feed.csv"]],
    "reextract": [["h.example", "-O", "/proc/feed.jsonl"]],
    "report": [["h.example", "-O", "/nowhere/report.html"], ["h.example", "-O", "{folder}"]],
    "serve": [["--password-file", "/nowhere/password"], ["--host", "0.0.0.0"], ["--sites", "/nowhere/sites.toml"]],
    "ui": [["--password-file", "/nowhere/password"], ["--address", "0.0.0.0"]],
}
"""Arguments that name missing or unwritable files."""


def free_port():
    """Return a free port below those that the system assigns to clients."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "text.db").write_text("This is no database.\n" * 200)
    (folder / "page.html").write_text("<p>" + "A page of a few words. " * 20)
    (folder / "h.example.yaml").write_text("content: main\n")
    (folder / "gold").mkdir()
    (folder / "gold" / "site.toml").write_text('name = "s"\nkind = ""\n')
    (folder / "gold" / "one.html").write_text("<p>" + "A page of a few words. " * 20)
    (folder / "gold" / "one.txt").write_text("A page of a few words. " * 20)
    (folder / "gold" / "one.toml").write_text('url = "http://h.example/one"\nkind = "content"\n')
    return {
        "folder": str(folder),
        "page": str(folder / "page.html"),
        "override": str(folder / "h.example.yaml"),
        "gold": str(folder / "gold"),
        "port": str(free_port()),
    }


@pytest.fixture
def call(tmp_path, inputs):
    def call(command, arguments, database="new.db", **how):
        line = ["sitecrawl", command, *(argument.format(**inputs) for argument in arguments)]
        line += ["-s", f"SITECRAWL_DATABASE_URL=sqlite:///{database}"]
        how = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "cwd": tmp_path,
            "timeout": 300,
            **how,
        }
        return fork.run(line, **how)

    return call


def assert_refused(done, *statuses):
    """Check that a command ended with one of the statuses and one line with the reason."""
    said = f"{done.args}: status {done.returncode}\n{done.stderr}"
    assert done.returncode in statuses, said
    assert "Traceback" not in said + done.stdout
    assert len(done.stderr.splitlines()) == 1, said
    assert done.stderr.startswith(("sitecrawl: ", "usage: sitecrawl ")), said


def numbers(name):
    """Return the options of a command that take a number."""
    command = import_module(f"sitecrawl.commands.{name}").Command()
    command.settings = get_project_settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    return [action.option_strings[-1] for action in parser._actions if action.type is not None]


def test_every_command_is_played():
    """A new command needs an example here."""
    assert set(EXAMPLES) == set(names())


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in NEEDS_NOTHING])
def test_a_command_without_its_arguments_is_a_usage_error(call, name):
    assert_refused(call(name, []), 2)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_option_that_is_not_there(call, name):
    assert_refused(call(name, [*EXAMPLES[name], "--nonsense"]), 2)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if numbers(name)])
def test_absurd_numbers_of_options_are_usage_errors(call, name):
    for option in numbers(name):
        for number in ABSURD:
            assert_refused(call(name, [*EXAMPLES[name], f"{option}={number}"]), 2)


@pytest.mark.parametrize("number", ABSURD)
def test_absurd_numbers_of_settings_are_usage_errors(call, number):
    for setting in ("SITECRAWL_MAX_PAGES", "SITECRAWL_LEASE_SECONDS"):
        assert_refused(call("search", ["word", "-s", f"{setting}={number}"]), 2)


@pytest.mark.parametrize("name", ["crawl", "recrawl", "reextract", "serve", "ui", "worker"])
@pytest.mark.parametrize("wrong", ["SITECRAWL_EXTRACTOR=combine", "SITECRAWL_OVERRIDES=/nowhere"])
def test_a_method_or_a_folder_that_no_crawl_could_use(call, name, wrong):
    assert_refused(call(name, [*EXAMPLES[name], "-s", wrong]), 2, *([1] if name == "reextract" else []))


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in WITHOUT_DATABASE])
def test_a_database_that_cannot_be_used(call, inputs, tmp_path, name):
    for database in (f"{inputs['folder']}/text.db", inputs["folder"], "/nowhere/x.db"):
        assert_refused(call(name, EXAMPLES[name], database), 1)


@pytest.mark.parametrize(("name", "arguments"), [(name, one) for name, several in FILES.items() for one in several])
def test_files_that_are_not_there(call, name, arguments):
    assert_refused(call(name, arguments), 1, 2, 3)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("both", [False, True])
def test_a_reader_that_has_gone(call, name, both):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = call(name, [*EXAMPLES[name], "-h"], stdout=writing, stderr=writing if both else subprocess.PIPE)
        assert (done.returncode, done.stderr or "") == (0, "")
        if name in ENDLESS:
            return
        done = call(name, EXAMPLES[name], stdout=writing, stderr=writing if both else subprocess.PIPE)
        assert done.returncode in (0, 1, 2, 3)
        assert "Traceback" not in (done.stderr or "")
        assert "broken pipe" not in (done.stderr or "").lower().replace("brokenpipe", "broken pipe")
    finally:
        os.close(writing)


def test_names_that_are_no_commands(call):
    assert_refused(fork.run(["sitecrawl", "nonsense"], capture_output=True, text=True), 2)
    assert_refused(fork.run(["sitecrawl", "../x"], capture_output=True, text=True), 2)
    for line, begin in (([], "usage: sitecrawl COMMAND"), (["--version"], "sitecrawl "), (["-h"], "usage: sitecrawl")):
        done = fork.run(["sitecrawl", *line], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(begin)
    assert len(fork.run(["sitecrawl", "--version"], capture_output=True, text=True).stdout.splitlines()) == 1
