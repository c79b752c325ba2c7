import pytest

from sitecrawl.crawl.feeds import JoinedFeed
from sitecrawl.errors import ConfigError, FeedFileError


def test_parts_are_added_whole(tmp_path):
    target = tmp_path / "feed.jsonl"
    feed = JoinedFeed(str(target), overwrite=True)
    one, two = feed.part("one"), feed.part("two")
    one.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    two.write_bytes(b'{"b": 1}\n{"b": ')  # its crawl was killed
    assert (feed.add(two), feed.add(one), feed.add(feed.part("three"))) == (1, 2, 0)
    assert target.read_bytes() == b'{"b": 1}\n{"a": 1}\n{"a": 2}\n'
    feed.close()
    assert [path.name for path in tmp_path.iterdir()] == ["feed.jsonl"]


def test_overwritten_or_added_to(tmp_path):
    target = tmp_path / "feed.jl"
    for overwrite, expected in ((False, b"1\n"), (False, b"1\n1\n"), (True, b"1\n")):
        feed = JoinedFeed(str(target), overwrite=overwrite)
        feed.part("one").write_bytes(b"1\n")
        feed.add(feed.part("one"))
        assert target.read_bytes() == expected


def test_parts_that_were_not_added_are_kept(tmp_path):
    feed = JoinedFeed(str(tmp_path / "feed.jsonl"), overwrite=True)
    feed.part("one").write_bytes(b"1\n")
    feed.close()
    assert [part.name for part in JoinedFeed(str(tmp_path / "feed.jsonl"), overwrite=True).left()] == ["one.jsonl"]


def test_standard_output(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    feed = JoinedFeed("-", overwrite=False)
    feed.part("one").write_bytes(b"1\n")
    assert feed.add(feed.part("one")) == 1
    feed.close()
    assert capfdbinary.readouterr().out == b"1\n"
    assert list(tmp_path.iterdir()) == []


def test_only_lines_can_be_joined(tmp_path):
    with pytest.raises(ConfigError, match=r"feed.csv: the feed of several sites is JSON lines"):
        JoinedFeed(str(tmp_path / "feed.csv"), overwrite=True)


def test_a_feed_that_cannot_be_written(tmp_path):
    with pytest.raises(FeedFileError, match="cannot be written"):
        JoinedFeed(str(tmp_path / "no" / "feed.jsonl"), overwrite=True)
