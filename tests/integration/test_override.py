"""Overrides in a crawl, in `extract`, and the `override` command."""

import json

import pytest

from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import crawl
from tests.integration.test_extract import run

OVERRIDE = """
content: article
exclude: 'p:nth-of-type(2)'
title: h1
layouts:
  - {url: /index.html, name: front, kind: listing}
  - {url: /about.html, kind: none}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "overrides").mkdir()
    (tmp_path / "overrides" / "127.0.0.1.yaml").write_text(OVERRIDE)
    return tmp_path


def test_a_crawl_obeys_the_override_on_waiting_and_on_fresh_pages(folder):
    with SiteServer(small_site()) as site:
        done, rows = crawl(
            site.url("/index.html"),
            folder,
            f"sqlite:///{folder}/test.db",
            *("-s", "SITECRAWL_OVERRIDES=overrides", "-s", "STATS_DUMP=True", "-s", "LOG_LEVEL=INFO"),
        )
    assert done.returncode == 0, done.stderr
    rows = {row["url"].rpartition("/")[2]: row for row in rows}
    assert len(rows) == 43
    for number in (0, 39):
        row = rows[f"{number}.html"]
        assert (row["method"], row["confidence"], row["kind"], row["title"]) == (
            "override",
            1.0,
            "content",
            f"Report {number}",
        )
        assert f"Report {number} paragraph 0" in row["text"]
        assert f"Report {number} paragraph 1" not in row["text"]
    assert (rows["index.html"]["kind"], rows["about.html"]["kind"], rows["about.html"]["text"]) == (
        "listing",
        "none",
        "",
    )
    assert rows["contact.html"]["method"].startswith("combined")  # it has no article
    assert rows["contact.html"]["title"] == "Contact"
    assert "'sitecrawl/content/override/chosen': 41" in done.stderr
    assert "'sitecrawl/content/override/fallback': 2" in done.stderr


def test_reextract_obeys_an_override_that_was_written_after_the_crawl(folder):
    database = f"sqlite:///{folder}/test.db"
    with SiteServer(small_site()) as site:
        done, before = crawl(site.url("/index.html"), folder, database)
    assert done.returncode == 0, done.stderr
    feed = folder / "again.jsonl"
    code, _, errors = run(folder, database, "reextract", "-O", str(feed), "-s", "SITECRAWL_OVERRIDES=overrides")
    assert code == 0, errors
    rows = {row["url"].rpartition("/")[2]: row for row in map(json.loads, feed.read_text().splitlines())}
    assert rows["7.html"]["method"] == "override"
    assert "Report 7 paragraph 0" in rows["7.html"]["text"]
    assert "Report 7 paragraph 1" not in rows["7.html"]["text"]
    assert rows["about.html"]["kind"] == "none"
    assert len(before) == 43
    (folder / "overrides" / "127.0.0.1.yaml").write_text("content: 'div['")
    code, _, errors = run(folder, database, "reextract", "-s", "SITECRAWL_OVERRIDES=overrides")
    assert (code, errors.count("\n")) == (2, 1), errors
    assert "127.0.0.1.yaml: content: 'div[' is not a valid CSS selector" in errors


def test_a_broken_override_ends_the_crawl_before_anything_is_fetched(folder):
    (folder / "overrides" / "127.0.0.1.yaml").write_text("content: 'div['")
    (folder / "overrides" / "other.example.yaml").write_text("also: broken")
    with SiteServer(small_site()) as site:
        done, rows = crawl(
            site.url("/index.html"), folder, f"sqlite:///{folder}/test.db", "-s", "SITECRAWL_OVERRIDES=overrides"
        )
        assert site.log == []
    assert (done.returncode, rows) == (2, [])
    assert "127.0.0.1.yaml: content: 'div[' is not a valid CSS selector" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "test.db").exists()


PAGE = (
    b"<title>T</title><body><nav><a href=/>Home</a></nav><div class=text><h1>Ships</h1><p>The first ship came in"
    b" May, and the others in June.</p><p class=ad>Buy a boat</p></div>"
)


def test_extract_tries_a_file_and_explains_it(folder):
    (folder / "try.yaml").write_text("{content: .text, exclude: [.ad, .gone], title: h1}")
    (folder / "page.html").write_bytes(PAGE)
    nowhere = f"sqlite:///{folder}/none.db"
    arguments = ("extract", "page.html", "--override", "try.yaml")
    assert run(folder, nowhere, *arguments) == (
        0,
        "Ships\nThe first ship came in May, and the others in June.\n",
        "",
    )
    status, output, _ = run(folder, nowhere, *arguments, "--format", "json")
    found = json.loads(output)
    assert (found["title"], found["method"], found["confidence"]) == ("Ships", "override", 1.0)
    status, output, _ = run(folder, nowhere, *arguments, "--explain")
    assert status == 0
    assert "override try.yaml: chose" in output
    assert "exclude: .gone: 0 selected" in output
    lines = [line for line in output.splitlines() if line.startswith(("keep", "drop"))]
    assert [(line[:4], line.partition("[")[2].partition("]")[0]) for line in lines] == [
        ("drop", "outside of content"),
        ("keep", "content: .text"),
        ("keep", "content: .text"),
        ("drop", "exclude: .ad"),
    ]
    status, output, _ = run(folder, nowhere, *arguments, "--explain", "--format", "html")
    assert '<p class="drop">Buy a boat<small>exclude: .ad' in output
    assert "override try.yaml: chose" in output


def test_extract_finds_the_file_of_the_host(folder):
    (folder / "overrides" / "ships.example.yaml").write_text("content: h1")
    setting = ("-s", "SITECRAWL_OVERRIDES=overrides")
    nowhere = f"sqlite:///{folder}/none.db"
    found = run(folder, nowhere, "extract", "-", "--url", "https://ships.example/a", *setting, stdin=PAGE)
    assert found == (0, "Ships\n", "")
    found = run(folder, nowhere, "extract", "-", "--url", "https://boats.example/a", *setting, stdin=PAGE)
    assert "first ship" in found[1]
    status, _, error = run(folder, nowhere, "extract", "-", "--override", "none.yaml", stdin=PAGE)
    assert status == 2
    assert "none.yaml: cannot be read" in error


def test_check_lists_the_rules_of_each_file(folder):
    nowhere = f"sqlite:///{folder}/none.db"
    assert run(folder, nowhere, "override", "check", "overrides") == (
        0,
        "overrides/127.0.0.1.yaml: 127.0.0.1: 1 content, 1 exclude, 1 title, layout front, layout 2\n"
        "1 file, 0 cannot be used\n",
        "",
    )
    (folder / "overrides" / "e.example.yaml").write_text("kind: wiki")
    status, output, error = run(folder, nowhere, "override", "check", "-s", "SITECRAWL_OVERRIDES=overrides")
    assert (status, output.splitlines()[-1]) == (2, "2 files, 1 cannot be used")
    assert error == (
        "sitecrawl: overrides/e.example.yaml: kind: 'wiki' cannot be used; one of article, forum, listing, none\n"
    )
    assert run(folder, nowhere, "override", "check")[0] == 2
    assert run(folder, nowhere, "override", "mend")[0] == 2


def test_check_names_the_files_of_no_site(folder, database_url):
    run(folder, database_url, "sites", "add", "https://news.example.org/", "http://127.0.0.1:8000/")
    (folder / "overrides" / "nwes.example.org.yaml").write_text("exclude: p")
    (folder / "overrides" / "other.test.yaml").write_text("exclude: p")
    status, output, error = run(folder, database_url, "override", "check", "overrides")
    assert (status, output.splitlines()[-1]) == (0, "3 files, 0 cannot be used")
    assert error == (
        "sitecrawl: overrides/nwes.example.org.yaml: the database has no site nwes.example.org;"
        " if news.example.org is meant, rename the file\n"
        "sitecrawl: overrides/other.test.yaml: the database has no site other.test\n"
    )


def test_import_converts_site_patterns_and_names_the_rest(folder):
    nowhere = f"sqlite:///{folder}/none.db"
    theirs = folder / "theirs"
    theirs.mkdir()
    (theirs / "ships.example.txt").write_text("body: //main\nnext_page_link: //a\nnext_page_link: //b\n")
    (theirs / ".ships.example.txt").write_text("body: //main")
    (theirs / ".boats.example.txt").write_text("strip_id_or_class: ad")
    (theirs / "global.txt").write_text("body: //main")
    (theirs / "LICENSE.txt").write_text("Public domain.")
    (theirs / "README.md").write_text("body: //main")
    status, output, error = run(folder, nowhere, "override", "import", "theirs/ships.example.txt")
    assert status == 0
    assert output.endswith("content:\n- //main\n")
    assert error.splitlines()[0] == "ships.example.txt: 1 line mapped; not mapped: next_page_link (2)"
    status, output, error = run(folder, nowhere, "override", "import", "theirs", "--into", "new")
    assert (status, output) == (3, "")
    assert "2 of 5 files imported" in error
    for line in (
        "global.txt: skipped: it applies to every site",
        "LICENSE.txt: skipped: nothing in it can be mapped",
        ".ships.example.txt: skipped: ships.example.txt is for the same domain",
    ):
        assert line in error
    assert sorted(path.name for path in (folder / "new").iterdir()) == ["boats.example.yaml", "ships.example.yaml"]
    assert run(folder, nowhere, "override", "check", "new")[0] == 0
    status, _, error = run(folder, nowhere, "override", "import", "theirs", "--into", "new")
    assert status == 1
    assert "ships.example.yaml exists; --replace replaces it" in error
    assert run(folder, nowhere, "override", "import", "theirs", "--into", "new", "--replace")[0] == 3
    assert run(folder, nowhere, "override", "import", "theirs")[0] == 2
    status, _, error = run(folder, nowhere, "override", "import", "gone.txt")
    assert (status, "there is no such file or folder" in error) == (2, True)


def test_an_override_with_a_typing_error_is_reported_and_its_correction_reaches_unmodified_pages(folder):
    database, file = f"sqlite:///{folder}/test.db", folder / "overrides" / "127.0.0.1.yaml"
    settings = ("-s", "SITECRAWL_OVERRIDES=overrides", "-s", "STATS_DUMP=True", "-s", "LOG_LEVEL=INFO")
    file.write_text("content: artcle")
    with SiteServer(small_site()) as site:
        done, rows = crawl(site.url("/index.html"), folder, database, *settings)
        assert len(rows) == 43
        (line,) = [one for one in done.stderr.splitlines() if "artcle" in one]
        assert "WARNING: 127.0.0.1" in line
        assert "overrides/127.0.0.1.yaml: content: artcle selected nothing on 43 pages" in line
        assert "'sitecrawl/overrides/unused': 1" in done.stderr
        file.write_text("content: article p")
        done, rows = crawl(site.url("/index.html"), folder, database, *settings)
    assert "overrides     changed since the last crawl: 43 stored pages extracted again" in done.stderr
    assert "'sitecrawl/overrides/unused': 0" in done.stderr
    (row,) = [row for row in rows if row["url"].endswith("/7.html")]
    assert (row["method"], "Report 7 paragraph 0" in row["text"]) == ("override", True)
