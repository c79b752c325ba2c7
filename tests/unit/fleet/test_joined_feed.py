import asyncio
import json
import os
import subprocess
import sys
import threading

import pytest

from sitecrawl.errors import ConfigError, FeedFileError
from sitecrawl.fleet.joined_feed import JoinedFeed
from sitecrawl.row_files import RowsFile


def written(feed, name, text):
    """A part of a crawl that has ended."""
    part = feed.part(name)
    part.write_bytes(text)
    return part


def abandoned(feed):
    """Release the locks of a feed, as the system does for a killed run."""
    os.close(feed._hold)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_parts_are_added_whole(tmp_path):
    target = tmp_path / "feed.jsonl"
    feed = JoinedFeed(str(target), overwrite=True)
    one = written(feed, "one", b'{"a": 1}\n{"a": 2}\n')
    two = written(feed, "two", b'{"b": 1}\n{"b": ')  # its crawl was killed
    assert (feed.add(feed.part("three")), feed.rows) == (0, 3)
    assert (feed.add(two), feed.add(one)) == (0, 0)  # both were found
    assert feed.close() == []
    assert target.read_bytes() == b'{"a": 1}\n{"a": 2}\n{"b": 1}\n'
    assert names(tmp_path) == ["feed.jsonl"]


def test_overwritten_or_added_to(tmp_path):
    target = tmp_path / "feed.jl"
    for overwrite, expected in ((False, b"1\n"), (False, b"1\n1\n"), (True, b"1\n")):
        feed = JoinedFeed(str(target), overwrite=overwrite)
        assert feed.add(written(feed, "one", b"1\n")) == 1
        feed.close()
        assert target.read_bytes() == expected


def test_the_old_feed_stays_until_the_run_that_replaces_it_ends(tmp_path):
    target = tmp_path / "feed.jsonl"
    target.write_bytes(b"old\n")
    feed = JoinedFeed(str(target), overwrite=True)
    feed.add(written(feed, "one", b"1\n"))
    assert target.read_bytes() == b"old\n"
    feed.close()
    assert target.read_bytes() == b"1\n"


@pytest.mark.parametrize("overwrite", [True, False])
def test_what_a_killed_run_left_behind_is_in_the_next_feed(tmp_path, overwrite):
    target = tmp_path / "feed.jsonl"
    killed = JoinedFeed(str(target), overwrite=overwrite)
    killed.add(written(killed, "one", b"1\n"))
    written(killed, "two", b"2\n3\ncut of")
    abandoned(killed)
    feed = JoinedFeed(str(target), overwrite=overwrite)
    assert feed.rows == 2
    feed.add(written(feed, "three", b"4\n"))
    feed.close()
    assert target.read_bytes() == b"1\n2\n3\n4\n"
    assert names(tmp_path) == ["feed.jsonl"]


@pytest.mark.parametrize("added", range(0, 24, 5))
def test_a_run_that_was_killed_while_it_added_repeats_no_row(tmp_path, added):
    target, part = tmp_path / "feed.jsonl", b'{"a": 1}\n{"a": 2}\n{"a": 3}\n'
    target.write_bytes(b"before\n" + part[:added])
    killed = JoinedFeed(str(target), overwrite=False)
    abandoned(killed)
    written(killed, "one", part)
    feed = JoinedFeed(str(target), overwrite=False)
    feed.close()
    assert target.read_bytes() == b"before\n" + part


def test_a_part_that_is_still_written_is_left_to_a_later_run(tmp_path):
    """Of an orphan: its recrawl was killed, or the process that forked it."""
    target = tmp_path / "feed.jsonl"
    killed = JoinedFeed(str(target), overwrite=False)
    with RowsFile(killed.part("orphan"), overwrite=True) as orphan:
        orphan.write(b"1\n")
        abandoned(killed)
        feed = JoinedFeed(str(target), overwrite=False)
        assert feed.add(feed.part("orphan")) == 0
        orphan.write(b"2\n")
        assert feed.close() == [killed.part("orphan")]
    JoinedFeed(str(target), overwrite=False).close()
    assert target.read_bytes() == b"1\n2\n"
    assert names(tmp_path) == ["feed.jsonl"]


def test_one_run_at_a_time_replaces_a_feed_and_several_add_to_one(tmp_path, monkeypatch):
    monkeypatch.setattr("sitecrawl.fleet.joined_feed.PAUSE", 0)
    target = str(tmp_path / "feed.jsonl")
    one, other = JoinedFeed(target, overwrite=False), JoinedFeed(target, overwrite=False)
    with pytest.raises(FeedFileError, match="another recrawl writes this feed"):
        JoinedFeed(target, overwrite=True)
    one.close()
    assert other.add(written(other, "one", b"1\n")) == 1
    other.close()
    replacing = JoinedFeed(target, overwrite=True)
    with pytest.raises(FeedFileError, match="another recrawl writes this feed"):
        JoinedFeed(target, overwrite=False)
    replacing.close()


FULL = """
import json, resource, signal, sys
from sitecrawl.fleet.joined_feed import JoinedFeed
from sitecrawl.errors import FeedFileError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
feed = JoinedFeed(sys.argv[1], overwrite=False)
for number in range(3):
    rows = [json.dumps({"site": number, "row": row, "text": "x" * 500}) + chr(10) for row in range(100)]
    feed.part(str(number)).write_text("".join(rows))
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    try:
        if number == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (80_000, hard))
        print(feed.add(feed.part(str(number))))
    except FeedFileError as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
"""


def test_a_disk_that_is_full_cuts_no_line_and_repeats_no_row(tmp_path):
    target = tmp_path / "feed.jsonl"
    done = subprocess.run([sys.executable, "-c", FULL, str(target)], capture_output=True, text=True, timeout=120)
    first, refused, last = done.stdout.splitlines()
    assert (first, last) == ("100", "100"), done.stderr
    assert "could not be added (File too large); it is kept" in refused
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["site"] for row in rows] == [0] * 100 + [1] * 100 + [2] * 100
    assert [row["row"] for row in rows] == [*range(100)] * 3


def test_parts_that_are_added_at_once_are_counted_and_not_mixed(tmp_path):
    target = tmp_path / "feed.jsonl"
    feed = JoinedFeed(str(target), overwrite=False)
    parts = [feed.part(f"{number}.example") for number in range(5)]

    async def all_at_once():
        ready = threading.Barrier(len(parts))

        def end(number):
            with RowsFile(parts[number], overwrite=True) as part:
                for row in range(300):
                    part.write(b"%d %d\n" % (number, row))
                ready.wait(60)
            feed.add(parts[number])

        await asyncio.gather(*(asyncio.to_thread(end, number) for number in range(len(parts))))

    asyncio.run(all_at_once())
    feed.close()
    lines = [tuple(map(int, line.split())) for line in target.read_text().splitlines()]
    assert feed.rows == len(lines) == 1500
    order = list(dict.fromkeys(number for number, _ in lines))
    assert lines == [(number, row) for number in order for row in range(300)]


def test_standard_output(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    feed = JoinedFeed("-", overwrite=False)
    assert feed.add(written(feed, "one", b"1\n")) == 1
    feed.close()
    assert capfdbinary.readouterr().out == b"1\n"
    assert list(tmp_path.iterdir()) == []


def test_only_lines_can_be_joined(tmp_path):
    with pytest.raises(ConfigError, match=r"feed.csv: the feed of several sites is JSON lines"):
        JoinedFeed(str(tmp_path / "feed.csv"), overwrite=True)


def test_a_feed_that_cannot_be_written(tmp_path):
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("no/feed.jsonl", "folder.jsonl"):
        for overwrite in (True, False):
            with pytest.raises(FeedFileError, match="cannot be written"):
                JoinedFeed(str(tmp_path / name), overwrite=overwrite)
