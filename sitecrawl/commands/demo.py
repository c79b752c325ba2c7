"""`scrapy demo`: crawls a small bundled website; needs no network."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from scrapy.commands import ScrapyCommand

from sitecrawl.shell.demo_site import DemoSite

SHOWN = 3
TEMPLATE_LINES = 16


class Command(ScrapyCommand):
    """Crawl a bundled website and show the result."""

    requires_crawler_process = False

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Crawl a small bundled website and show the outcome; needs no network"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve and crawl the bundled website, then show the feed and the template."""
        with tempfile.TemporaryDirectory(prefix="sitecrawl-demo-") as folder, DemoSite() as site:
            print(f"A bakery's journal is served at {site.url}; now: crawl site -a url={site.url}\n", flush=True)
            feed, database = Path(folder, "feed.jsonl"), f"SITECRAWL_DATABASE_URL=sqlite:///{folder}/demo.db"
            crawl = ["crawl", "site", "-a", f"url={site.url}", "-O", str(feed), "-s", database]
            self.exitcode = _scrapy(crawl).returncode
            if self.exitcode:
                return
            rows = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
            contents = [row for row in rows if "/journal/" in row["url"]]
            print(f"\n{len(rows)} pages are in the feed. The main content of {SHOWN} of them:\n")
            for row in contents[:SHOWN]:
                print(f"{row['title']}  ({row['kind']}, confidence {row['confidence']})\n{row['text']}\n")
            print("The template: what its pages share (pages, share, node)\n", flush=True)
            shown = _scrapy(["template", "show", urlsplit(site.url).netloc, "-s", database], capture=True)
            print("\n".join(shown.stdout.splitlines()[:TEMPLATE_LINES]))
            print('\nA search: search "lentil soup"\n', flush=True)
            print(_scrapy(["search", '"lentil soup"', "-s", database], capture=True).stdout.rstrip())
            print("\nTry next: make crawl URL=https://example.org/ -- with a website of your own")


def _scrapy(arguments: list[str], *, capture: bool = False) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    command = [sys.executable, "-m", "scrapy.cmdline", *arguments]
    return subprocess.run(command, env=environment, text=True, capture_output=capture, check=False)  # noqa: S603
