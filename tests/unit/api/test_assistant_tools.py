"""The tools for assistants, called as functions; `tests/integration/test_mcp.py` calls them by the protocol."""

import datetime as dt

import pytest

import sitecrawl
from sitecrawl.api.assistant_tools import PART, AssistantTools
from sitecrawl.errors import InputError, UnknownSiteError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched
from tests.integration.feeding import HOST, add_pages, content

URL = "https://example.org/harbour"


@pytest.fixture
def tools(sqlite_url):
    engine = open_database(sqlite_url)
    site_id = add_pages(engine, 3)
    moment = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    key = url_key(URL)
    fetch = fetched(key, url=URL, fetch_order=9, fetched_at=moment, html=None, discovery=9)
    with session_scope(engine) as session:
        PageRepository(session).record(site_id, [fetch])
        html = "<h2>The harbour</h2><p>Ships <b>leave</b> the harbour at dawn.</p>" + "<p>More words here.</p>" * 2000
        values = {"title": "Harbour", "html": html, "author": "A. Reader", "published": "2026-02-01"}
        ContentRepository(session).put(site_id, content(key, "Ships leave the harbour at dawn.", **values))
    engine.dispose()
    with sitecrawl.open(sqlite_url) as database:
        yield AssistantTools(database)


def test_sites_are_listed(tools):
    (site,) = tools.list_sites()
    assert (site["site"], site["pages"]) == ("example.org", 4)


def test_a_search_finds_pages_with_snippets(tools):
    (found,) = tools.search('"leave the harbour"', site="example.org", language="en")
    assert (found["url"], found["title"]) == (URL, "Harbour")
    assert "**harbour**" in found["snippet"]
    nothing = ["No page was found; search for other words, or without site, language and days."]
    assert tools.search("harbour", until="2020-01-01") == nothing
    assert tools.search('"leave the harbour"', site="", language="", since="", until="") == [found]
    assert tools.search("harbour", limit=0) == tools.search("harbour")
    with pytest.raises(InputError, match="since 'yesterday' is not a day"):
        tools.search("harbour", since="yesterday")
    with pytest.raises(UnknownSiteError, match=r"known: example\.org"):
        tools.search("harbour", site="example.net")


def test_a_search_says_what_is_missing(tools):
    said, found = tools.search("harbour zzzzqq")
    assert said.startswith("No page contains the whole query; these contain a part of it")
    assert found["url"] == URL
    for query in ("", '"', " - "):
        assert tools.search(query) == ["Nothing to search for: the query has no letters or digits."]


def test_snippets_are_text(tools, sqlite_url):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get(HOST).id
        ContentRepository(session).put(site_id, content(1, 'Robert\'); DROP <mark>TABLE</mark> & "students"'))
    engine.dispose()
    (found,) = tools.search("robert drop")
    assert found["snippet"] == '**Robert**\'); **DROP** <mark>TABLE</mark> & "students"'


def test_errors_name_tools_and_no_commands(tools, sqlite_url):
    with pytest.raises(
        UnknownSiteError, match=r"^https://example\.org/nowhere: no such page is stored; see: search or"
    ):
        tools.read_page("https://example.org/nowhere")
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        for number in range(6):
            start = f"https://site{number}.example/"
            SiteRepository(session).get_or_add(f"site{number}.example", start, dt.datetime(2026, 3, 1, tzinfo=dt.UTC))
    engine.dispose()
    for call in (lambda: tools.search("a", site="x.net"), lambda: tools.changes("2026-01-01", site="x.net")):
        with pytest.raises(UnknownSiteError, match=r"^x\.net: .* known: .* and more; see: list_sites$"):
            call()


def test_a_page_is_read_in_parts(tools):
    text, start, parts = "", 0, 0
    while True:
        answer = tools.read_page(URL, start)
        assert answer.startswith(f"# Harbour\nSource: {URL}\nAuthor: A. Reader\nPublished: 2026-02-01")
        parts += 1
        body = answer.split("\n\n", 1)[1]
        if "(Characters " not in answer:
            text += body
            break
        body, _, note = body.rpartition("\n\n(Characters ")
        text += body
        start = int(note.split()[0])
    assert parts == 2
    assert text.startswith("## The harbour\n\nShips **leave** the harbour at dawn.")
    assert text.count("More words here.") == 2000
    assert len(text) > PART
    for start in (-1, len(text), 10**9):
        with pytest.raises(
            InputError, match=f"^start is {start}, and there are {len(text)} characters, counted from 0; leave"
        ):
            tools.read_page(URL, start)


def test_changes_since_a_time(tools):
    assert len(tools.changes("2026-01-01")) == 4
    parts = [tools.changes("2026-01-01", site="example.org", limit=2, start=start) for start in (0, 2)]
    assert [len(part) for part in parts] == [3, 2]
    assert parts[0][2] == "(2 of 4 changes are left: changes with start=2.)"
    found = [row["found"] for row in [*parts[0][:2], *parts[1]]]
    assert found == sorted(found, reverse=True)
    assert [row["url"] for row in [*parts[0][:2], *parts[1]]] == [row["url"] for row in tools.changes("2026-01-01")]
    for start in (-1, 4, 10**30):
        with pytest.raises(InputError, match=f"^start is {start}, and there are 4 changes"):
            tools.changes("2026-01-01", start=start)
    assert tools.changes("2999-01-01T00:00+01:00") == ["No page has changed since then."]
    with pytest.raises(InputError, match="is not a time"):
        tools.changes("last week")
