import os
import signal
import sys
import threading
import time

import pytest

from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.processes import Job, Processes


def run_script():
    """What a forked process does with the arguments that Python would get."""
    exec(compile(sys.argv[2], "script", "exec"), {"__name__": "__main__"})


def spawning():
    return Spawning(sys.executable)


def forking():
    return Forking(f"{__name__}:run_script", "test", ["json", "nothing.of.that.name", "email.*"], spawning())


starts = pytest.mark.parametrize("start", [spawning, forking])


def jobs(*scripts, ended=None):
    """Give one job a script, in order; `ended` collects (host, status)."""
    waiting = [
        Job(
            f"{number}.example",
            ["-c", script],
            lambda status, host=f"{number}.example": ended.append((host, status)) if ended is not None else None,
        )
        for number, script in enumerate(scripts)
    ]
    return lambda: waiting.pop(0) if waiting else None


@starts
def test_every_job_runs_and_its_status_is_kept(start):
    ended = []
    processes = Processes(2, start)
    processes.run(jobs("", "raise SystemExit(3)", "import os; os.abort()", "", ended=ended))
    expected = {"0.example": 0, "1.example": 3, "2.example": -signal.SIGABRT, "3.example": 0}
    assert processes.results == expected
    assert dict(ended) == expected


SIDE_BY_SIDE = """
import os, pathlib, time
here, me, deadline = pathlib.Path({0!r}), str(os.getpid()), time.monotonic() + 60
here.joinpath("begun-" + me).touch()
here.joinpath("runs-" + me).touch()
while len(list(here.glob("begun-*"))) < 3 and time.monotonic() < deadline:
    time.sleep(0.02)
time.sleep(0.2)  # in which one too many would begin
print(len(list(here.glob("runs-*"))), file=here.joinpath("seen").open("a"))
here.joinpath("runs-" + me).unlink()
"""
"""The first waits for two others, and each writes down how many run."""


@starts
def test_jobs_run_side_by_side_but_no_more_than_allowed(tmp_path, start):
    Processes(3, start).run(jobs(*[SIDE_BY_SIDE.format(str(tmp_path))] * 7))
    seen = [int(line) for line in (tmp_path / "seen").read_text().split()]
    assert len(seen) == 7
    assert 1 < max(seen) <= 3


@starts
def test_messages_of_several_sites_say_whose_they_are(capfd, start):
    long = "x" * 3_000_000
    script = f"import sys; sys.stderr.write('one\\n' + 'x' * {len(long)} + '\\ntwo\\nno newline')"
    Processes(2, start).run(jobs(script, "import sys; sys.stderr.write('other\\n')"))
    lines = capfd.readouterr().err.splitlines()
    mine = [line for line in lines if line.startswith("0.example: ")]
    assert [line for line in mine if "xxx" not in line] == [
        "0.example: one",
        "0.example: two",
        "0.example: no newline",
    ]
    assert "1.example: other" in lines


@starts
def test_messages_of_one_site_at_a_time_are_left_as_they_are(capfd, start):
    Processes(1, start).run(jobs("import sys; sys.stderr.write('as it is')"))
    assert capfd.readouterr().err == "as it is"


LONG = "import pathlib, time; here = pathlib.Path({0!r}); here.joinpath('begun').touch()\nwhile not here.joinpath('go').exists(): time.sleep(0.05)\nhere.joinpath('done').touch()"


@starts
def test_what_a_job_raises_at_its_end_comes_after_the_others_have_ended(tmp_path, start):
    ended = []
    slow = LONG.format(str(tmp_path))

    def fail(status):
        (tmp_path / "go").touch()
        raise RuntimeError("the feed is full")

    give = jobs(slow, "", ended=ended)
    bad = [Job("bad.example", ["-c", ""], fail)]
    processes = Processes(2, start)
    with pytest.raises(RuntimeError, match="the feed is full"):
        processes.run(lambda: bad.pop() if bad else give())
    assert ended == [("0.example", 0)]
    assert processes.results == {"bad.example": 0, "0.example": 0}


READY = "import os, pathlib, signal, sys, time; signal.signal(signal.SIGINT, {1}); pathlib.Path({0!r}, str(os.getpid())).touch(); time.sleep(60)"
GRACEFUL, STUBBORN = "lambda *_: sys.exit(3)", "signal.SIG_IGN"


def interrupt(processes, folder, jobs, number, times):
    """Signal this process once so many jobs are ready for it, again each time after that was noticed."""

    def signals():
        until(lambda: len(list(folder.iterdir())) >= jobs)
        for noticed in range(1, times + 1):
            os.kill(os.getpid(), number)
            until(lambda noticed=noticed: processes.interruptions >= noticed)

    threading.Thread(target=signals, daemon=True).start()


def until(condition):
    """Wait for a condition. Raises AssertionError if it does not come true in time."""
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@starts
def test_an_interruption_ends_all_in_order_and_starts_no_more(tmp_path, number, start):
    processes = Processes(2, start)
    interrupt(processes, tmp_path, 2, number, 1)
    processes.run(jobs(*[READY.format(str(tmp_path), GRACEFUL)] * 9))
    assert processes.interruptions == 1
    assert processes.results == {"0.example": 3, "1.example": 3}


@starts
def test_the_third_interruption_kills(tmp_path, start):
    processes = Processes(1, start)
    interrupt(processes, tmp_path, 1, signal.SIGINT, 3)
    processes.run(jobs(READY.format(str(tmp_path), STUBBORN)))
    assert processes.results == {"0.example": -signal.SIGKILL}


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


def test_a_fork_that_fails_ends_no_other_crawl(tmp_path, monkeypatch):
    (tmp_path / "failing_forks.py").write_text(FAILING)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))
    there = Spawning(sys.executable)
    processes = Processes(2, lambda: Forking(f"{__name__}:run_script", "test", ["failing_forks"], there))
    second = f"import pathlib; pathlib.Path({str(tmp_path)!r}, 'go').touch(); raise SystemExit(3)"
    processes.run(jobs(LONG.format(str(tmp_path)), second))
    assert processes.results == {"0.example": 0, "1.example": 3}
    assert (tmp_path / "done").exists()


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


@pytest.mark.parametrize("status", [0, 3])
def test_a_crawl_whose_starter_is_killed_is_waited_for_and_its_own_status_kept(tmp_path, status):
    def kill_the_starter():
        (starter,) = [child for child in children(os.getpid()) if children(child)]
        os.kill(starter, signal.SIGKILL)
        when_there(tmp_path / "begun", (tmp_path / "go").touch)

    ended = []
    when_there(tmp_path / "begun", kill_the_starter)
    processes = Processes(1, forking)
    processes.run(jobs(f"{LONG.format(str(tmp_path))}\nraise SystemExit({status})", "", ended=ended))
    assert (tmp_path / "done").exists()
    assert ended == [("0.example", status), ("1.example", 0)]


class NoRoom(Spawning):
    """Has no room for a process the first times."""

    def __init__(self, times):
        super().__init__(sys.executable)
        self.times = times

    async def start(self, arguments, *, piped):
        self.times -= 1
        if self.times >= 0:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return await super().start(arguments, piped=piped)


def test_a_crawl_for_which_there_is_no_room_waits_and_is_named_in_the_end(capfd):
    processes = Processes(1, lambda: NoRoom(2), pauses=(0, 0))
    processes.run(jobs("raise SystemExit(3)"))
    assert processes.results == {"0.example": 3}
    ended = []
    processes = Processes(1, lambda: NoRoom(3), pauses=(0, 0))
    processes.run(jobs("", "raise SystemExit(3)", ended=ended))
    assert ended == [("0.example", 1), ("1.example", 3)]
    assert capfd.readouterr().err.splitlines() == [
        "sitecrawl: 0.example: its crawl could not be started (Resource temporarily unavailable); the next run tries again"
    ]
