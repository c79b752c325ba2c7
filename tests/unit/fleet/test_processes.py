"""Tests of processes that ask for jobs: distribution of the jobs, deaths, signals and lack of room."""

import asyncio
import json
import os
import signal
import sys
import threading
import time

import pytest

from sitecrawl.fleet.job_channel import JobChannel, JobMessage
from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.processes import Job, Processes

SECONDS = 300


def crawl():
    """Imitates a process: it requests jobs, and does what their URLs say."""
    asyncio.run(_crawl(sys.argv[1], int(sys.argv[2])))


async def _crawl(address, places):
    channel, stop, running = JobChannel(address), asyncio.Event(), set()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    while True:
        if len(running) < places and not stop.is_set() and (job := await channel.take()) is not None:
            running.add(asyncio.create_task(_do(channel, stop, job, **json.loads(job.url))))
        elif running:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        else:
            return


async def _do(channel, stop, job, *, begun="", until="", dies=False, stubborn=False, status=0):
    if begun:
        note(begun, f"{job.host} {os.getpid()}\n")
    while until and not there(until) and (stubborn or not stop.is_set()):  # noqa: ASYNC110  (another process makes it)
        await asyncio.sleep(0.01)
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)
    await channel.ended(job.site, status)


def note(path, line):
    with open(path, "a") as file:
        file.write(line)


def there(path):
    return os.path.exists(path)


def processes(*places, **more):
    there = Spawning(sys.executable)
    starting = lambda: Forking(f"{__name__}:crawl", "test", [], there)  # noqa: E731
    return Processes(places, starting, lambda address, number: [address, str(number)], **more)


def jobs(*wanted, ended=None, again=lambda: True):
    """Give one job after the other; `ended` collects (host, status)."""
    waiting = []
    for number, one in enumerate(wanted):
        host = f"{number}.example"
        message = JobMessage(number, host, json.dumps(one), "me", due=True, feed="")
        note = (lambda status, host=host: ended.append((host, status))) if ended is not None else (lambda status: None)
        waiting.append(Job(message, note, again))
    return lambda: waiting.pop(0) if waiting else None


def begun(path):
    return [line.split() for line in path.read_text().splitlines()]


def until(condition):
    """Wait for a condition. Raises AssertionError if it does not become true in time."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_every_job_has_its_own_status(tmp_path):
    ended = []
    running = processes(3, 2)
    running.run(jobs(*({"status": number % 4} for number in range(9)), ended=ended))
    assert running.results == {f"{number}.example": number % 4 for number in range(9)}
    assert dict(ended) == running.results


def test_a_process_is_started_only_for_a_job(tmp_path):
    told = str(tmp_path / "begun")
    processes(4, 4, 4).run(jobs({"begun": told}))
    assert len(begun(tmp_path / "begun")) == 1
    when_begun(tmp_path / "begun", 5, tmp_path / "go")
    processes(2, 2).run(jobs(*[{"begun": told, "until": str(tmp_path / "go")}] * 4))
    assert len({process for _, process in begun(tmp_path / "begun")[1:]}) == 2


def when_begun(path, many, then):
    """Make a file once so many jobs have begun."""
    threading.Thread(target=lambda: (until(lambda: path.exists() and len(begun(path)) >= many), then.touch())).start()


def test_the_harmless_crawl_of_a_process_that_died_ends_well(tmp_path, capfd):
    told, both, again = (tmp_path / name for name in ("begun", "both", "again"))
    when_begun(told, 2, both)
    when_begun(told, 3, again)
    running, ended = processes(2), []
    harmless, harmful = {"until": str(again), "status": 3}, {"until": str(both), "dies": True}
    running.run(jobs({"begun": str(told)} | harmless, {"begun": str(told)} | harmful, ended=ended))
    assert running.results == {"0.example": 3, "1.example": -signal.SIGKILL}
    assert (dict(ended), len(ended), len(begun(told))) == (running.results, 2, 4)
    assert len({process for _, process in begun(told)[2:]} - {process for _, process in begun(told)[:2]}) > 0
    assert "a process was ended by signal 9, with 2 crawls; each is resumed alone" in capfd.readouterr().err


def test_a_crawl_that_may_not_be_resumed_has_ended_with_its_process(tmp_path):
    running = processes(1)
    running.run(jobs({"begun": str(tmp_path / "begun"), "dies": True}, again=lambda: False))
    assert (running.results, len(begun(tmp_path / "begun"))) == ({"0.example": -signal.SIGKILL}, 1)


def test_what_the_end_of_a_job_raises_comes_after_the_others_have_ended(tmp_path):
    ended, go = [], tmp_path / "go"

    def fail(status):
        go.touch()
        raise RuntimeError("the feed is full")

    give = jobs({"until": str(go)}, {}, ended=ended)
    bad = [Job(JobMessage(77, "bad.example", "{}", "me", due=True, feed=""), fail)]
    running = processes(2)
    order = [give(), bad[0]]
    with pytest.raises(RuntimeError, match="the feed is full"):
        running.run(lambda: order.pop(0) if order else give())
    assert ended == [("0.example", 0)]
    assert running.results == {"bad.example": 0, "0.example": 0}


def interrupt(running, path, many, number, times):
    """Signal this process once so many jobs have begun, again each time after that was noticed."""

    def signals():
        until(lambda: path.exists() and len(begun(path)) >= many)
        for noticed in range(1, times + 1):
            os.kill(os.getpid(), number)
            until(lambda noticed=noticed: running.interruptions >= noticed)

    threading.Thread(target=signals, daemon=True).start()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_in_order_and_begins_no_more(tmp_path, number):
    running, told = processes(2), tmp_path / "begun"
    interrupt(running, told, 2, number, 1)
    running.run(jobs(*[{"begun": str(told), "until": str(tmp_path / "never"), "status": 3}] * 9))
    assert running.interruptions == 1
    assert running.results == {"0.example": 3, "1.example": 3}


def test_the_third_interruption_kills(tmp_path):
    running, told, ended = processes(1), tmp_path / "begun", []
    interrupt(running, told, 1, signal.SIGINT, 3)
    running.run(
        jobs({"begun": str(told), "until": str(tmp_path / "never"), "stubborn": True}, {"begun": ""}, ended=ended)
    )
    assert ended == [("0.example", -signal.SIGINT)]


class NoRoom(Forking):
    """Has no room for a process the first times."""

    def __init__(self, times):
        super().__init__(f"{__name__}:crawl", "test", [], Spawning(sys.executable))
        self.times = times

    async def start(self, arguments, *, piped):
        self.times -= 1
        if self.times >= 0:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return await super().start(arguments, piped=piped)


def test_a_process_for_which_there_is_no_room_waits_and_is_given_up_in_the_end(capfd):
    address = lambda address, number: [address, str(number)]  # noqa: E731
    running = Processes([1], lambda: NoRoom(2), address, pauses=(0, 0))
    running.run(jobs({"status": 3}))
    assert running.results == {"0.example": 3}
    ended = []
    Processes([1], lambda: NoRoom(3), address, pauses=(0, 0)).run(jobs({}, {}, ended=ended))
    assert ended == [("0.example", 1)]
    assert capfd.readouterr().err.splitlines() == [
        "sitecrawl: no process could be started (Resource temporarily unavailable); the next run tries again"
    ]
