"""OP-51 and OP-52: workers. Sites have loopback addresses of their own."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict

from sqlalchemy import create_engine, text

from sitecrawl.clock import now
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import SITE
from tests.drill.cases import case, check
from tests.drill.postgres import PostgreSQL
from tests.integration.server import SiteServer, small_site

DELAY, LEASE = 1.0, 10
MANY = 20
HEALTHY, FEW = 5, 15
WATCHED = 30.0
"""Seconds for which the rate is watched."""


def gaps(asked):
    """The seconds between requests to one site, shortest first; each row of a site begins with its time."""
    return sorted(b[0] - a[0] for rows in asked.values() for a, b in itertools.pairwise(rows))


class Asked:
    """The requests to each site: (time, user agent, path)."""

    def __init__(self):
        self.of = defaultdict(list)

    @contextlib.contextmanager
    def sites(self, number, pages):
        """So many sites, each at an address of its own."""
        with contextlib.ExitStack() as stack:
            yield [self._site(stack, f"127.7.{i // 250}.{i % 250 + 1}", pages) for i in range(number)]

    def _site(self, stack, address, pages):
        site = SiteServer(small_site(pages), host=address)
        handler, asked = site.server.RequestHandlerClass, self.of

        class Noting(handler):
            def do_GET(self):
                host, port = self.server.server_address[:2]
                asked[f"{host}:{port}"].append((time.monotonic(), self.headers.get("User-Agent"), self.path))
                super().do_GET()

        site.server.RequestHandlerClass = Noting
        return stack.enter_context(site)

    def gaps(self):
        """The seconds between requests to one site, shortest first."""
        return gaps(self.of)

    def forget(self):
        """Forget the requests so far."""
        self.of.clear()


def add(url, urls):
    """Add sites to a database by their start URLs, due now."""
    engine = open_database(url)
    with session_scope(engine) as session:
        for start in urls:
            SiteRepository(session).get_or_add(start.split("/")[2], start, now())
        session.execute(SITE.update().values(next_crawl_at=now()))
    engine.dispose()


def starts(sites):
    """The start URLs of made-up sites."""
    return [site.url("/index.html") for site in sites]


def worker(folder, url, name, sites, *more, machine=True, lease=LEASE):
    """A worker of one process, on a machine of its own: killing its first process kills everything on the machine."""
    settings = {
        "SITECRAWL_DATABASE_URL": url,
        "SITECRAWL_LOOPBACK_POLITENESS": True,
        "DOWNLOAD_DELAY": DELAY,
        "AUTOTHROTTLE_ENABLED": False,
        "SITECRAWL_LEASE_SECONDS": lease,
        "SITECRAWL_SECOND_FETCHES": 0,
        "SITECRAWL_TEMPLATE_MIN_PAGES": 400,  # extracting what waited is work that is not watched here
        "USER_AGENT": name,
    }
    arguments = [part for one in settings.items() for part in ("-s", "=".join(map(str, one)))]
    command = [sys.executable, "-c", "from sitecrawl.cli import main; main()", "worker", "--processes", "1"]
    command += ["--sites", str(sites), *arguments, *more]
    if machine:
        command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *command]
    with (folder / f"{name}.log").open("w") as log:
        return subprocess.Popen(command, stderr=log, start_new_session=True)


def first_processes(machine):
    """The process that a machine's end ends: its first one."""
    told = subprocess.run(["pgrep", "-P", str(machine.pid)], capture_output=True, text=True, check=False)
    return [int(number) for number in told.stdout.split()]


def overlaps(rows):
    """The number of requests of a crawl after the next crawl of the same site had begun."""
    first, last = {}, {}
    for number, (_, name, _) in enumerate(rows):
        first.setdefault(name, number)
        last[name] = number
    order = sorted(first, key=first.get)
    return sum(last[a] > first[b] for a, b in itertools.pairwise(order))


@case("OP-51", f"{MANY} sites in one process, a second between requests", "rate kept, no site starved")
def many_sites(room):
    asked = Asked()
    with PostgreSQL(room.folder) as server, asked.sites(MANY, 100) as sites:
        url = server.database()
        add(url, starts(sites))
        process = worker(room.folder, url, "worker", MANY, machine=False)
        try:
            while len(asked.of) < MANY or any(len(rows) < 5 for rows in list(asked.of.values())):
                check(process.poll() is None, "the worker ended")
                time.sleep(0.5)
            from_, to = time.monotonic(), time.monotonic() + WATCHED
            time.sleep(WATCHED)
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            status = process.wait(30)
            drained = time.monotonic() - begun
        finally:
            process.kill()
    check(status == 0, f"status {status}")
    check(drained < 12, f"it took {drained:.1f} s to end")
    asked.of = {name: [row for row in rows if from_ <= row[0] <= to] for name, rows in asked.of.items()}
    counts, gaps = sorted(map(len, asked.of.values())), asked.gaps()
    mean = sum(counts) / MANY
    check(counts[0] >= 0.8 * mean, f"the slowest site had {counts[0]} requests, the mean is {mean:.1f}")
    check(sum(gap < 0.8 * DELAY for gap in gaps) <= 0.02 * len(gaps), f"least gap {gaps[0]:.2f} s")
    rate = mean / WATCHED * DELAY
    return f"{rate:.0%} of the rate, slowest {counts[0] / mean:.2f} of the mean, least gap {gaps[0]:.2f} s, drained in {drained:.1f} s"


@case(
    "OP-52",
    "a page kills the process of 6 sites whenever it is asked for",
    "the 5 others get done, its site waits",
    long=True,  # how long the sites wait is luck: ten minutes, or more
)
def harmful_page(room):
    asked, killed = Asked(), []
    with PostgreSQL(room.folder) as server, asked.sites(HEALTHY + 1, FEW) as sites:
        url = server.database()
        add(url, starts(sites))
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        harmful = sites[0].url("/").split("/")[2]

        def kill():
            """End the process that crawls the site, as a page that breaks a library would."""
            with engine.connect() as connection:
                of_site = text("SELECT lease_owner FROM site WHERE host = :host")
                owner = connection.execute(of_site, {"host": harmful}).scalar()
            if owner is not None:
                killed.append(time.monotonic())
                os.kill(int(owner.split(":")[1]), signal.SIGKILL)
            return 500, {}, "the end"

        front = sites[0].pages["/index.html"]
        sites[0].pages["/index.html"] = front.replace("<h1>", '<p><a href="/harmful.html">A harmful page</a></p><h1>')
        sites[0].pages["/harmful.html"] = kill
        process = worker(room.folder, url, "worker", HEALTHY + 1, machine=False, lease=120)
        begun = time.monotonic()
        try:
            while True:
                time.sleep(0.5)
                with engine.connect() as connection:
                    done = connection.execute(text("SELECT count(*) FROM crawl WHERE finished_at IS NOT NULL")).scalar()
                if done >= HEALTHY:
                    break
                check(process.poll() is None, "the worker ended")
                check(time.monotonic() - begun < 3600, f"{done} of {HEALTHY} sites are done after an hour")
            took = time.monotonic() - begun
            with engine.connect() as connection:
                rows = connection.execute(
                    text(
                        "SELECT host, deaths, (SELECT count(*) FROM content c WHERE c.site_id = s.id) AS stored,"
                        " EXTRACT(EPOCH FROM next_crawl_at - now()) AS rest FROM site s"
                    )
                ).all()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
            engine.dispose()
    others = [row for row in rows if row.host != harmful]
    (dying,) = [row for row in rows if row.host == harmful]
    check([row.stored for row in others] == [FEW + 3] * HEALTHY, f"pages stored: {[row.stored for row in others]}")
    check({row.deaths for row in others} == {0}, f"deaths of the others: {[row.deaths for row in others]}")
    check(dying.deaths >= 2, f"deaths of the harmful site: {dying.deaths}")
    return (
        f"{HEALTHY} sites of {FEW + 3} pages done after {took:.0f} s and {len(killed)} kills; the harmful site has"
        f" {dying.deaths} deaths and rests for {float(dying.rest):.0f} s"
    )
