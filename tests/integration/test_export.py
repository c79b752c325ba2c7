"""`sitecrawl export`: everything that is stored, in each format, the same after each crawl of an unchanged site."""

import csv
import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import fork
from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import crawl

PROGRAM = [sys.executable, "-c", "from sitecrawl.cli import main; main()"]


def export(folder, database, *arguments):
    return fork.run(
        ["sitecrawl", "export", *arguments, "-s", f"SITECRAWL_DATABASE_URL={database}"],
        capture_output=True,
        timeout=120,
        cwd=folder,
    )


def one_line(done, status, words):
    """An error is one line, without a traceback."""
    said = done.stderr.decode()
    assert done.returncode == status, said
    (line,) = [line for line in said.splitlines() if line.startswith("sitecrawl: ")]
    assert words in line
    assert "Traceback" not in said


def test_an_export_is_what_the_crawls_said_and_the_same_each_time(tmp_path, database_url):
    with SiteServer(small_site(20)) as site:
        url = site.url("/index.html")
        done, first = crawl(url, tmp_path, database_url)
        assert done.returncode == 0, done.stderr
        one = export(tmp_path, database_url)
        assert one.returncode == 0, one.stderr
        done, second = crawl(url, tmp_path, database_url)
        assert (done.returncode, second) == (0, [])
        assert export(tmp_path, database_url).stdout == one.stdout

        rows = [json.loads(line) for line in one.stdout.splitlines()]
        assert [row["url"] for row in rows] == sorted(row["url"] for row in first)
        assert rows == sorted(first, key=lambda row: row["url"])

        site.pages["/reports/3.html"] = article(77)
        site.pages["/reports/4.html"] = (410, {}, "gone")
        done, third = crawl(url, tmp_path, database_url)
        assert done.returncode == 0, done.stderr
        said = {row["url"]: row for row in [*first, *third]}  # the last row of a URL counts
        now = [json.loads(line) for line in export(tmp_path, database_url).stdout.splitlines()]
        assert now == [
            {**row, "status": "new"}
            for row in sorted(said.values(), key=lambda row: row["url"])
            if row["status"] != "gone"
        ]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A database with two sites, and their hosts."""
    folder = tmp_path_factory.mktemp("crawled")
    database = f"sqlite:///{folder}/test.db"
    hosts = []
    for address in ("127.0.0.2", "127.0.0.1"):
        with SiteServer(small_site(12), host=address) as site:
            done, _ = crawl(site.url("/index.html"), folder, database, "-s", "SITECRAWL_CONTENT_HTML=1")
            assert done.returncode == 0, done.stderr
            hosts.append(site.url().split("/")[2])
    return database, hosts


def test_formats_hold_the_same(tmp_path, crawled):
    database, hosts = crawled
    assert export(tmp_path, database, "-O", "all.jsonl").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [row["site"] for row in rows] == sorted(row["site"] for row in rows)
    assert {row["site"] for row in rows} == set(hosts)
    assert "html" not in rows[0]

    done = export(tmp_path, database, "-O", "all.csv")
    assert done.returncode == 0, done.stderr
    assert f"sitecrawl: 2 sites: {len(rows)} rows in all.csv" in done.stderr.decode()
    with (tmp_path / "all.csv").open(newline="") as file:
        table = list(csv.DictReader(file))  # a list begins with "-", which a spreadsheet would take for a formula
    assert [(row["url"], row["text"], row["words"]) for row in table] == [
        (row["url"], "'" * row["text"].startswith("-") + row["text"], str(row["words"])) for row in rows
    ]

    assert export(tmp_path, database, "-O", "all.parquet").returncode == 0
    from pyarrow import parquet

    assert parquet.read_table(tmp_path / "all.parquet").to_pylist() == rows

    for _ in range(2):  # an export may be replaced
        done = export(tmp_path, database, hosts[0], "--kind", "content", "--format", "md", "-O", "pages")
        assert done.returncode == 0, done.stderr
    files = list((tmp_path / "pages").rglob("*.md"))
    chosen = [row for row in rows if row["site"] == hosts[0] and row["kind"] == "content"]
    assert len(files) == len(chosen) > 10
    (report,) = [path for path in files if path.name.startswith("reports-7")]
    front, _, body = report.read_text().removeprefix("---\n").partition("---\n\n")
    fields = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in front.splitlines())}
    (row,) = [row for row in chosen if row["url"] == fields["url"]]
    assert fields == {name: value for name, value in row.items() if value is not None and name != "text"}
    assert "Report 7 paragraph 3 tells of" in body
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.csv", "all.jsonl", "all.parquet", "pages"]


def rows_of(folder, database, *arguments):
    done = export(folder, database, *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_only_what_changed(tmp_path, sqlite_url):
    stored = ("-s", "SITECRAWL_CONTENT_HTML=1")
    with SiteServer(small_site(20)) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, sqlite_url, *stored)
        held = {row["id"]: row for row in rows_of(tmp_path, sqlite_url, "--chunks")}
        assert rows_of(tmp_path, sqlite_url, "--chunks", "--changed") == []
        since = dt.datetime.now(dt.UTC).isoformat()
        site.pages["/reports/3.html"] = article(3).replace("paragraph 2 tells", "paragraph 2 was corrected, and tells")
        site.pages["/reports/4.html"] = (410, {}, "gone")
        crawl(url, tmp_path, sqlite_url, *stored)
        three, four = site.url("/reports/3.html"), site.url("/reports/4.html")
    for how in (("--changed",), ("--since", since)):
        assert [(row["url"], row["status"]) for row in rows_of(tmp_path, sqlite_url, *how)] == [
            (three, "changed"),
            (four, "gone"),
        ]
    rows = rows_of(tmp_path, sqlite_url, "--chunks", "--changed")
    for row in rows:
        if row["status"] == "gone":
            del held[row["id"]]
        else:
            held[row["id"]] = row
    assert {row["url"] for row in rows} == {three, four}
    assert not [row for row in held.values() if row["url"] == four]
    assert {row["id"] for row in rows_of(tmp_path, sqlite_url, "--chunks")} == set(held)
    (new,) = [row for row in rows if row["status"] == "new"]
    assert "paragraph 2 was corrected" in new["text"]
    assert new["headings"] == ["Report 3"]


def test_what_leaves_a_kind_is_gone_for_a_reader_of_that_kind(tmp_path, sqlite_url):
    """A page becomes a list, another one is deleted, and its copy has the text alone now."""
    pages = small_site(30)
    pages["/reports/8.html"] = pages["/reports/2.html"]
    with SiteServer(pages) as site:
        url = site.url("/index.html")
        crawl(url, tmp_path, sqlite_url)
        held = {row["url"]: row for row in rows_of(tmp_path, sqlite_url, "--kind", "content")}
        (copy,) = [row for row in held.values() if row["duplicate_of"]]
        (first,) = [row for row in held.values() if row["id"] == copy["duplicate_of"]]
        since = dt.datetime.now(dt.UTC).isoformat()
        items = "".join(
            f'<li><h3><a href="/reports/{i}.html">Report {i} of that day</a></h3></li>' for i in range(12, 30)
        )
        site.pages["/reports/3.html"] = frame("All reports", f"<h1>All reports</h1><ul>{items}</ul>")
        site.pages[first["url"].removeprefix(site.url()[:-1])] = (410, {}, "gone")
        crawl(url, tmp_path, sqlite_url)
        three = site.url("/reports/3.html")
    assert {row["url"]: row["kind"] for row in rows_of(tmp_path, sqlite_url)}[three] == "listing"
    for how in (("--changed",), ("--since", since)):
        rows = {row["url"]: row for row in rows_of(tmp_path, sqlite_url, *how, "--kind", "content")}
        assert {url: row["status"] for url, row in rows.items()} == {
            three: "gone",
            first["url"]: "gone",
            copy["url"]: "changed",
        }
        assert [rows[three][name] for name in ("kind", "title", "text", "words")] == ["none", None, "", 0]
        mine = {url: row for url, row in {**held, **rows}.items() if row["status"] != "gone"}
        assert mine.keys() == {row["url"] for row in rows_of(tmp_path, sqlite_url, "--kind", "content")}
        listings = rows_of(tmp_path, sqlite_url, *how, "--kind", "listing")
        assert {row["url"]: row["status"] for row in listings}[three] == "changed"


def test_chunks_in_each_format_hold_the_same(tmp_path, crawled):
    database, _ = crawled
    assert export(tmp_path, database, "--chunks", "-O", "c.jsonl").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert len({row["id"] for row in rows}) == len(rows) > 24
    assert export(tmp_path, database, "--chunks", "-O", "c.parquet").returncode == 0
    from pyarrow import parquet

    assert parquet.read_table(tmp_path / "c.parquet").to_pylist() == rows
    assert export(tmp_path, database, "--chunks", "-O", "c.csv").returncode == 0
    with (tmp_path / "c.csv").open(newline="") as file:
        assert [(row["id"], row["text"].removeprefix("'")) for row in csv.DictReader(file)] == [
            (row["id"], row["text"]) for row in rows
        ]
    one_line(export(tmp_path, database, "--chunks", "--format", "md", "-O", "x"), 2, "chunks are not Markdown files")
    one_line(export(tmp_path, database, "--since", "yesterday"), 2, "--since 'yesterday' is not a date")


def test_hosts_may_be_urls_and_output_a_pipe(tmp_path, crawled):
    database, hosts = crawled
    whole = export(tmp_path, database, f"http://{hosts[0]}/any/page.html", "-O", "-").stdout
    assert {json.loads(line)["site"] for line in whole.splitlines()} == {hosts[0]}
    assert export(tmp_path, database, hosts[0], "-O", "/dev/stdout").stdout == whole
    assert Path("/dev/stdout").exists()


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_reader_that_hangs_up_is_no_error(tmp_path, crawled, form):
    database, _ = crawled
    program = ["sitecrawl", "export", "--format", form, "-s", f"SITECRAWL_DATABASE_URL={database}"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = fork.run(program, stdout=closed, stderr=subprocess.PIPE, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_cannot_be_written_leaves_the_old_file(tmp_path, crawled):
    database, _ = crawled
    one_line(export(tmp_path, database, "-O", "no/such/folder/x.jsonl"), 1, "no/such/folder")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    one_line(export(tmp_path, database, "--format", "md", "-O", "mine"), 2, "is not an export of sitecrawl")
    assert (tmp_path / "mine" / "letter").read_text() == "dear"
    one_line(export(tmp_path, database, "--format", "md"), 2, "-O FOLDER")
    one_line(export(tmp_path, database, "no.example"), 1, "no.example: the database holds nothing about this site")
    one_line(export(tmp_path, database, "ftp://no.example/"), 2, "ftp://no.example/")
    one_line(export(tmp_path, database, "-O", "."), 1, ".")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_parquet_without_its_library_is_one_line(tmp_path, crawled):
    database, _ = crawled
    (tmp_path / "pyarrow.py").write_text("raise ImportError('not here')\n")
    done = subprocess.run(
        [*PROGRAM, "export", "-O", "x.parquet", "-s", f"SITECRAWL_DATABASE_URL={database}"],
        capture_output=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    one_line(done, 2, "pip install 'sitecrawl[parquet]'")
    assert not (tmp_path / "x.parquet").exists()
