"""The command `evaluate`, as it is typed."""

import json
import os
import signal
import subprocess
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests import fork
from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import MODULE, environment
from tests.unit.evaluation.site import golden, rows, write
from tests.unit.evaluation.stubborn import install


def evaluate(folder, *arguments):
    done = fork.run(
        [*MODULE, "evaluate", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(),
        cwd=folder,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_table_json_a_report_and_floors(tmp_path):
    write(tmp_path / "a.jsonl.gz", rows())
    golden(tmp_path / "own" / "harbour")
    (tmp_path / "floors.toml").write_text("[own.combined]\nword_f1 = 0.9\n")
    arguments = ("a.jsonl.gz", "own", "--methods", "combined,everything", "--learn", "0,all", "--no-timing")
    outputs = []
    for name in ("one", "two"):
        status, output, error = evaluate(
            tmp_path, *arguments, "--json", f"{name}.json", "--html", "r.html", "--floors", "floors.toml", "--jobs", "2"
        )
        assert (status, error) == (0, "")
        outputs.append(output)
    assert outputs[0] == outputs[1]
    assert "combined" in outputs[0]
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = {(row["collection"], row["method"]) for row in json.loads((tmp_path / "one.json").read_text())["summaries"]}
    assert found == {(c, m) for c in ("a", "own") for m in ("combined", "everything")}
    assert "<svg" in (tmp_path / "r.html").read_text()


def test_options_make_rows_that_are_compared(tmp_path):
    for name in ("a", "b", "c"):
        write(tmp_path / f"{name}.jsonl.gz", rows())
    options = ("-o", "webconex.size=2", "-o", "webconex.size=8", "-o", "webconex.branch=False")
    status, output, error = evaluate(
        tmp_path, "a.jsonl.gz", "b.jsonl.gz", "--methods", "webconex,cnr", *options, "--sites", "b", "--measure", "node"
    )
    assert (status, error) == (0, "")
    assert {"webconex branch=False size=2", "webconex branch=False size=8"} < {
        line[2:36].strip() for line in output.splitlines()
    }
    assert output.startswith("b: 1 site, 7 pages; P, R and F1 of Nodes")
    _, output, _ = evaluate(tmp_path, "c.jsonl.gz", "--methods", "webconex,cnr", *options[:4], "--against", "cnr")
    assert output.count(" less cnr after 8 pages, word_f1: ") == 2


def test_a_floor_that_fell_is_status_1(tmp_path):
    golden(tmp_path / "own" / "harbour")
    (tmp_path / "floors.toml").write_text("[own.everything]\nword_p = 0.999\n")
    status, _, error = evaluate(tmp_path, "own", "--methods", "everything", "--floors", "floors.toml")
    assert status == 1
    assert "word_p of everything" in error


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (("own", "--methods", "guess"), 2, "known: "),
        (("own", "--learn", "few"), 2, "--learn"),
        (("own", "-o", "size=2"), 2, "METHOD.OPTION=VALUE"),
        (("own", "-o", "combined.size=2"), 2, "no option size"),
        (("own", "--against", "cnr"), 2, "not one of the rows: combined"),
        (("own", "--sites", "other"), 2, "no site has such a name"),
        (("own", "--fold", "3/2"), 2, "--fold '3/2'"),
        (("none.jsonl.gz",), 1, "none.jsonl.gz: cannot be read after line 0: Not a gzipped file"),
        (("missing",), 1, "missing: is neither a file nor a folder"),
        (("own", "--floors", "none.toml"), 2, "none.toml"),
        ((), 2, "GOLD"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, status, message):
    golden(tmp_path / "own" / "harbour", 1)
    (tmp_path / "none.jsonl.gz").write_bytes(b"{}")
    done = evaluate(tmp_path, *arguments)
    assert done[0] == status
    assert message in done[1] + done[2]
    assert "Traceback" not in done[2]


def test_a_page_is_recorded_as_a_golden_case_and_never_overwritten(tmp_path):
    with SiteServer(small_site()) as site:
        url = site.url("/reports/7.html")
        status, output, _ = evaluate(tmp_path, "--record", url, "golden/harbour/seven")
        assert status == 0
        assert "correct it by hand" in output
        folder = tmp_path / "golden" / "harbour"
        assert "Report 7 paragraph" in (folder / "seven.txt").read_text()
        assert {path.name for path in folder.iterdir()} == {"seven.html", "seven.txt", "seven.toml", "site.toml"}
        status, _, error = evaluate(tmp_path, "--record", url, "golden/harbour/seven")
    assert status == 1
    assert "exists" in error
    assert evaluate(tmp_path, "golden")[0] == 0


def _group_is_there(group):
    """Return whether a process of a group runs; an ended process may wait long for a busy init."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(its_group) == group and state not in "ZX":
            return True
    return False


def _until(condition):
    limit = monotonic() + 300
    while not condition():
        assert monotonic() < limit
        sleep(0.05)


def test_a_run_is_stopped_in_a_page_that_does_not_come_back_and_goes_on(tmp_path):
    install(tmp_path)
    (tmp_path / "sites").mkdir()
    write(tmp_path / "sites" / "a.jsonl.gz", rows(1))
    write(tmp_path / "sites" / "b.jsonl.gz", rows(3))
    arguments = ["evaluate", "sites", "--methods", "in-c", "--metrics", "word", "--jobs", "1", "--resume", "record"]
    running = subprocess.Popen(
        [*MODULE, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a parent may ignore it
    )
    record = tmp_path / "record"
    try:
        _until(lambda: record.exists() and "key" in record.read_text())  # the second site hangs now
        sleep(0.5)
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=300)[1].strip() == "sitecrawl: stopped; the same command resumes there"
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)
        raise
    assert running.returncode == 130
    _until(lambda: not _group_is_there(running.pid))  # its processes are gone too
    assert record.read_text().count('"key"') == 1
