"""The order in which a real crawl asks for pages, as the server sees it."""

import re

import pytest
from sqlalchemy import select

from sitecrawl.links.selection import SAMPLE_SIZE
from sitecrawl.links.urls import url_key
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.tables.models import PAGE
from tests.integration.server import SiteServer
from tests.integration.test_crawl import crawl

FRONT = """
<ul><li><a href="/a.html">A</a></li><li><a href="/b.html">B</a></li></ul>
<p><a href="/c.html">C</a></p>
<div><div><div><a href="/deep/d.html">D</a> <a href="/e.html">E</a></div></div></div>
<p><a href="/deep/f.html">F</a> <a href="/g.html">G</a></p>
"""
"""The start page: five links of its own folder, two of the folder below."""
SELECTED = ["/a.html", "/e.html", "/c.html", "/b.html", "/g.html", "/deep/d.html", "/deep/f.html"]
"""Its links as `rank` orders them with a sample of four: distance 0 before +1; the farthest in the DOM first."""


def page(main):
    """Return a page whose only links are those of `main`."""
    return f"<html><head><title>Order</title></head><body>{main}</body></html>"


def tiny_site():
    leaves = {path: page(f"<h1>{path}</h1><p>The page {path} names no other page.</p>") for path in SELECTED}
    return {"/index.html": page(FRONT), **leaves}


def asked(server):
    return [path for path in server.log if path.endswith(".html") and path != "/index.html"]


def test_links_of_equal_priority_are_fetched_in_the_order_of_selection(tmp_path, sqlite_url):
    with SiteServer(tiny_site()) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "CONCURRENT_REQUESTS=1")
    assert done.returncode == 0, done.stderr
    assert asked(site) == SELECTED


def test_with_a_narrow_window_the_order_is_the_same(tmp_path, sqlite_url):
    told = ("-s", "CONCURRENT_REQUESTS=1", "-s", "SITECRAWL_FRONTIER_WINDOW=1")
    with SiteServer(tiny_site()) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, *told)
    assert done.returncode == 0, done.stderr
    assert asked(site) == SELECTED


WORKED = """
<div><a href="/news/2024/b.html">b</a><a href="/news/2024/c.html">c</a></div>
<div><p><a href="/news/2024/d.html">d</a></p></div>
<p><a href="/news/2024/may/e.html">e</a> <a href="/news/2024/may/x/f.html">f</a></p>
<p><a href="/news/g.html">g</a> <b><a href="/news/2023/h.html">h</a></b></p>
<p><a href="/about.html">i</a> <a href="/index.html">j</a></p>
"""
"""The key page of the worked example: hyperlink distances 0 (b, c, d), +1 (e), +2 (f), -1 (g, h) and -2 (i, j)."""


@pytest.mark.parametrize(("order", "letters"), [("seed", "b d c e g h f i j"), ("hybex", "b d c e f g h i j")])
def test_the_worked_example_is_fetched_in_the_order_of_selection(tmp_path, sqlite_url, order, letters):
    links = {text: path for path, text in re.findall('href="([^"]+)">(.)<', WORKED)}
    leaves = {path: page(f"<h1>{path}</h1><p>The page {path} names no other page.</p>") for path in links.values()}
    told = (
        "-s",
        "CONCURRENT_REQUESTS=1",
        "-s",
        f"SITECRAWL_SELECTION_ORDER={order}",
        "-s",
        "SITECRAWL_SECOND_FETCHES=0",
    )
    with SiteServer({**leaves, "/news/2024/a.html": page(WORKED)}) as site:
        done, _ = crawl(site.url("/news/2024/a.html"), tmp_path, sqlite_url, *told)
    assert done.returncode == 0, done.stderr
    fetched = [path for path in site.log if path.endswith(".html") and path != "/news/2024/a.html"]
    assert fetched == [links[letter] for letter in letters.split()]


def test_a_known_link_that_becomes_a_member_is_fetched_before_others(tmp_path, sqlite_url):
    """The start page links to `far` as the last of twelve; the first of them has it in its n-SET."""
    names = [f"/p{number}.html" for number in range(11)]
    items = "".join(f'<p><a href="{path}">{path}</a></p>' for path in names)
    front = f'{items}<p><a href="/one/two/far.html">far</a></p>'
    first = '<h1>First</h1><p>Its only link: <a href="/one/two/far.html">far</a></p>'
    leaves = {path: page(f"<h1>{path}</h1><p>The page {path} names no other page.</p>") for path in names}
    pages = {**leaves, "/index.html": page(front), "/p0.html": page(first), "/one/two/far.html": page("<h1>Far</h1>")}
    told = ("-s", "CONCURRENT_REQUESTS=1", "-s", "SITECRAWL_FRONTIER_WINDOW=1")
    with SiteServer(pages) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, *told)
    assert done.returncode == 0, done.stderr
    order = asked(site)
    assert order[0] == "/p0.html"
    assert order.index("/one/two/far.html") == SAMPLE_SIZE  # after the members of the start page, before the others


def test_a_dead_member_of_an_n_set_is_replaced_and_the_row_says_so(tmp_path, sqlite_url):
    site_pages = {
        f"/{name}.html": page(
            "".join(f'<p><a href="/{other}.html">{other}</a></p>' for other in ["dead", *"abcdefg"] if other != name)
            + f"<div><p>Own text of {name}, which no other page has, in words enough for a paragraph.</p></div>"
        )
        for name in "abcdefg"
    }
    told = ("-s", "SITECRAWL_EXTRACTOR=webconex", "-s", 'SITECRAWL_EXTRACTOR_OPTIONS={"size": 5}')
    with SiteServer(site_pages) as site:
        done, rows = crawl(site.url("/a.html"), tmp_path, sqlite_url, *told)
        dead = url_key(site.url("/dead.html"))
        keys = {url_key(site.url(path)) for path in site_pages}
    assert done.returncode == 0, done.stderr
    assert len(rows) == len(site_pages)
    engine = open_database(sqlite_url)
    with session_scope(engine, write=False) as session:
        (site_id,) = session.scalars(select(PAGE.c.site_id).distinct())
        samples = {key: BodyRepository(session).stored(site_id, key).sample for key in keys}
    engine.dispose()
    for key, sample in samples.items():
        assert len(set(sample)) == 5
        assert set(sample) <= keys - {key, dead}
