"""`make crawl`: the current state of the whole site in one file, and the changes in another."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.integration.server import SiteServer, article, small_site

ROOT = Path(__file__).parents[2]


def make_crawl(folder, url):
    """Run the recipe with the programs of these tests, without any installation."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "sitecrawl"
    program.write_text(f"#!{sys.executable}\nfrom sitecrawl.cli import main\nmain()\n")
    program.chmod(0o755)
    done = subprocess.run(
        [
            "make",
            "-f",
            str(ROOT / "Makefile"),
            "-o",
            f"{programs}/.installed",
            f"BIN={programs}",
            f"URL={url}",
            "crawl",
        ],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MAKEFLAGS": ""},
    )
    changes = [json.loads(line) for line in (folder / "changes.jsonl").read_text().splitlines()]
    return done, (folder / "feed.jsonl").read_bytes(), changes


def test_the_feed_is_the_whole_site_each_time_and_the_changes_have_a_file_of_their_own(tmp_path):
    with SiteServer(small_site(12)) as site:
        url = site.url("/index.html")
        done, first, changes = make_crawl(tmp_path, url)
        assert done.returncode == 0, done.stderr
        assert len(first.splitlines()) == len(changes) == 15
        assert "  changes       15 new, 0 changed, 0 gone" in done.stderr.splitlines()

        done, again, changes = make_crawl(tmp_path, url)
        assert done.returncode == 0, done.stderr
        assert again == first
        assert changes == []
        assert "  changes       0 new, 0 changed, 0 gone" in done.stderr.splitlines()

        site.pages["/reports/3.html"] = article(77)
        site.pages["/reports/4.html"] = (410, {}, "")
        done, now, changes = make_crawl(tmp_path, url)
    assert done.returncode == 0, done.stderr
    assert "  changes       0 new, 1 changed, 1 gone" in done.stderr.splitlines()
    assert {row["url"]: row["status"] for row in changes} == {
        site.url("/reports/3.html"): "changed",
        site.url("/reports/4.html"): "gone",
    }
    rows = {row["url"]: row["text"] for row in map(json.loads, now.splitlines())}
    assert len(rows) == 14
    assert site.url("/reports/4.html") not in rows
    assert rows[site.url("/reports/3.html")] == changes[0]["text"]
