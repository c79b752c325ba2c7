"""Files that hold whole rows only."""

import csv
import json
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from sitecrawl.row_files import RowsFile
from sitecrawl.shell.csv_export import SafeCsvItemExporter
from sitecrawl.shell.feed_export import WholeRowsStorage

ROWS = "import sys; from pathlib import Path; from sitecrawl.row_files import RowsFile\nfile = RowsFile(Path(sys.argv[1]), overwrite=False)\n"


def storage(path, form, *, overwrite=False):
    return WholeRowsStorage(str(path), feed_options={"format": form, "overwrite": overwrite})


@pytest.mark.parametrize("torn", ["", '{"a": 1}\n', '{"a": 1}\n{"b', '{"torn'])
def test_lines_that_a_kill_cut_off_are_removed_before_more_is_added(tmp_path, torn):
    path = tmp_path / "feed.jsonl"
    path.write_text(torn)
    opened = storage(path, "jsonlines")
    file = opened.open(SimpleNamespace())
    file.write(b'{"c": 3}\n')
    opened.store(file)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows == [*([{"a": 1}] if "\n" in torn else []), {"c": 3}]


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_csv_feed_has_whole_records_and_one_line_of_names(tmp_path, cut):
    path, values = (
        tmp_path / "feed.csv",
        [{"name": "one", "text": 'two\nlines, "quoted"'}, {"name": "two", "text": "x"}],
    )
    for _ in range(2):
        opened = storage(path, "csv")
        file = opened.open(SimpleNamespace())
        exporter = SafeCsvItemExporter(file, fields_to_export=["name", "text"])
        exporter.start_exporting()
        for value in values:
            exporter.export_item(value)
        exporter.finish_exporting()
        opened.store(file)
        whole = path.read_bytes()
        path.write_bytes(whole[:-cut])
    path.write_bytes(whole)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[-2:] == values
    assert all(row in values for row in rows)


def test_a_file_is_emptied_when_it_is_written_anew(tmp_path):
    path = tmp_path / "feed.jsonl"
    path.write_text("old and long\n")
    with storage(path, "jsonlines", overwrite=True).open(SimpleNamespace()) as file:
        file.write(b"new\n")
    assert path.read_bytes() == b"new\n"


def test_a_file_that_another_process_overwrites_is_left_to_it(tmp_path):
    path = tmp_path / "feed.jsonl"
    with RowsFile(path, overwrite=True) as first:
        first.write(b"one\n")
        with pytest.raises(OSError, match="another process writes to it") as caught:
            RowsFile(path, overwrite=True)
        assert caught.value.strerror == "another process writes to it"
        first.write(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    with RowsFile(path, overwrite=True) as second:
        second.write(b"new\n")
    assert path.read_bytes() == b"new\n"


def test_a_claimed_file_keeps_its_rows_until_it_is_opened_and_is_refused_to_others(tmp_path):
    path = tmp_path / "feed.jsonl"
    path.write_text("old\n")
    claiming = storage(path, "jsonlines", overwrite=True)
    claiming.claim()
    assert path.read_bytes() == b"old\n"
    with pytest.raises(OSError, match="another process writes to it"):
        RowsFile(path, overwrite=True)
    with claiming.open(SimpleNamespace()) as file:
        assert path.read_bytes() == b""
        file.write(b"new\n")
    assert path.read_bytes() == b"new\n"


def test_a_claimed_file_that_was_moved_is_made_anew(tmp_path):
    path = tmp_path / "feed.jsonl"
    path.write_text("old\n")
    claiming = storage(path, "jsonlines", overwrite=True)
    claiming.claim()
    path.rename(tmp_path / "kept.jsonl")
    with claiming.open(SimpleNamespace()) as file:
        file.write(b"new\n")
    assert (path.read_bytes(), (tmp_path / "kept.jsonl").read_bytes()) == (b"new\n", b"old\n")


def test_a_file_to_which_rows_are_added_and_a_pipe_are_not_claimed(tmp_path):
    path, pipe = tmp_path / "feed.jsonl", tmp_path / "pipe"
    storage(path, "jsonlines", overwrite=False).claim()
    assert not path.exists()
    os.mkfifo(pipe)
    storage(pipe, "jsonlines", overwrite=True).claim()  # it would wait for a reader


def test_a_row_for_which_there_is_no_room_is_taken_back(tmp_path):
    path = tmp_path / "feed.jsonl"
    script = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
        "try:\n    [file.write(b'x' * 299 + b'\\n') for _ in range(9)]\nexcept OSError as error:\n    print(error.strerror)"
    )
    done = subprocess.run([sys.executable, "-c", ROWS + script, str(path)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "File too large\n", done.stderr
    assert path.read_bytes() == (b"x" * 299 + b"\n") * 3


def test_rows_of_several_writers_are_not_mixed(tmp_path):
    path, together = tmp_path / "feed.jsonl", threading.Barrier(4)

    def write(letter):
        with RowsFile(path, overwrite=False) as file:
            together.wait(60)
            for _ in range(50):
                file.write(letter * 20_000 + b"\n")

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c", b"d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    lines = path.read_bytes().splitlines()
    assert len(lines) == 200
    assert all(line == line[:1] * 20_000 for line in lines)


def test_what_is_no_file_is_written_to(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ROWS + "file.write(b'row\\n')", "/dev/stdout"], capture_output=True, timeout=60
    )
    assert (done.stdout, done.stderr) == (b"row\n", b"")
