import datetime as dt
import json
import subprocess
import sys
from pathlib import Path

import pytest

import sitecrawl
from sitecrawl.errors import ConfigError, InputError, StorageError, UnknownSiteError
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.search.repository import SearchIndex
from tests.unit.api.pages import pages
from tests.unit.storage.test_contents import record
from tests.unit.storage.test_contents import site_id as site_id

ROOT = Path(__file__).parents[3]


@pytest.fixture
def database(engine, site_id):
    from sitecrawl.storage.contents import ContentRepository

    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, record(1, words="Lentil soup is made of lentils and water."))
        SearchIndex(session).rebuild()
    with sitecrawl.open(engine.url.render_as_string(hide_password=False)) as opened:
        yield opened


def test_a_closed_database_says_so(database):
    database.close()
    with pytest.raises(StorageError, match="closed; open it again"):
        database.sites()


def test_no_database_and_unknown_sites(tmp_path, database):
    with pytest.raises(StorageError, match="the database does not exist; crawl a site first"):
        sitecrawl.open(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(UnknownSiteError, match="nothing about this site; known: "):
        database.site("nowhere.example")
    with pytest.raises(ConfigError, match="give one of content, listing, none"):
        database.rows(kind="article")
    with pytest.raises(ConfigError, match="format is 'xml'; give one of jsonl, csv, md, parquet"):
        database.export(tmp_path / "rows.xml", format="xml")
    assert not (tmp_path / "rows.xml").exists()


@pytest.mark.parametrize("since", ["2026-03-01", dt.date(2026, 3, 1), dt.datetime(2026, 3, 1)])
def test_changes_are_those_since_a_time_with_a_zone(database, since):
    with pytest.raises(InputError, match="is not a time with a time zone; give datetime"):
        database.changes(since)
    assert len(list(database.changes(dt.datetime(2000, 3, 1, tzinfo=dt.UTC)))) == 1


def test_a_file_of_several_sites_wants_a_name(tmp_path):
    sitecrawl.learn(pages(4)).save(tmp_path / "one.db")
    with sitecrawl.open(tmp_path / "one.db") as one:
        assert [site.host for site in one.sites()] == ["journal.example"]
        assert one.site("https://journal.example/notes/3.html").host == "journal.example"


def test_every_exported_name_is_there_and_documented():
    docs = (ROOT / "docs" / "api.md").read_text()
    for name in sitecrawl.__all__:
        assert getattr(sitecrawl, name).__doc__, name
        assert f"`{name}" in docs or f"sitecrawl.{name}" in docs, name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        sitecrawl.nonsense  # noqa: B018


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda database: database.search(None), "words is NoneType; give str"),
        (lambda database: database.search(b"lentil"), "words is bytes; give str"),
        (lambda database: database.search("a", language=5), "language is int; give str or None"),
        (lambda database: database.search("a", site=5), "host or URL is int; give str"),
        (lambda database: database.site(None), "host or URL is NoneType; give str"),
        (
            lambda database: database.site("\ud800"),
            "host or URL is not Unicode text: '.*'; give one that UTF-8 can encode",
        ),
        (lambda database: database.page(None), "host or URL is NoneType; give str"),
        (lambda database: database.rows(None), "host or URL is NoneType; give str"),
        (lambda database: database.export("z.jsonl", None), "host or URL is NoneType; give str"),
        (lambda database: database.export(None), "target is NoneType; give str or Path"),
        (lambda database: sitecrawl.open(1), "database is int; give str or Path or None"),
    ],
)
def test_an_argument_of_the_wrong_type_is_an_error_of_ours(tmp_path, monkeypatch, database, call, says):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=f"^{says}$"):
        call(database)
    assert sorted(tmp_path.iterdir()) == before


def test_the_errors_are_there_at_once():
    code = "import sitecrawl; print(sitecrawl.errors.InputError.__name__)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300).stdout
        == "InputError\n"
    )


def test_importing_the_package_imports_nothing_else():
    code = "import sys, sitecrawl; print([name for name in ('scrapy', 'lxml', 'sqlalchemy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300).stdout == "[]\n"


def test_the_readme_runs_as_written(tmp_path):
    readme = (ROOT / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    setup = (
        "import sys; sys.path.insert(0, '" + str(ROOT) + "')\nfrom tests.unit.api.pages import html, pages as made\n"
        "pages, html = made(40), html(7)\nimport sitecrawl\n"
        "sitecrawl.learn(pages).save('sitecrawl.db')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", setup + code], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "Note 7" in done.stdout


def test_an_export_is_read_back(tmp_path, database):
    number = database.export(tmp_path / "all.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert len(rows) == number == 1
    assert rows[0]["text"] == next(database.rows()).text


def test_search_finds_with_a_snippet(database):
    (found,) = database.search("lentil soup")
    assert "<mark>" in found.snippet
    assert database.search("lentil soup", kind="listing") == []


@pytest.mark.parametrize("query", ["lentil", "lent*", '"lentil so*"'])
def test_words_of_most_pages_have_a_score_too(database, query):
    (found,) = database.search(query)
    assert found.score > 0


@pytest.mark.parametrize(
    "wrong",
    [{"limit": -1}, {"limit": 10**20}, {"limit": "a"}, {"kind": "nope"}, {"since": "2026-13-45"}, {"until": "x"}],
)
def test_what_cannot_be_searched_for_is_an_error_of_ours(database, wrong):
    with pytest.raises(InputError):
        database.search("lentil", **wrong)
