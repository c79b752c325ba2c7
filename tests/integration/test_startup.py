"""What a crawl loads: seconds and memory that every crawl of a small site would pay."""

import os
import re
import subprocess
import sys

from tests.integration.server import SiteServer, small_site

HEAVY = (
    *("aiohttp", "alembic", "feedparser", "numpy", "psycopg", "requests", "tldextract", "yaml"),
    *("sitecrawl.evaluation", "sqlalchemy.dialects.postgresql"),
)
"""Packages that crawls of a plain site have no use for, neither the first, which makes the database, nor the second."""


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
