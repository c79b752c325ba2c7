"""Feeds of crawls that are killed, few kills of the drill's case OP-49; and feeds that cannot be stored."""

import json
import random
import subprocess

from sitecrawl.shell.feed_export import WholeRowsStorage
from tests import fork
from tests.drill.cases import ROOT, Room
from tests.drill.feeds import feeds_of_killed_runs
from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import command, crawl, environment


def test_no_change_is_lost_and_no_line_cut(tmp_path):
    room = Room(tmp_path, random.Random(1))
    said = feeds_of_killed_runs(room, lambda name: f"sqlite:///{tmp_path}/{name}.db", kills=1, pages=40)
    assert said.count("kills") == 3


class Refusing(WholeRowsStorage):
    """Takes the rows, and cannot keep them."""

    def store(self, file):
        file.close()
        raise OSError(28, "No space left on device")


def test_a_crawl_whose_feed_cannot_be_stored_is_not_finished_and_gives_its_rows_again(
    tmp_path, sqlite_url, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    storages = json.dumps({"file": f"{__name__}.Refusing", "": f"{__name__}.Refusing"})
    with SiteServer(small_site(12)) as site:
        url = site.url("/index.html")
        refused, _ = crawl(url, tmp_path, sqlite_url, "-s", f"FEED_STORAGES={storages}")
        assert refused.returncode == 3, refused.stderr
        assert "stopped: the feed cannot be written (it could not be stored; the log says why)" in refused.stderr
        assert (
            "  crawl         1 is not finished; the same command resumes it, and emits its rows again" in refused.stderr
        )
        site.log.clear()
        done, rows = crawl(url, tmp_path, sqlite_url)
        assert done.returncode == 0, done.stderr
        assert f"resuming crawl 1 of {url}, begun " in done.stderr
        assert len(rows) == 15
        assert [path for path in site.log if path.endswith(".html")] == []


def test_a_feed_without_rows_yet_is_not_overwritten_by_another_crawl(tmp_path):
    feed = tmp_path / "feed.jsonl"
    feed.write_text('{"id": "old"}\n')
    with SiteServer(small_site(12)) as site:
        url = site.url("/index.html")
        site.hold(3)
        first = fork.Popen(
            command(url, feed, f"sqlite:///{tmp_path}/first.db"),
            env=environment(),
            cwd=tmp_path,
            stderr=subprocess.DEVNULL,
        )
        site.wait(3, first)
        assert feed.read_text() == '{"id": "old"}\n'
        second, _ = crawl(url, tmp_path, f"sqlite:///{tmp_path}/second.db")
        assert second.returncode == 2
        assert "feed.jsonl: the feed cannot be written (another process writes to it)" in second.stderr
        site.hold(None)
        assert first.wait(timeout=600) == 0
    assert len(feed.read_text().splitlines()) == 15
