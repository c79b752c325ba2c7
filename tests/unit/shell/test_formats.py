"""Tests of writing an export: it is written whole, or not at all."""

import os
from pathlib import Path

import pytest

from sitecrawl.errors import ConfigError, FeedFileError
from sitecrawl.shell.formats import MARK, format_of, new_file, new_folder


@pytest.mark.parametrize(
    ("target", "asked", "form"),
    [
        *((None, None, "jsonl"), ("a.csv", None, "csv"), ("a.PARQUET", None, "parquet"), ("a.jl", None, "jsonl")),
        *(("a.csv", "jsonl", "jsonl"), ("a", None, "jsonl"), ("pages", "md", "md")),
    ],
)
def test_the_format_follows_the_name_unless_it_is_asked_for(target, asked, form):
    assert format_of(target, asked) == form


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    target = tmp_path / "feed.jsonl"
    target.write_text("old")
    target.chmod(0o640)
    with new_file(target) as file:
        file.write(b"new")
        assert target.read_text() == "old"
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o640)
    with pytest.raises(RuntimeError), new_file(target) as file:
        file.write(b"newer")
        raise RuntimeError
    full = pytest.raises(FeedFileError, match=r"feed.jsonl: the export cannot be written \(No space left on device\)")
    with full, new_file(target):
        raise OSError(28, os.strerror(28))
    assert target.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["feed.jsonl"]


def test_a_link_is_followed_and_a_device_written_to(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "feed.jsonl")
    with new_file(tmp_path / "link") as file:
        file.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "feed.jsonl").read_bytes() == b"x"
    with new_file(Path(os.devnull)) as file:
        file.write(b"x")
    assert not Path(os.devnull).is_file()


def test_a_folder_takes_its_place_when_it_is_whole(tmp_path):
    target = tmp_path / "pages"
    for name in ("one", "two"):
        with new_folder(target) as folder:
            (folder / name).write_text("")
    with pytest.raises(RuntimeError), new_folder(target):
        raise RuntimeError
    assert sorted(path.name for path in target.iterdir()) == sorted((MARK, "two"))
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("")
    for target in (tmp_path, tmp_path / "mine"):
        with pytest.raises(ConfigError, match="is not an export of sitecrawl"), new_folder(target):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
