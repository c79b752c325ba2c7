import json
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.processes import Job, Processes

WAITS = "import time; time.sleep(60)"


def run_script():
    """What a forked process does with the arguments that Python would get."""
    exec(compile(sys.argv[2], "script", "exec"), {"__name__": "__main__"})


def forking(*modules):
    return lambda: Forking(f"{__name__}:run_script", "test", modules, Spawning(sys.executable))


def run(start, *scripts, parallel=2):
    """Run scripts; return their statuses by number."""
    waiting = [Job(str(number), ["-c", script], lambda status: None) for number, script in enumerate(scripts)]
    processes = Processes(parallel, start)
    processes.run(lambda: waiting.pop(0) if waiting else None)
    return [processes.results[str(number)] for number in range(len(scripts))]


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
