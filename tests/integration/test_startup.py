"""Tests of the imports of a crawl: each costs seconds and memory in every crawl of a small site."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.preload import PRELOADED
from tests.integration.server import SiteServer, article, small_site

HEAVY = (
    *("aiohttp", "alembic", "feedparser", "numpy", "psycopg", "requests", "tldextract", "yaml"),
    *("sitecrawl.evaluation", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm"),
)
"""Packages that crawls of a plain site must not import: neither the first, which creates the database, nor the second."""


def test_a_crawl_loads_no_package_that_it_does_not_use(tmp_path):
    command = [sys.executable, "-X", "importtime", "-m", "scrapy", "crawl", "site", "-O", "feed.jsonl"]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    with SiteServer(small_site()) as site:
        for _ in range(2):
            done = subprocess.run(
                [*command, "-a", f"url={site.url('/index.html')}"],
                capture_output=True,
                text=True,
                timeout=120,
                env=environment,
                cwd=tmp_path,
            )
            assert done.returncode == 0, done.stderr
            loaded = set(re.findall(r"^import time:.*\|\s*([\w.]+)$", done.stderr, re.MULTILINE))
            assert "sqlalchemy" in loaded
            assert sorted(loaded.intersection(HEAVY)) == []


def test_what_a_setting_turns_on_is_there(tmp_path):
    script = (
        "from scrapy.settings import Settings;"
        " from sitecrawl.addon import SWITCHED, SitecrawlAddon;"
        " made = [Settings({switch: on for switch in SWITCHED}) for on in (True, False)];"
        " [SitecrawlAddon().update_settings(one) for one in made];"
        " print([[path in one.getdict(base) for base, path in SWITCHED.values()] for one in made])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.stdout.strip() == "[[True, True], [False, False]]", done.stderr


def forked():
    """Crawl in a forked process, and write down what it had still to import."""
    from scrapy.cmdline import execute

    before = set(sys.modules)
    try:
        execute()
    finally:
        Path("imported.txt").write_text("\n".join(sorted(set(sys.modules) - before)))


async def status_of(arguments):
    """Fork a crawl, and return its exit status."""
    starting = Forking(f"{__name__}:forked", "scrapy", PRELOADED, Spawning("false"))
    try:
        return await (await starting.start(arguments, piped=False)).wait()
    finally:
        await starting.close()


LATE = ("twisted.internet.reactor", "encodings.", "__mp_main__", "concurrent.futures.thread", "psycopg", "migrations")
"""Modules that a forked crawl may import: those bound to its process, and those that not every crawl needs."""


def test_a_forked_crawl_finds_everything_imported(tmp_path, monkeypatch):
    """A later import would cost time in every crawl, and memory that the processes do not share."""
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    monkeypatch.chdir(tmp_path)
    with SiteServer(small_site()) as site:
        arguments = ["crawl", "site", "-a", f"url={site.url('/index.html')}", "-O", "feed.jsonl"]
        for _ in range(2):
            assert asyncio.run(status_of(arguments)) == 0
            site.pages["/reports/3.html"] = article(77)
    late = Path("imported.txt").read_text().split()
    assert "twisted.internet.reactor" in late  # a reactor cannot be shared
    assert [name for name in late if not name.startswith(LATE)] == []
    assert "changed" in Path("feed.jsonl").read_text()
