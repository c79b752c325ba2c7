"""`extract` and `template` on a site that was crawled, and on single files."""

import json
import sqlite3
from contextlib import closing

import pytest
from lxml import html as lxml_html
from lxml.cssselect import CSSSelector

from sitecrawl.extractors.base import extractor_names
from tests import fork
from tests.integration.server import SiteServer, article, small_site
from tests.integration.test_crawl import MODULE, crawl, environment


def run(folder, database, *arguments, stdin=b""):
    done = fork.run(
        [*MODULE, *arguments, "-s", f"SITECRAWL_DATABASE_URL={database}"],
        capture_output=True,
        input=stdin,
        timeout=60,
        env=environment(),
        cwd=folder,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A crawled site: (folder, database, URL of a report, its feed row)."""
    folder = tmp_path_factory.mktemp("known")
    database = f"sqlite:///{folder}/sitecrawl.db"
    with SiteServer(small_site()) as site:
        done, rows = crawl(site.url("/index.html"), folder, database)
        assert done.returncode == 0, done.stderr
        row = next(row for row in rows if row["url"].endswith("/reports/7.html"))
        yield folder, database, row["url"], row


def test_the_template_of_the_url_is_found_without_being_asked_for(known):
    folder, database, url, row = known
    assert run(folder, database, "extract", url) == (0, row["text"] + "\n", "")
    status, output, _ = run(folder, database, "extract", url, "--format", "json")
    found = json.loads(output)
    assert (status, found["text"], found["kind"]) == (0, row["text"], "content")
    assert found["confidence"] == pytest.approx(row["confidence"], abs=0.01)  # the template has grown since


@pytest.mark.parametrize("method", extractor_names())
def test_every_method_runs_on_a_page_of_a_known_site(known, method):
    folder, database, url, _ = known
    # the reports differ in a few numbers, so that their paragraphs are similar by the published preparation
    options = ("-o", "preparation=counted") if method == "fastce" else ()
    status, output, error = run(folder, database, "extract", url, "--method", method, *options)
    assert (status, error) == (0, "")
    assert "Report 7" in output


@pytest.mark.parametrize(
    "form, expected", [("html", "<p>Report 7"), ("md", "Report 7 paragraph"), ("text", "Report 7")]
)
def test_each_format_has_the_main_content_and_not_the_footer(known, form, expected):
    folder, database, url, _ = known
    status, output, _ = run(folder, database, "extract", url, "--format", form)
    assert status == 0
    assert expected in output
    assert "All rights reserved" not in output


def test_a_file_with_the_template_of_a_named_site(known):
    folder, database, url, row = known
    status, page, _ = run(folder, database, "extract", url, "--method", "everything", "--format", "html")
    assert status == 0
    (folder / "page.html").write_text(page)
    host = row["site"]
    status, output, _ = run(folder, database, "extract", "page.html", "--site", host)
    assert status == 0
    assert "Report 7 paragraph 3" in output


@pytest.mark.parametrize("view, expected", [("etdm", "body"), ("sst", "body"), ("fastce", "HTML.BODY")])
def test_the_views_of_a_template(known, view, expected):
    folder, database, _, row = known
    status, output, _ = run(folder, database, "template", "show", row["site"], "--view", view)
    assert status == 0
    assert f"{row['site']}: version" in output
    assert expected in output.split("\n", 2)[2]


def test_the_exported_selectors_do_what_the_crawl_did(known):
    folder, database, _, row = known
    status, output, error = run(folder, database, "template", "export", row["site"])
    assert (status, error) == (0, "")
    lines = [line.partition(": ") for line in output.splitlines() if line and not line.startswith("/*")]
    root = lxml_html.document_fromstring(article(7))
    for element in [one for name, _, css in lines if name == "exclude" for one in CSSSelector(css)(root)]:
        element.drop_tree()
    found = next(some for name, _, css in lines if name == "content" if (some := CSSSelector(css)(root)))
    assert " ".join(text for one in found for text in one.itertext()).split() == row["text"].split()
    for form, expected in (("ftr", "body: //"), ("web-poet", "CONTENT = (")):
        status, output, _ = run(folder, database, "template", "export", row["site"], "--format", form)
        assert status == 0
        assert expected in output


def test_a_page_without_a_known_site_needs_no_database(tmp_path):
    database = f"sqlite:///{tmp_path}/none.db"
    text = "The harbour wall was finished in the spring of that year, and the first ships came in May. " * 5
    html = f"<title>T</title><body><nav><a href=/>Home</a></nav><article><p>{text}</p></article>".encode()
    status, output, error = run(tmp_path, database, "extract", "-", stdin=html)
    assert (status, error) == (0, "")
    assert output.strip() == text.strip()
    assert list(tmp_path.iterdir()) == []


def test_options_of_a_method_and_the_page_that_crunch_edits(tmp_path):
    html = b"<html><head><title>T</title></head><body class=wide><nav><a href=/>Home</a> <a href=/n>News</a></nav>"
    html += b"<div><p width=5>The ships came in on the tide, and were unloaded by hand before noon.</p><p>So</p></div><form>Search</form>"
    database = f"sqlite:///{tmp_path}/none.db"
    options = ("--method", "cnr", "-o", "parts=menus")
    assert run(tmp_path, database, "extract", "-", *options, stdin=html)[1].split() == ["Home", "News"]
    options = ("--method", "crunch", "--format", "page", "-o", 'ignored_attributes=["width"]')
    status, output, error = run(tmp_path, database, "extract", "-", *options, stdin=html)
    assert (status, error) == (0, "")
    assert '<body class="wide">' in output
    assert "<p>The ships" in output
    assert "<title>T</title>" in output
    assert "Search" not in output
    text = run(tmp_path, database, "extract", "-", *options[:4], "-o", "output=text", stdin=html)[1]
    assert text == "The ships came in on the tide, and were unloaded by hand before noon.\nSo\n"


def test_a_persons_selector_is_tried(tmp_path):
    html = b"<main><h1>Boats</h1><p>One <a href=/1>boat</a>.</p><p>Two boats.</p></main><footer><p>2026</p></footer>"
    database = f"sqlite:///{tmp_path}/none.db"
    assert run(tmp_path, database, "extract", "-", "--css", "main p", stdin=html) == (0, "One boat.\nTwo boats.\n", "")
    assert run(tmp_path, database, "extract", "-", "--css", "a::attr(href)", stdin=html)[1] == "/1\n"


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (("missing.html",), 1, "missing.html: cannot be read (No such file or directory); give a URL, a file or -"),
        (("http://127.0.0.1:1/a",), 1, "http://127.0.0.1:1/a: cannot be fetched ([Errno 111] Connection refused)"),
        (("-", "--method", "guess"), 2, "known: "),
        (("-", "--method", "sst"), 2, "needs template of the page's site"),
        (("-", "--method", "cnr", "-o", "share"), 2, "OPTION=VALUE"),
        (("-", "--method", "cnr", "-o", "shares=1"), 2, "no option shares"),
        (("-", "--method", "cnr", "--format", "page"), 2, "cnr chooses nodes"),
        (("-", "--site", "nowhere.example"), 1, "no template is stored"),
        (("-", "--css", "p["), 2, "--css: 'p[' is not a valid CSS selector"),
        (("-", "--css", "p", "--explain"), 2, "leave out --explain and --format"),
        (("-", "--css", "h1"), 1, "--css h1: selects no text on this page"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, status, message):
    done = run(tmp_path, f"sqlite:///{tmp_path}/none.db", "extract", *arguments, stdin=b"<p>Some text.</p>")
    assert done[0] == status
    assert message in done[2]
    assert len(done[2].splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_explain_says_why_a_page_is_a_listing(tmp_path):
    page = b'<script type="application/ld+json">{"@type": "CollectionPage"}</script><main><p>All our ships.</p></main>'
    status, out, _ = run(tmp_path, f"sqlite:///{tmp_path}/none.db", "extract", "-", "--explain", stdin=page)
    assert status == 0
    assert out.startswith("combined: listing (its structured data says that it is a collection of pages), confidence")
    _, row, _ = run(tmp_path, f"sqlite:///{tmp_path}/none.db", "extract", "-", "--format", "json", stdin=page)
    assert json.loads(row)["why"] == "its structured data says that it is a collection of pages"


@pytest.mark.parametrize(
    "arguments", [["list"], ["show", "127.0.0.1"], ["show", "127.0.0.1", "--view", "fastce"], ["export", "127.0.0.1"]]
)
def test_a_look_at_a_template_waits_for_no_writer(known, arguments):
    folder, database, url, _ = known
    host = url.split("/")[2]
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        done = run(folder, database, "template", *(host if one == "127.0.0.1" else one for one in arguments))
        writer.execute("ROLLBACK")
    assert (done[0], done[2]) == (0, "")
