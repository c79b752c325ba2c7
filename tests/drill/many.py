"""OP-54: two hundred sites in one process a core, each asked once a second, in a network namespace of their own."""

import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from tests.drill.cases import ROOT, case, check
from tests.drill.own_network import own_network
from tests.drill.postgres import PostgreSQL
from tests.drill.recorded import RecordedSites
from tests.drill.workers import DELAY, Asked, add, first_processes, gaps, starts, worker

SITES, PAGES = 200, 400
DECIDES, DECIDES_RECORDED = 128, 32
"""Pages after which a layout decides: the setting's default, and less for recorded pages, which take more CPU."""
STARTED = 240.0
"""Seconds in which every site is asked for a page."""
WATCHED = 240.0
"""Seconds for which the rate is watched."""
LEAST_GAP = 0.95
SLOWEST = 0.9
"""Minimum requests to the slowest site, as a share of the mean."""
MEMORY, START, START_SHARE = 12.0, 0.2, 0.2
"""MB a site, and CPU seconds that a crawl of one page may take. On a slow machine it may take more: this share of what it
takes as a process of its own."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a worker with all its processes: CPU seconds so far, MB now, and the number of answers so far."""

    cpu: float
    memory: float
    answers: int

    def per_answer(self, earlier):
        """CPU seconds of an answer since an earlier moment."""
        return (self.cpu - earlier.cpu) / (self.answers - earlier.answers)


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


def many(room, url, name, *more):
    """A worker of as many processes as there are cores, which crawl all sites of a database at once."""
    cores = len(os.sched_getaffinity(0))
    more = ("--processes", str(cores), "--sites", str(-(-SITES // cores)), *more)  # what is given last counts
    return worker(room.folder, url, name, SITES, *more, machine=False, lease=120)


def children_cpu():
    """CPU seconds of all child processes that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start_costs(room, url, start):
    """CPU seconds that a crawl of one page takes with its start and its end: in a worker, and as a process of its own."""
    before = children_cpu()
    process = many(room, url, "starts", "--until-done", "-s", "SITECRAWL_MAX_PAGES=1")
    try:
        check(process.wait(STARTED) == 0, "the worker that crawls one page of each site failed")
    finally:
        process.kill()
    together = children_cpu()
    settings = (f"SITECRAWL_DATABASE_URL={url}", "SITECRAWL_MAX_PAGES=1", "LOG_ENABLED=False")
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={start}"]
    command += [part for setting in settings for part in ("-s", setting)]
    alone = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=STARTED)
    check(alone.returncode == 0, f"`crawl site` failed: {alone.stderr[-600:]}")
    return (together - before) / SITES, children_cpu() - together


def watch(room, url, asked, decides, costs):
    """Crawl the sites of a database while the rate of each is watched; return the figures, which are checked.

    `asked.of` has the requests of each site, seconds first. A layout decides after `decides` pages, so that all do while
    the rate is watched, and the pages that waited for it are extracted then. `costs` are those of `start_costs`.
    """
    process = many(room, url, "worker", "-s", f"SITECRAWL_TEMPLATE_MIN_PAGES={decides}")
    try:
        begun = time.monotonic()
        while sum(len(rows) > 1 for rows in list(asked.of.values())) < SITES:
            check(process.poll() is None, "the worker ended")
            late = time.monotonic() - begun > STARTED
            check(not late, f"{len(asked.of)} of {SITES} sites were asked after {STARTED:.0f} s")
            time.sleep(0.2)
        took = time.monotonic() - begun
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
    watched = {name: [row for row in rows if from_ <= row[0] <= to] for name, rows in asked.of.items()}
    counts, between = sorted(map(len, watched.values())), gaps(watched)
    mean = sum(counts) / SITES
    page, (start, alone) = after.per_answer(before), costs
    short = sum(gap < LEAST_GAP * DELAY for gap in between)
    figures = (
        f"{SITES} sites in {len(os.sched_getaffinity(0))} processes: all asked after {took:.0f} s; {mean / WATCHED * DELAY:.0%} of the rate,"
        f" slowest {counts[0] / mean:.2f} of the mean, least gap {between[0]:.2f} s ({short} of {len(between)} under"
        f" {LEAST_GAP} s), {after.memory / SITES:.1f} MB a site, {start:.2f} CPU s a crawl of one page ({alone:.2f} as a process), {page * 1000:.1f} CPU ms an"
        f" answer, {(after.cpu - before.cpu) / WATCHED:.2f} cores, drained in {drained:.1f} s"
    )
    check(status == 0, f"status {status}: {figures}")
    check(counts[0] >= SLOWEST * mean and not short, figures)
    check(after.memory <= MEMORY * SITES and start <= max(START, START_SHARE * alone), figures)
    return figures


def started_and_watched(room, server, urls, asked, decides):
    """Crawl one page of each site, and then, from another database, all their pages; return the figures."""
    first, url = server.database(), server.database()
    add(first, urls)
    costs = start_costs(room, first, urls[0])
    asked.forget()
    add(url, urls)
    return watch(room, url, asked, decides, costs)


EXPECTED = "rate kept, no site starved, memory and start of a site bounded"


@case("OP-54", f"{SITES} sites in one process a core, a second between requests", EXPECTED, long=True)
def two_hundred_sites(room):
    asked = Asked()
    with own_network(), PostgreSQL(room.folder) as server, asked.sites(SITES, PAGES) as sites:
        return started_and_watched(room, server, starts(sites), asked, DECIDES)


@case("OP-54-recorded", "the same with recorded sites (`--recorded FOLDER`)", EXPECTED, long=True)
def two_hundred_recorded_sites(room):
    asked = RecordedSites(room.recorded, SITES, PAGES, room.folder / "asked.log")
    with own_network(), PostgreSQL(room.folder) as server, asked.serve() as urls:
        return started_and_watched(room, server, urls, asked, DECIDES_RECORDED)
