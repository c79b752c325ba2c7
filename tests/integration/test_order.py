"""The order in which a real crawl asks for pages, as the server sees it."""

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
