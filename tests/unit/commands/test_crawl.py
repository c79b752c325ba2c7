"""Tests of what `crawl` checks before a crawl begins."""

import csv

import pytest
from scrapy.settings import Settings

from sitecrawl.commands.crawl import feed_problem, header_problem
from sitecrawl.items import feed_fields
from sitecrawl.row_files import RowsFile


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as out:
        csv.writer(out).writerow(feed_fields(html=False, markdown=False))
    return path


@pytest.mark.parametrize(
    ("settings", "options", "refused"),
    [
        ({}, {}, False),
        ({"SITECRAWL_CONTENT_HTML": True}, {}, True),
        ({"SITECRAWL_ROW_DIFFERENCES": True}, {}, True),
        ({"SITECRAWL_CONTENT_HTML": True}, {"overwrite": True}, False),
        ({"SITECRAWL_CONTENT_HTML": True}, {"format": "jsonlines"}, False),
        ({"FEED_EXPORT_FIELDS": ["url", "text"]}, {}, True),
    ],
)
def test_rows_are_added_only_to_a_csv_file_with_their_columns(file, settings, options, refused):
    given = Settings({"FEEDS": {str(file): {"format": "csv", **options}}, **settings})
    problem = header_problem(given)
    assert ("names other columns" in (problem or "")) is refused


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", None])
def test_a_file_without_a_header_gets_one(tmp_path, content):
    path = tmp_path / "rows.csv"
    if content is not None:
        path.write_bytes(content)
    assert header_problem(Settings({"FEEDS": {path.as_uri(): {"format": "csv"}}})) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("file/feed.jsonl", "its folder is a file"),
        ("file/feeds/feed.jsonl", "its folder is a file"),
        ("folder", "Is a directory"),
    ],
)
def test_a_feed_that_cannot_be_written_is_refused_before_the_crawl(tmp_path, name, why):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    feed = tmp_path / name
    assert feed_problem(Settings({"FEEDS": {str(feed): {"format": "jsonl"}}})) == (
        f"{feed}: the feed cannot be written ({why}); name another file"
    )


@pytest.mark.parametrize("name", ["feeds/new/feed.jsonl", "old.jsonl"])
def test_a_feed_is_tried_without_a_change_of_files(tmp_path, name):
    old, feed = tmp_path / "old.jsonl", tmp_path / name
    old.write_text("{}\n")
    assert feed_problem(Settings({"FEEDS": {f"file://{feed}": {"format": "jsonl"}}})) is None
    assert (feed.parent.is_dir(), feed.exists(), old.read_text()) == (True, feed == old, "{}\n")


def test_a_feed_that_another_crawl_overwrites_is_named_before_anything_is_fetched(tmp_path):
    feed = tmp_path / "feed.jsonl"
    given = Settings({"FEEDS": {str(feed): {"format": "jsonl"}}})
    with RowsFile(feed, overwrite=True) as other:
        other.write(b"row\n")
        problem = f"{feed}: the feed cannot be written (another process writes to it); name another file"
        assert feed_problem(given) == problem
        other.write(b"row\n")
    assert feed_problem(given) is None
    assert feed.read_bytes() == b"row\nrow\n"
