import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sitecrawl.fleet.launcher import Forking, Spawning
from tests.unit.fleet import launching

WAITS = "import time; time.sleep(60)"


def forking(*modules):
    return lambda: Forking("tests.unit.fleet.launching:run_script", "test", modules, Spawning(sys.executable))


def run(start, *scripts, parallel=2):
    """Run scripts; return their statuses in order."""
    return launching.run(start, *scripts, parallel=parallel)[0]


def told(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def tell(path, what):
    return f"import json, os, random, sys; open({str(path)!r}, 'a').write(json.dumps({what}) + '\\n')"


def test_crawls_are_forked_from_one_process_and_share_nothing_that_must_differ(tmp_path):
    random.seed(7)
    what = (
        "[os.getppid(), os.getsid(0) == os.getpid(), random.random(), 'xml.sax.saxutils' in sys.modules, sys.argv[0]]"
    )
    assert run(forking("random", "xml.sax.saxutils"), *[tell(tmp_path / "told", what)] * 4) == [0] * 4
    parents, leaders, numbers, loaded, names = zip(*told(tmp_path / "told"), strict=True)
    assert len(set(parents)) == 1
    assert os.getpid() not in parents
    assert (set(leaders), set(loaded), set(names)) == ({True}, {True}, {"test"})
    assert len(set(numbers)) == 4


def test_ctrl_c_in_the_start_of_a_fork_ends_it_without_a_word():
    stops = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"
    assert launching.run(forking(), stops) == ([-signal.SIGINT], [[]])


def test_no_file_of_another_crawl_is_open_in_a_fork(tmp_path):
    plain = "import os\nopen({!r}, 'a').write(str(len([f for f in os.listdir('/proc/self/fd') if int(f) > 2])) + '\\n')"
    other = WAITS.replace("60", "1")
    assert run(forking(), other, plain.format(str(tmp_path / "told"))) == [0, 0]
    assert told(tmp_path / "told") == [2]  # the file it writes, and the folder it lists


def test_when_the_starter_dies_its_crawls_go_on_and_the_others_are_spawned(tmp_path):
    kills = f"import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); {WAITS.replace('60', '3')}"
    what = "os.getppid()"
    assert run(forking(), kills, tell(tmp_path / "told", what), parallel=1) == [0, 0]
    assert told(tmp_path / "told") == [os.getpid()]


def test_without_a_starter_crawls_are_spawned(tmp_path, monkeypatch):
    spawning = Spawning(sys.executable)
    monkeypatch.setattr("sitecrawl.fleet.launcher.sys.executable", "/bin/false")
    start = lambda: Forking("nobody:calls", "test", (), spawning)  # noqa: E731
    assert run(start, tell(tmp_path / "told", "os.getppid()"), "raise SystemExit(3)") == [0, 3]
    assert told(tmp_path / "told") == [os.getpid()]


def test_elsewhere_than_on_linux_crawls_are_spawned(tmp_path, monkeypatch):
    monkeypatch.setattr("sitecrawl.fleet.launcher.sys.platform", "darwin")
    assert run(forking(), tell(tmp_path / "told", "os.getppid()")) == [0]
    assert told(tmp_path / "told") == [os.getpid()]


@pytest.mark.parametrize("length", [10_000, 100_000])
def test_arguments_may_be_long(tmp_path, length):
    assert run(forking(), f"open({str(tmp_path / 'told')!r}, 'w').write(str(len({'x' * length!r})))") == [0]
    assert (tmp_path / "told").read_text() == str(length)


def test_the_starter_goes_when_nobody_is_there_to_tell_it_anything():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "sitecrawl.fleet.forkserver", str(theirs.fileno()), "os:getpid"]
    with theirs:
        starter = subprocess.Popen(command, pass_fds=(theirs.fileno(),))
    ours.close()
    assert starter.wait(300) == 0


@pytest.mark.parametrize("start", [launching.spawning, forking("json", "nothing.of.that.name", "email.*")])
def test_statuses_and_messages_are_those_of_the_process(start):
    long = "x" * 3_000_000
    script = f"import sys; sys.stderr.write('one\\n' + 'x' * {len(long)} + '\\ntwo\\nno newline'); sys.exit(3)"
    statuses, said = launching.run(start, script, "import os; os.abort()", "")
    assert statuses == [3, -signal.SIGABRT, 0]
    assert [line for line in said[0] if "xxx" not in line] == ["one", "two", "no newline"]


LONG = "import pathlib, time; here = pathlib.Path({0!r}); here.joinpath('begun').touch()\nwhile not here.joinpath('go').exists(): time.sleep(0.05)\nhere.joinpath('done').touch()"


def until(condition):
    """Wait for a condition. Raises AssertionError if it does not become true in time."""
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


FAILING = """
import os
fork, forks = os.fork, []


def failing():
    forks.append(1)
    if len(forks) == 2:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return fork()


os.fork = failing
"""


def when_there(path, do):
    """Do something once a file is there, in a thread."""

    def wait():
        until(path.exists)
        do()

    threading.Thread(target=wait, daemon=True).start()


def test_a_fork_that_fails_ends_no_other_process(tmp_path, monkeypatch):
    (tmp_path / "failing_forks.py").write_text(FAILING)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))
    second = f"import pathlib; pathlib.Path({str(tmp_path)!r}, 'go').touch(); raise SystemExit(3)"
    assert run(forking("failing_forks"), LONG.format(str(tmp_path)), second) == [0, 3]
    assert (tmp_path / "done").exists()


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


@pytest.mark.parametrize("status", [0, 3])
def test_a_process_whose_starter_is_killed_is_waited_for_and_its_own_status_kept(tmp_path, status):
    def kill_the_starter():
        (starter,) = [child for child in children(os.getpid()) if children(child)]
        os.kill(starter, signal.SIGKILL)
        when_there(tmp_path / "begun", (tmp_path / "go").touch)

    when_there(tmp_path / "begun", kill_the_starter)
    script = f"{LONG.format(str(tmp_path))}\nraise SystemExit({status})"
    assert run(forking(), script, "", parallel=1) == [status, 0]
    assert (tmp_path / "done").exists()
