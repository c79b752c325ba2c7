"""Compares whole crawls on loopback: sitecrawl, a bare spider, and that spider with other libraries.

    python benchmarks/crawl.py [--rounds 5] [--articles 1000] [--pages 1000] [--sites FOLDER] [--recorded FILE]
        [--postgresql URL] [--undefended] [--out FOLDER]

Another process serves the site (`crawl_server.py`). In every round each contestant crawls it once, in turn and in its
own process. sitecrawl then crawls it again twice: every response is a 304, or, after another first crawl, the server
sends no validators and every body equals the stored one. Recorded sites come first, since they resemble those of users;
the geometric mean and the minimum of their ratios are printed. The sites of FOLDER that are listed in SITES are used.
CPU seconds are those of the crawling process and its children, user and system, from start to end, including imports
and the creation of the database, without the server of PostgreSQL. The ratios "without the start" leave out the time of
a crawl of one page, which matters on small sites. Ratios are computed within a round; the table has medians, minima and
maxima over the rounds. Peers that are not installed are left out. URL is a PostgreSQL database whose user may create
databases.
"""

import argparse
import datetime as dt
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

HERE = Path(__file__).parent
PEERS = ("trafilatura", "readability", "resiliparse")
SITES = ("phila", "orangette", "zsh", "dostips_forum", "sqlalchemy", "exim", "cryptography_rtd", "boost")
"""Recorded sites of different shapes: many links, long articles, one long manual, a forum, API references, docs."""
RATIOS = ("pages_per_cpu_second", "pages_per_cpu_second_without_start", "pages_per_second", "peak_mb")


@contextmanager
def served(port: int, site: list[str]) -> Iterator[str]:
    """Serve a site in another process; yield its start URL."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "crawl_server.py"), str(port), *site], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            url = server.stdout.readline().strip() if server.stdout else ""
            if not url:
                raise SystemExit("the server did not start")
            yield url
        finally:
            server.terminate()


@contextmanager
def fresh_database(url: str) -> Iterator[str]:
    """Create an empty database on the server of a PostgreSQL URL; drop it at the end."""
    import psycopg  # noqa: PLC0415

    from sitecrawl.storage.db.engine import upgrade_database  # noqa: PLC0415

    name = f"sitecrawl_bench_{os.getpid()}"
    made = f"{url.rpartition('/')[0]}/{name}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name}")
        server.execute(f"CREATE DATABASE {name}")
        try:
            upgrade_database(made)
            yield made
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def seen(url: str) -> dict[str, int]:
    """Return the number of the server's responses since the last call, by status."""
    with urlopen(f"{'/'.join(url.split('/')[:3])}/__seen__") as answer:
        return json.load(answer)


SCRAPY = ["-m", "scrapy"]
UNDEFENDED = "sitecrawl undefended"


def run(url: str, command: list[str], folder: Path, program: list[str] = SCRAPY) -> dict[str, float]:
    """Run one crawl; return its pages, CPU and wall seconds, and peak memory in MB."""
    seen(url)
    # installed packages have byte code; a checkout makes it in its first crawl, which is not counted
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if command[0] == "crawl":
        environment["SCRAPY_SETTINGS_MODULE"] = "sitecrawl.settings"
    started = time.perf_counter()
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, *program, *command], cwd=folder, env=environment, stdout=log, stderr=log
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{(folder / 'log').read_text()[-3000:]}")
    answers = seen(url)
    pages = answers.get("200", 0) + answers.get("304", 0)
    cpu = used.ru_utime + used.ru_stime
    return {
        "pages": pages,
        "not_modified": answers.get("304", 0),
        "other_answers": sum(answers.values()) - pages,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "pages_per_cpu_second": pages / cpu,
        "pages_per_second": pages / wall,
        "peak_mb": used.ru_maxrss / 1024,
    }


def without(start: dict[str, float], crawl: dict[str, float]) -> dict[str, float]:
    """Return the figures of a crawl, with those after subtraction of `start`, a crawl of one page."""
    more = max(crawl["cpu_seconds"] - start["cpu_seconds"], 1e-3)
    return {
        **crawl,
        "start_cpu_seconds": start["cpu_seconds"],
        "start_mb": start["peak_mb"],
        "pages_per_cpu_second_without_start": (crawl["pages"] - 1) / more,
    }


def one_round(
    url: str, contestants: list[str], postgresql: str | None, plain: str | None = None
) -> dict[str, dict[str, float]]:
    """Return the figures of each contestant's crawl; `plain` is the site on a server without validators."""
    found = {}
    for name in contestants:
        with tempfile.TemporaryDirectory(prefix="sitecrawl-bench-") as made:
            folder = Path(made)
            rows = ["-O", "rows.jsonl"]
            if not name.startswith("sitecrawl"):
                command = ["runspider", str(HERE / "crawl_spider.py"), "-a", f"url={url}", *rows]
                command += ["-a", f"peer={name}"] if name in PEERS else []
                start = run(url, [*command, "-s", "CLOSESPIDER_PAGECOUNT=1"], folder)
                found[name] = without(start, run(url, command, folder))
                continue
            one = ["-a", "max_pages=1", "-s", "SITECRAWL_DATABASE_URL=sqlite:///one.db"]
            command = ["crawl", "site", "-a", f"url={url}", "-s", "SITECRAWL_PROGRESS=off", *rows]
            program = [str(HERE / "undefended.py")] if name == UNDEFENDED else SCRAPY
            start = run(url, [*command, *one], folder, program)
            if name == "sitecrawl postgresql" and postgresql is not None:
                with fresh_database(postgresql) as database:
                    found[name] = without(
                        start, run(url, [*command, "-s", f"SITECRAWL_DATABASE_URL={database}"], folder)
                    )
            else:
                command += ["-s", "SITECRAWL_DATABASE_URL=sqlite:///bench.db"]
                found[name] = without(start, run(url, command, folder, program))
            if name == "sitecrawl":
                found[f"{name} again"] = without(start, run(url, command, folder))
                if plain is not None:
                    again = ["crawl", "site", "-a", f"url={plain}", *command[4:]]
                    again[again.index("SITECRAWL_DATABASE_URL=sqlite:///bench.db")] = (
                        "SITECRAWL_DATABASE_URL=sqlite:///p.db"
                    )
                    run(plain, again, folder)
                    found[f"{name} again, no validators"] = without(start, run(plain, again, folder))
    return found


def summary(rounds: list[dict[str, dict[str, float]]]) -> dict:
    """Return each contestant's medians and its ratios to the bare spider, in the same round."""
    found: dict = {}
    for name in rounds[0]:
        own: dict = {key: round(statistics.median(one[name][key] for one in rounds), 3) for key in rounds[0][name]}
        for key in RATIOS:
            ratios = [one[name][key] / one["bare"][key] for one in rounds]
            own[f"{key}_to_bare"] = {
                "median": round(statistics.median(ratios), 3),
                "least": round(min(ratios), 3),
                "most": round(max(ratios), 3),
            }
        found[name] = own
    return found


def table(title: str, contestants: dict) -> str:
    """Return a Markdown table of ratios to the bare spider."""
    lines = [
        f"{title}\n",
        "Ratios to `bare`, least and most in brackets\n",
        "| | pages | pages per CPU second | without the start | pages per second | peak memory |",
        "|---|---|---|---|---|---|",
    ]
    for name, own in contestants.items():
        cells = []
        for key in RATIOS:
            ratio = own[f"{key}_to_bare"]
            cells.append(f"{ratio['median']:.2f} ({ratio['least']:.2f}-{ratio['most']:.2f})")
        lines.append(f"| {name} | {own['pages']:.0f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def overview(sites: dict[str, dict]) -> str:
    """Return the geometric mean and the least ratio of each contestant over some sites, as a Markdown table."""
    lines = ["| geometric mean (least) | pages per CPU second | without the start | peak memory |", "|---|---|---|---|"]
    for name in next(iter(sites.values())):
        cells = []
        for key in ("pages_per_cpu_second", "pages_per_cpu_second_without_start", "peak_mb"):
            ratios = [one[name][f"{key}_to_bare"]["median"] for one in sites.values()]
            worst = max(ratios) if key == "peak_mb" else min(ratios)
            cells.append(f"{statistics.geometric_mean(ratios):.2f} ({worst:.2f})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure all crawls, print the tables and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--articles", type=int, default=1_000, help="number of made-up articles; 0 for none")
    parser.add_argument("--pages", type=int, default=1_000, help="pages of the site with many links; 0 for none")
    parser.add_argument("--sites", type=Path, help="a folder of recorded sites; those in SITES are used")
    parser.add_argument("--recorded", type=Path, action="append", default=[], help="a recorded site; may be repeated")
    parser.add_argument("--postgresql", help="URL of a database, such as postgresql://user@host/postgres")
    parser.add_argument("--undefended", action="store_true", help="sitecrawl without its defences too (undefended.py)")
    parser.add_argument("--only", nargs="*", help="contestants beside bare")
    parser.add_argument("--port", type=int, default=8731)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    contestants = ["bare", "sitecrawl", *(["sitecrawl postgresql"] if args.postgresql else [])]
    contestants += [UNDEFENDED] if args.undefended else []
    contestants += [peer for peer in PEERS if importlib.util.find_spec(peer) is not None]
    if args.only is not None:
        contestants = ["bare", *(name for name in contestants if name in args.only)]
    files = [*([args.sites / f"{name}.jsonl.gz" for name in SITES] if args.sites else []), *args.recorded]
    recorded = {path.name.partition(".")[0]: ["--recorded", str(path.resolve())] for path in files}
    sites = dict(recorded)
    sites |= {f"made up, {args.articles} articles": ["--articles", str(args.articles)]} if args.articles else {}
    sites |= {f"made up, {args.pages} pages of links": ["--generate", str(args.pages)]} if args.pages else {}
    report: dict = {"date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), "machine": platform.platform()}
    report |= {"python": platform.python_version(), "load": os.getloadavg(), "rounds": args.rounds, "sites": {}}
    for title, site in sites.items():
        with served(args.port, site) as url, served(args.port + 1, [*site, "--no-validators"]) as plain:
            one_round(url, ["sitecrawl"], None)
            rounds = []
            for number in range(args.rounds):
                turn = number % len(contestants)  # so that no contestant is always first
                rounds.append(one_round(url, contestants[turn:] + contestants[:turn], args.postgresql, plain))
        ordered = [{name: one[name] for name in rounds[0]} for one in rounds]
        report["sites"][title] = summary(ordered)
        print(table(title, report["sites"][title]), flush=True)
    if len(recorded) > 1:
        print(overview({name: report["sites"][name] for name in recorded}))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "crawl.json").write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
