"""Tests of the protocol with the process of JavaScript peers, by a stand-in, and of the messages without Node."""

import json
import sys
import warnings

import pytest

from sitecrawl.errors import ExtractorError
from sitecrawl.evaluation import node_peers
from sitecrawl.evaluation.node_peers import NodeProcess, node_missing, node_process, node_version

PAGE = """<html><body><nav><a href="/">Front page</a></nav><article><h2>Storm</h2>
<p>The storm has hit the coast, and it is not over yet, as the people of the town have said.</p>
<p>Ships stay in the harbour, and schools are closed until the end of the week, said the mayor.</p></article>
</body></html>"""
STAND_IN = """
import json, os, sys
for number, line in enumerate(sys.stdin.buffer):
    asked = json.loads(line)
    if asked["html"] == "end":
        sys.exit(1)
    if asked["html"] == "noise":
        answer = "no JSON"
    elif asked["html"] == "raise":
        answer = json.dumps({"error": "TypeError: no such node"})
    elif asked["html"] == "list":
        answer = "[1]"
    else:
        answer = json.dumps({"html": f"{os.getpid()} {number} {asked['peer']} {asked['html']} {asked['url']}"})
    sys.stdout.buffer.write(answer.encode() + b"\\n")
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def process():
    """A process of the stand-in."""
    one = NodeProcess([sys.executable, "-c", STAND_IN])
    yield one
    one.end()


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """A folder of peers with the modules that are given."""
    monkeypatch.setattr(node_peers, "FOLDER", tmp_path)
    monkeypatch.setattr(node_peers, "which", lambda name: "/usr/bin/node")

    def installed(**versions):
        (tmp_path / "package.json").write_text("{}")
        for name, version in versions.items():
            folder = tmp_path / "node_modules" / name
            folder.mkdir(parents=True)
            (folder / "package.json").write_text(json.dumps({"version": version}))

    return installed


def test_one_process_answers_page_after_page(process):
    first = process.html("defuddle", "line\nfeed\u2028\ud800 ü", "https://example.org/")
    second = process.html("readability.js", "two", "")
    assert first.split(" ", 1)[1] == "0 defuddle line\nfeed\u2028\ud800 ü https://example.org/"
    assert second.split(" ", 1)[1] == "1 readability.js two "
    assert first.split()[0] == second.split()[0]


def test_an_error_of_the_library_is_told_and_the_process_goes_on(process):
    pid = process.html("defuddle", "one", "").split()[0]
    with pytest.raises(ExtractorError, match="the peer 'defuddle' failed: TypeError: no such node"):
        process.html("defuddle", "raise", "")
    with pytest.raises(ExtractorError, match=r"the peer 'defuddle' failed: \[1\]"):
        process.html("defuddle", "list", "")
    assert process.html("defuddle", "two", "").split()[:2] == [pid, "3"]


@pytest.mark.parametrize("html", ["end", "noise"])
def test_after_no_answer_the_next_page_gets_another_process(process, html):
    pid = process.html("defuddle", "one", "").split()[0]
    with pytest.raises(ExtractorError, match="the process of the peer 'defuddle' did not answer"):
        process.html("defuddle", html, "")
    found = process.html("defuddle", "two", "").split()
    assert found[0] != pid
    assert found[1] == "0"


def test_a_page_that_is_interrupted_takes_its_process_with_it(process, monkeypatch):
    class Interrupted(BaseException):
        pass

    def interrupt(text):
        raise Interrupted

    pid = process.html("defuddle", "one", "").split()[0]
    with monkeypatch.context() as patch:
        patch.setattr(node_peers.json, "loads", interrupt)
        with pytest.raises(Interrupted):
            process.html("defuddle", "two", "")
    assert process.html("defuddle", "three", "").split()[0] != pid


def test_a_program_that_cannot_be_started_is_an_error():
    with pytest.raises(ExtractorError, match=r"the process of the peer 'defuddle' did not answer: .*no-such-program"):
        NodeProcess(["/no-such-program"]).html("defuddle", "page", "")


def test_what_is_missing_is_said_with_what_to_do(modules, tmp_path, monkeypatch):
    assert node_missing("defuddle") == "defuddle is run from a checkout of the project only"
    modules(defuddle="0.1")
    assert node_missing("defuddle") == f"defuddle is not installed (npm ci --prefix {tmp_path})"  # without linkedom
    modules(linkedom="0.2")
    assert node_missing("defuddle") == ""
    assert node_missing("@mozilla/readability").startswith("@mozilla/readability is not installed (npm ci")
    assert node_version("defuddle") == "0.1"
    (tmp_path / "node_modules" / "defuddle" / "package.json").write_text("[]")
    assert node_version("defuddle") == ""
    monkeypatch.setattr(node_peers, "which", lambda name: None)
    assert node_missing("defuddle") == "Node is not installed (version 20 or newer)"


def test_the_libraries_themselves_where_they_are_installed():
    told = [sentence for package in ("defuddle", "@mozilla/readability") if (sentence := node_missing(package))]
    if told:
        warnings.warn(f"NOT TESTED, JavaScript peers: {'; '.join(told)}", stacklevel=1)
        return
    process = node_process()
    try:
        for peer in ("defuddle", "readability.js"):
            found = process.html(peer, PAGE, "https://example.org/storm.html")
            assert "it is not over yet" in found, peer
            assert "said the mayor" in found, peer
            assert "Front page" not in found, peer
            # without html and body tags, which linkedom does not add
            bare = process.html(peer, PAGE.partition("<body>")[2].partition("</body>")[0], "")
            assert "it is not over yet" in bare, peer
        with pytest.raises(ExtractorError, match="PEERS"):
            process.html("no such peer", PAGE, "")
    finally:
        process.end()
