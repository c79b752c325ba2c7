"""Measures the cost of a crawl by the pages of a site, the sites of a database, and the number of concurrent crawls.

    python benchmarks/growth.py pages [--pages 100000]
    python benchmarks/growth.py sites [--sites 10000]
    python benchmarks/growth.py at-once [--pages 300] [--processes 1 2 4]
    python benchmarks/growth.py recrawl [--pages 40] [--sites 16]

`pages` crawls one made-up site, whose pages another process makes as they are requested. At 10^2, 10^3, ... pages it
reads the CPU seconds, the resident memory and the file size of the crawling process; the seconds per page are those of
the second half of each step. `sites` crawls a site of 30 pages into databases that already contain 1, 10^2, ... sites:
copies of the rows of a crawled site, without the search. `at-once` crawls several sites into one database at once: in
one process, then each in its own. A crawl before that creates the database. `recrawl` crawls sites and then crawls them
again in two ways, where every response is a 304: with `crawl site` for each, and with one `recrawl` for all.
"""

import argparse
import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from synthetic import page

NODES = 300
"""Nodes of a page."""
SMALL = 30
"""Pages of the site that is crawled into databases of many sites."""
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
LINK = re.compile(r'href="/[a-z0-9-]+/(?:page-)?(\d+)\.html"|href="/imprint\.html"')


class Sample(NamedTuple):
    """The CPU time and memory that a crawl has used after a number of requests."""

    pages: int
    cpu: float
    resident: float
    """MB."""


def made(number: int, count: int) -> bytes:
    """Return a page: two links to pages not seen yet, a menu, and links to any earlier page."""

    def target(found: re.Match[str]) -> str:
        return f'href="/{int(found[1] or 0) * 7919 % (number + 1)}.html"'

    new = "".join(f'<a href="/{one}.html">{one}</a> ' for one in (2 * number + 1, 2 * number + 2) if one < count)
    return LINK.sub(target, page(NODES, number)).replace("</main>", f"<p>{new}</p></main>").encode()


async def serve(port: int, count: int) -> None:
    """Serve until killed; `/__asked__` returns the number of requested pages."""
    asked = 0

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        try:
            while line := await reader.readline():
                path = line.split(b" ")[1].decode("latin-1")
                known = False
                while header := (await reader.readline()).strip():
                    known = known or header.lower().startswith(b"if-none-match:")
                number = path[1:].removesuffix(".html")
                body, status = b"", 404
                if path == "/__asked__":
                    body, status = str(asked).encode(), 200
                elif number.isdecimal() and int(number) < count:
                    body, status = (b"", 304) if known else (made(int(number), count), 200)
                    asked += 1
                head = (
                    f"HTTP/1.1 {status} Answer\r\nContent-Length: {len(body)}\r\nContent-Type: text/html; charset=utf-8"
                    f'\r\nETag: "{number}"'
                )
                writer.write(f"{head}\r\n\r\n".encode() + body)
                await writer.drain()
        except (ConnectionError, IndexError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "0.0.0.0", port)  # each site has another address in 127.0.0.0/8
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def served(port: int, count: int) -> Iterator[None]:
    """Serve a site in another process."""
    command = [sys.executable, __file__, "serve", str(port), str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            if not server.stdout or server.stdout.readline().strip() != "ready":
                raise SystemExit("the server did not start")
            yield
        finally:
            server.terminate()


def environment() -> dict[str, str]:
    """Return the environment of a crawl, in which Python may write byte code, as an installed package has it."""
    own = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    own.pop("PYTHONDONTWRITEBYTECODE", None)
    return own


def crawl(folder: Path, address: str, database: Path) -> subprocess.Popen[bytes]:
    """Start a crawl of the site at an address."""
    settings = [f"SITECRAWL_DATABASE_URL=sqlite:///{database}", "SITECRAWL_PROGRESS=off", "DEPTH_LIMIT=0"]
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url=http://{address}/0.html"]
    command += ["-O", f"{address.replace(':', '_')}.jsonl", *(part for one in settings for part in ("-s", one))]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment(), stdout=log, stderr=log)


def crawl_in_one(folder: Path, addresses: list[str], database: Path) -> subprocess.Popen[bytes]:
    """Start one process that crawls several sites."""
    with (folder / "log").open("ab") as log:
        command = [sys.executable, __file__, "crawl", str(database), *addresses]
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)


def run_in_one(database: str, addresses: list[str]) -> int:
    """Crawl several sites in this process; return 0 if all of them ended well."""
    from scrapy.crawler import AsyncCrawlerProcess, Crawler  # noqa: PLC0415
    from scrapy.settings import Settings  # noqa: PLC0415

    from sitecrawl.spiders.site import SiteSpider  # noqa: PLC0415

    project = Settings()
    project.setmodule("sitecrawl.settings", priority="project")
    process, crawlers = AsyncCrawlerProcess(project), []
    for address in addresses:
        own = {
            "SITECRAWL_DATABASE_URL": f"sqlite:///{database}",
            "SITECRAWL_PROGRESS": "off",
            "DEPTH_LIMIT": 0,
            "FEEDS": {f"{address.replace(':', '_')}.jsonl": {"format": "jsonlines", "overwrite": True}},
        }
        settings = project.copy()
        settings.setdict(own, priority="cmdline")
        crawlers.append(Crawler(SiteSpider, settings))
        process.crawl(crawlers[-1], url=f"http://{address}/0.html")
    process.start()
    outcomes = [getattr(crawler.spider, "outcome", "not begun") for crawler in crawlers]
    print(*outcomes)
    return int(set(outcomes) != {"finished"})


def used(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Return the CPU seconds and the resident MB of a running process."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS, int(fields[21]) * PAGE / 2**20


def ended(folder: Path, process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Wait for a crawl; return its CPU seconds and its peak memory in MB. Raises SystemExit when it failed."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a crawl failed:\n{(folder / 'log').read_text()[-3000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def asked(port: int) -> int:
    """Return how many pages were requested."""
    from urllib.request import urlopen  # noqa: PLC0415

    with urlopen(f"http://127.0.0.1:{port}/__asked__") as answer:
        return int(answer.read())


def pages(folder: Path, port: int, count: int) -> Iterator[dict[str, float]]:
    """Crawl one site of `count` pages; yield the figures at each power of ten."""
    marks = sorted({mark for power in range(2, 9) for mark in (10**power // 2, 10**power) if mark <= count})
    found: dict[int, Sample] = {}
    database = folder / "growth.db"
    with served(port, count):
        process = crawl(folder, f"127.0.0.1:{port}", database)
        while process.poll() is None and len(found) < len(marks):
            time.sleep(0.05)
            now = asked(port)
            for mark in marks:
                if mark <= now and mark not in found:
                    found[mark] = Sample(now, *used(process))
                    file = sum(one.stat().st_size for one in folder.glob("growth.db*")) / 2**20
                    half, whole = found.get(mark // 2), found[mark]
                    if half is not None and str(mark).strip("0") == "1":
                        seconds = (whole.cpu - half.cpu) / max(whole.pages - half.pages, 1)
                        yield {"pages": mark, "cpu_ms_a_page": 1e3 * seconds, "mb": whole.resident, "file_mb": file}
        ended(folder, process)


def multiply(database: Path, sites: int) -> None:
    """Copy the rows of the first site of a database until it contains `sites` sites."""
    connection = sqlite3.connect(database)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names}
    (last,) = connection.execute("SELECT max(id) FROM site").fetchone()
    (held,) = connection.execute("SELECT count(*) FROM site").fetchone()
    (crawls,) = connection.execute("SELECT max(id) FROM crawl").fetchone()
    own = ", ".join(name for name in columns["site"] if name not in ("id", "host"))
    for more in range(last + 1, last + 1 + sites - held):
        connection.execute(
            f"INSERT INTO site (id, host, {own}) SELECT ?, ?, {own} FROM site WHERE id = 1", (more, f"{more}.test")
        )
        for name in names:
            if "site_id" not in columns[name] or name in ("search", "sink"):
                continue
            chosen = ", ".join(
                {"site_id": str(more), "id": f"id + {crawls * more}"}.get(one, f'"{one}"') for one in columns[name]
            )
            connection.execute(f"INSERT INTO {name} SELECT {chosen} FROM {name} WHERE site_id = 1")
    connection.commit()
    connection.close()


def sites(folder: Path, port: int, most: int) -> Iterator[dict[str, float]]:
    """Crawl a small site into a database of 1, 10^2, ... sites; yield the figures of each crawl."""
    database = folder / "sites.db"
    with served(port, SMALL):
        ended(folder, crawl(folder, f"127.0.0.1:{port}", database))
        for power in range(0, 9, 2):
            if 10**power > most:
                break
            multiply(database, 10**power)
            cpu, peak = ended(folder, crawl(folder, f"127.0.0.{2 + power}:{port}", database))
            yield {"sites": 10**power, "cpu_s": cpu, "peak_mb": peak, "file_mb": database.stat().st_size / 2**20}


def at_once(folder: Path, port: int, count: int, numbers: list[int]) -> Iterator[dict[str, float]]:
    """Crawl sites at once, in one process and each in its own; yield the pages per second of all."""
    with served(port, count):
        for number in numbers:
            for processes in sorted({1, number}):
                database = folder / f"{number}-{processes}.db"
                ended(folder, crawl(folder, f"127.1.{number}.{processes}:{port}", database))  # makes the database
                addresses = [f"127.{2 + processes}.{number}.{one}:{port}" for one in range(1, number + 1)]
                started, before = time.perf_counter(), asked(port)
                if processes == number:
                    running = [crawl(folder, address, database) for address in addresses]
                else:
                    running = [crawl_in_one(folder, addresses, database)]
                cpu = sum(ended(folder, one)[0] for one in running)
                seconds, got = time.perf_counter() - started, asked(port) - before
                yield {
                    "sites": number,
                    "processes": processes,
                    "pages": got,
                    "pages_a_second": got / seconds,
                    "cpu_ms_a_page": 1e3 * cpu / got,
                }


def recrawl(folder: Path, port: int, count: int, number: int) -> Iterator[dict[str, float | str]]:
    """Crawl sites, then crawl them again, each by itself and all with one command; yield the figures per site."""
    database = folder / "recrawl.db"
    addresses = [f"127.9.0.{one}:{port}" for one in range(1, number + 1)]
    with served(port, count):
        for way in ("first", "crawl site", "recrawl"):
            started, before = time.perf_counter(), asked(port)
            if way == "recrawl":
                settings = ("-s", f"SITECRAWL_DATABASE_URL=sqlite:///{database}", "-s", "SITECRAWL_PROGRESS=off")
                command = [sys.executable, "-m", "scrapy", "recrawl", *settings, "-O", "all.jsonl"]
                with (folder / "log").open("ab") as log:
                    running = subprocess.Popen(command, cwd=folder, env=environment(), stdout=log, stderr=log)
                cpu, _ = ended(folder, running)
            else:
                cpu = sum(ended(folder, crawl(folder, address, database))[0] for address in addresses)
            seconds, got = time.perf_counter() - started, asked(port) - before
            yield {
                "way": way,
                "sites": number,
                "pages": got,
                "cpu_s_a_site": cpu / number,
                "seconds_a_site": seconds / number,
            }


def main() -> int:
    """Run the chosen measurement, and print each result as a line of JSON."""
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2]), int(sys.argv[3])))
        return 0
    if sys.argv[1:2] == ["crawl"]:
        return run_in_one(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pages", "sites", "at-once", "recrawl"))
    parser.add_argument("--pages", type=int)
    parser.add_argument("--sites", type=int)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--port", type=int, default=8732)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sitecrawl-growth-") as made_folder:
        folder = Path(made_folder)
        if args.what == "pages":
            rows = pages(folder, args.port, args.pages or 100_000)
        elif args.what == "sites":
            rows = sites(folder, args.port, args.sites or 10_000)
        elif args.what == "recrawl":
            rows = recrawl(folder, args.port, args.pages or 40, args.sites or 16)
        else:
            rows = at_once(folder, args.port, args.pages or 300, args.processes)
        found = []
        for row in rows:
            found.append({name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()})
            print(json.dumps(found[-1]), flush=True)
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / f"growth-{args.what}.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
