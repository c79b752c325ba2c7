"""OP-20 to OP-24 and OP-41 to OP-48: the machine, its files, settings and environment."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from tests.drill.cases import ROOT, NotPossible, case, check, need_root, tested
from tests.drill.crawls import CONCURRENCY, Crawling
from tests.drill.site import DrillSite

PAGES = 200


def limited(room, limit):
    """Crawl a site in a shell that has set a limit; return how it ended."""
    with DrillSite(PAGES) as site:
        crawling = Crawling(site.url, room.folder, before=("sh", "-c", f'ulimit {limit}; exec "$@"', "sh"))
        ended = crawling.run(200).clean()
        check(ended.code == 0, f"ulimit {limit}: status {ended.code}: {ended.said[-800:]}")
        crawling.whole(PAGES)
        return ended


@case("OP-20", "the whole bad web with ulimit -v of 1.5 GB", "all good pages are stored, no traceback")
def little_memory(room):
    command = (
        f"ulimit -v 1572864; exec {sys.executable} -m pytest -q -p no:cacheprovider -m badweb --basetemp '{room.folder}/pytest'"
        " tests/integration/test_badweb.py -k 'good_page or every_url or traceback or forbidden'"
    )
    said = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=500)
    last = said.stdout.strip().splitlines()[-1] if said.stdout.strip() else said.stderr[-300:]
    check(said.returncode == 0, f"{last}: {said.stdout[-1500:]}")
    return last.strip("= ").partition(" in ")[0]


@case("OP-20-site", "a normal site with ulimit -v of 1.5 GB", "all pages are stored")
def site_in_little_memory(room):
    ended = limited(room, "-v 1572864")
    return f"{PAGES}/{PAGES} pages, {ended.megabytes:.0f} MB resident at most"


@case("OP-21", "ulimit -n 64", "no crash")
def few_files(room):
    ended = limited(room, "-n 64")
    return f"{PAGES}/{PAGES} pages in {ended.seconds:.0f} s with {CONCURRENCY} requests at a time"


@case(
    "OP-22",
    "the database is in a read-only file system",
    "one clear line at the start",
)
def read_only(room):
    need_root()
    with DrillSite(20) as site:
        crawling = Crawling(site.url, room.folder)
        check(crawling.run().code == 0, "the first crawl failed")
        disk = room.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(disk)], check=False).returncode:
            raise NotPossible("A DISK COULD NOT BE MOUNTED: mount needs a privilege that this root has not")
        try:
            shutil.copy(crawling.path(), disk)
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            crawling.database = f"sqlite:///{disk}/drill.db"
            site.forget()
            ended = crawling.run(60).clean()
            check(ended.code == 1, f"status {ended.code}: {ended.said[-400:]}")
            line = ended.line("cannot be written")
            check(not site.log, "the site was asked")
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=True)
    return line.rpartition("drill.db: ")[2]


def overwritten(path, offset, size, byte):
    content = bytearray(path.read_bytes())
    content[offset : offset + size] = bytes((byte,)) * size
    path.write_bytes(content)
    return bytes(content)


@case(
    "OP-23",
    "4 KB of the SQLite file are overwritten, at 6 random places and at its start",
    "refused, file kept as it is",
)
def damaged(room):
    with DrillSite(120) as site:
        crawling = Crawling(site.url, room.folder)
        check(crawling.run().code == 0, "the first crawl failed")
        path = Path(crawling.path())
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        whole = path.read_bytes()
        refused = unnoticed = 0
        places = [0, *(4096 * room.random.randrange(1, len(whole) // 4096) for _ in range(6))]
        for place in places:
            path.write_bytes(whole)
            for log in (path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
                log.unlink(missing_ok=True)
            content = overwritten(path, place, 4096, room.random.randrange(1, 255))
            with closing(sqlite3.connect(path)) as connection:
                try:
                    harmless = connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                except sqlite3.DatabaseError:
                    harmless = False
            ended = crawling.run(100).clean()
            if harmless:  # a free page, or the inside of a text: SQLite has no checksums
                unnoticed += 1
                check(ended.code == 0, f"at {place}: status {ended.code}: {ended.said[-300:]}")
                continue
            refused += 1
            check(ended.code == 1, f"at {place}: status {ended.code}: {ended.said[-500:]}")
            ended.line("damaged")
            check(path.read_bytes() == content, f"at {place}: the file was changed")
        path.write_bytes(whole)
    return f"{refused} of {len(places)} refused with status 1 and left alone; {unnoticed} hit what no structure needs"


tested(
    "OP-24",
    "older and newer schemas",
    "older: migrated (SQLite) or told how; newer: refused",
    "tests/migrations/test_migrations.py",
    "tests/unit/storage/db/test_engine_files.py",
    "tests/integration/test_database.py",
)
tested(
    "OP-41",
    "titles with line breaks and escape sequences, in log and terminal",
    "one line an event, no escapes",
    "tests/integration/test_badweb.py::test_the_log_has_no_traceback",
)


@case("OP-42", "HTTP_PROXY, .netrc, SSLKEYLOGFILE in the environment", "no credentials are sent to the site")
def environment(room):
    home = room.folder / "home"
    home.mkdir()
    (home / ".netrc").write_text("machine 127.0.0.1 login operator password secret\n")
    (home / ".netrc").chmod(stat.S_IRUSR | stat.S_IWUSR)
    with DrillSite(30) as site:
        crawling = Crawling(site.url, room.folder)
        crawling.environment = {"HOME": str(home), "SSLKEYLOGFILE": str(room.folder / "keys")}
        ended = crawling.run(60).clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-300:]}")
        crawling.whole(30)
        sent = [headers for headers in site.headers if {"authorization", "cookie"} & {name.lower() for name in headers}]
        check(not sent, f"{len(sent)} requests carry credentials: {sent[:1]}")
    with DrillSite(30) as site, DrillSite(30) as proxy:
        (room.folder / "proxied").mkdir()
        crawling = Crawling(site.url, room.folder / "proxied")
        crawling.environment = {"http_proxy": f"http://user:secret@127.0.0.1:{proxy.port}"}
        plain = proxy.answer
        proxy.answer = lambda url: plain(urlsplit(url).path)
        ended = crawling.run(60).clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-300:]}")
        crawling.whole(30)
        through = sum("Proxy-Authorization" in headers for headers in proxy.headers)
        leaked = [headers for headers in site.headers if "Proxy-Authorization" in headers]
        check(not leaked, "the proxy's password went to the site")
        check(not site.log, f"{len(site.log)} requests went past the proxy")
    return f"30 pages without credentials; with http_proxy {through} requests went through it, 0 past it"


@case("OP-43", "LANG=C, messages and feed into a pipe, titles in many scripts", "no UnicodeEncodeError")
def plain_language(room):
    with DrillSite(20) as site:
        for number in range(20):
            html = site.article(number).replace(f"Report {number}", f"Bericht größer 報告 отчёт 🦊 {number}")
            site.instead[f"/a/{number}"] = (200, {}, html)
        crawling = Crawling(site.url, room.folder)
        crawling.environment = {
            "LANG": "C",
            "LC_ALL": "C",
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
            "PYTHONIOENCODING": "ascii",
        }
        ended = crawling.run(60, LOG_LEVEL="DEBUG").clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-400:]}")
        check("UnicodeEncodeError" not in ended.said, "UnicodeEncodeError")
        titles = [row["title"] for row in crawling.rows()]
        check(len(titles) == 20 and all("報告 отчёт 🦊" in title for title in titles), f"titles: {titles[:2]}")
        environment = {**os.environ, **crawling.environment}
        flags = ["-s", f"SITECRAWL_DATABASE_URL={crawling.database}"]
        host = f"127.0.0.1:{site.port}"
        for command in (["pages", host], ["search", "größer"], ["template", "show", host]):
            program = [sys.executable, "-c", "from sitecrawl.cli import main; main()", *command, *flags]
            said = subprocess.run(program, env=environment, cwd=room.folder, capture_output=True, timeout=60)
            check(b"Traceback" not in said.stderr, f"{command}: {said.stderr[-400:]!r}")
            check(said.returncode == 0, f"{command}: {said.returncode} {said.stderr[-300:]!r}")
    return "20/20 rows whole; pages, search and template print without an error"


@case("OP-44", "data folder with spaces, letters of the world, 200 characters", "works")
def odd_folder(room):
    folder = room.folder / ("größe & données 数据 'x' " + "long " * 32).strip()
    folder.mkdir()
    with DrillSite(30) as site:
        crawling = Crawling(site.url, folder)
        ended = crawling.run(60).clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-400:]}")
        crawling.whole(30)
        check(len(crawling.rows()) == 30, "the feed is not whole")
    return f"a path of {len(str(folder))} characters; 30/30 pages"


WRONG = (
    ({"SITECRAWL_NO_SUCH": "1"}, "unknown setting"),
    ({"SITECRAWL_MAX_PAGES": "many"}, "it takes a whole number"),
    ({"SITECRAWL_TEMPLATE_DRIFT": "7"}, "from 0 to 1"),
    ({"SITECRAWL_EXTRACTOR": "magic"}, "magic"),
    ({"SITECRAWL_EXTRACTOR_OPTIONS": "{broken"}, "it takes a JSON object"),
    ({"SITECRAWL_DATABASE_URL": "mysql://x/y"}, "SITECRAWL_DATABASE_URL"),
    ({"SITECRAWL_OVERRIDES": "no/such/folder"}, "no/such/folder"),
    ({"SITECRAWL_ALLOWED_ADDRESSES": "everything"}, "SITECRAWL_ALLOWED_ADDRESSES"),
    ({"CONCURRENT_REQUESTS": "eight"}, "CONCURRENT_REQUESTS"),
    ({"DOWNLOAD_DELAY": "soon"}, "DOWNLOAD_DELAY"),
    ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL"),
)


@case("OP-46", "broken settings: unknown, of the wrong type, out of bounds, missing files", "one clear line, status 2")
def broken_settings(room):
    wrong = []
    with DrillSite(3) as site:
        for settings, words in WRONG:
            crawling = Crawling(site.url, room.folder)
            ended = crawling.run(60, **settings)
            lines = [line for line in ended.said.splitlines() if line.startswith("sitecrawl: ")]
            if ended.code != 2 or "Traceback" in ended.said or len(lines) != 1 or words not in lines[0]:
                wrong.append(f"{settings}: status {ended.code}: {ended.said.strip()[-200:]}")
        check(not site.log, "the site was asked")
    check(not wrong, "; ".join(wrong))
    return f"{len(WRONG)} of {len(WRONG)}"


FLOORS = ("scrapy", "twisted", "lxml", "protego")


@case("OP-48", "older Scrapy, Twisted, lxml, Protego than the floors", "a crawl refuses to start, status 2")
def floors(room):
    said = []
    with DrillSite(3) as site:
        for name in FLOORS:
            crawling = Crawling(site.url, room.folder)
            crawling.environment = {"PYTHONPATH": f"{ROOT}", "DRILL_OLD": name}
            crawling.before = ()
            hook = room.folder / "sitecustomize.py"
            hook.write_text(
                "import importlib.metadata as m, os\nplain = m.version\n"
                "m.version = lambda name: '0.1' if name.lower() == os.environ.get('DRILL_OLD') else plain(name)\n"
            )
            crawling.environment["PYTHONPATH"] = os.pathsep.join((str(room.folder), str(ROOT)))
            ended = crawling.run(60).clean()
            check(ended.code == 2, f"{name} 0.1: status {ended.code}: {ended.said[-400:]}")
            said.append(ended.line("0.1").partition("; ")[0].removeprefix("sitecrawl: "))
        check(not site.log, "the site was asked")
    return f"refused: {', '.join(FLOORS)} (here {', '.join(metadata.version(name) for name in FLOORS)})"


@case("OP-45", "soak: 20,000 pages", "less than 50 MB more after the first 2,000", long=True)
def soak(room):
    with DrillSite(20_000, size=6) as site:
        crawling = Crawling(site.url, room.folder)
        process = crawling.start(EXTENSIONS='{"tests.drill.faults.Memory": 1}')
        ended = crawling.wait(process, 3600).clean()
        check(ended.code == 0, f"status {ended.code}: {ended.said[-500:]}")
        crawling.whole(20_000)
        lines = (room.folder / "memory").read_text().split()
        points = [tuple(map(int, line.split(","))) for line in lines]
        first = max(megabytes for answers, megabytes in points if answers <= 2000)
        most = max(megabytes for _, megabytes in points)
        check(most - first < 50, f"{first} MB after 2,000 pages, {most} MB at most")
    return f"{first} MB after 2,000 pages, {most} MB at most (+{most - first}), 20,000/20,000 pages in {ended.seconds:.0f} s"


tested(
    "OP-40",
    "searches for %, _, quotes, *, NEAR(, SQL, 10 KB, NUL, emoji",
    "no SQL or full-text error",
    "tests/unit/storage/search/test_repository.py",
)
