"""OP-54: two hundred sites in one process a core, each asked once a second."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass

from tests.drill.cases import case, check
from tests.drill.postgres import PostgreSQL
from tests.drill.workers import DELAY, Asked, add, first_processes, worker

SITES, PAGES = 200, 400
DECIDES = 128
"""Pages after which a layout decides: the setting's default."""
STARTED = 240.0
"""Seconds in which every site is asked for a page."""
WATCHED = 240.0
"""Seconds for which the rate is watched."""
LEAST_GAP, SLOWEST = 0.95, 0.9
MEMORY, START = 12.0, 0.2
"""MB a site, and CPU seconds that a site's start may take."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Use:
    """What a worker with all its processes used: CPU seconds so far, MB now, and the number of answers till then."""

    cpu: float
    memory: float
    answers: int


def family(pid):
    """A process and all its descendants."""
    found = [pid]
    for parent in found:
        told = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
        found += map(int, told.stdout.split())
    return found


def use(pid, asked):
    """The use of a process and its descendants. Memory that they share is counted once."""
    cpu, memory = 0.0, 0.0
    for one in family(pid):
        try:
            with open(f"/proc/{one}/stat") as stat:
                fields = stat.read().rpartition(")")[2].split()
            with open(f"/proc/{one}/smaps_rollup") as rollup:
                kilobytes = next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
        except (FileNotFoundError, ProcessLookupError):
            continue
        cpu += sum(map(int, fields[11:13])) / TICKS
        memory += kilobytes / 1024
    return Use(cpu, memory, sum(len(rows) for rows in list(asked.of.values())))


@case(
    "OP-54",
    f"{SITES} sites in one process a core, a second between requests",
    "rate kept, no site starved, memory and start of a site bounded",
    long=True,
)
def two_hundred_sites(room):
    asked, cores = Asked(), len(os.sched_getaffinity(0))
    with PostgreSQL(room.folder) as server, asked.sites(SITES, PAGES) as sites:
        url = server.database()
        add(url, sites)
        # What is given last counts. All layouts decide while the rate is watched, and their pages are extracted then.
        more = ("--processes", str(cores), "--sites", str(-(-SITES // cores)))
        more += ("-s", f"SITECRAWL_TEMPLATE_MIN_PAGES={DECIDES}")
        process = worker(room.folder, url, "worker", SITES, *more, machine=False, lease=120)
        try:
            begun = time.monotonic()
            while sum(len(rows) > 1 for rows in list(asked.of.values())) < SITES:
                check(process.poll() is None, "the worker ended")
                late = time.monotonic() - begun > STARTED
                check(not late, f"{len(asked.of)} of {SITES} sites were asked after {STARTED:.0f} s")
                time.sleep(0.2)
            took, started = time.monotonic() - begun, use(process.pid, asked)
            time.sleep(10)
            from_, before = time.monotonic(), use(process.pid, asked)
            time.sleep(WATCHED)
            to, after = time.monotonic(), use(process.pid, asked)
            process.send_signal(signal.SIGTERM)
            status = process.wait(60)
            drained = time.monotonic() - to
        finally:
            for one in [*first_processes(process), process.pid]:
                if process.poll() is None:
                    os.kill(one, signal.SIGKILL)
    asked.of = {name: [row for row in rows if from_ <= row[0] <= to] for name, rows in asked.of.items()}
    counts, gaps = sorted(map(len, asked.of.values())), asked.gaps()
    mean = sum(counts) / SITES
    page = (after.cpu - before.cpu) / (after.answers - before.answers)
    start = (started.cpu - page * started.answers) / SITES
    short = sum(gap < LEAST_GAP * DELAY for gap in gaps)
    figures = (
        f"{SITES} sites in {cores} processes: all asked after {took:.0f} s; {mean / WATCHED * DELAY:.0%} of the rate,"
        f" slowest {counts[0] / mean:.2f} of the mean, least gap {gaps[0]:.2f} s ({short} of {len(gaps)} under"
        f" {LEAST_GAP} s), {after.memory / SITES:.1f} MB a site, {start:.2f} CPU s a start, {page * 1000:.1f} CPU ms an"
        f" answer, {(after.cpu - before.cpu) / WATCHED:.2f} cores, drained in {drained:.1f} s"
    )
    check(status == 0, f"status {status}: {figures}")
    check(counts[0] >= SLOWEST * mean and not short, figures)
    check(after.memory <= MEMORY * SITES and start <= START, figures)
    return figures
