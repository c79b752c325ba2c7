"""Sitemaps, feeds and pages' own metadata, on a real server: good ones are used, bad ones do no harm."""

import gzip
import json
import time

from sqlalchemy import text

from sitecrawl.links.urls import url_id
from tests.badweb.bombs import gzip_of
from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import crawl, read

XML = {"Content-Type": "application/xml"}
PLAIN = {"Content-Type": "text/plain"}


def paths(rows):
    return {row["url"].split("/", 3)[3] for row in rows}


def with_robots(pages, site, *sitemaps):
    lines = "".join(f"Sitemap: {site.url(path) if path.startswith('/') else path}\n" for path in sitemaps)
    site.pages = {**pages, "/robots.txt": (200, PLAIN, f"User-agent: *\nDisallow:\n{lines}")}


def urlset(*locs, lastmod=""):
    dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    entries = "".join(f"<url><loc>{loc}</loc>{dated}</url>" for loc in locs)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def index(*locs):
    entries = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'


def run(site, folder, *more):
    """Crawl; return the process, the feed rows and the stats."""
    done, rows = crawl(
        site.url("/index.html"),
        folder,
        f"sqlite:///{folder}/test.db",
        "-s",
        "STATS_DUMP=True",
        "-s",
        "LOG_LEVEL=INFO",
        *more,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done, rows


def stat(done, name):
    for line in done.stderr.splitlines():
        if f"'sitecrawl/{name}'" in line:
            return json.loads(line.split(": ", 1)[1].rstrip(",}").replace("'", '"'))
    return 0


def hidden(number):
    return article(1000 + number)


def test_the_usual_sitemap_is_read_although_robots_txt_does_not_name_it(tmp_path):
    pages = {**small_site(6), **{f"/hidden/{i}": hidden(i) for i in range(3)}}
    with SiteServer(pages) as site:
        site.pages["/sitemap.xml"] = (200, XML, urlset(*(site.url(f"/hidden/{i}") for i in range(3))))
        done, rows = run(site, tmp_path)
        assert {f"hidden/{i}" for i in range(3)} <= paths(rows)
        assert stat(done, "sitemaps/read") == 1
        del site.pages["/robots.txt"]  # the same without one
        (tmp_path / "again").mkdir()
        done, rows = run(site, tmp_path / "again")
        assert {f"hidden/{i}" for i in range(3)} <= paths(rows)


def test_a_usual_sitemap_that_is_not_there_is_no_failure_and_not_looked_for_again_soon(tmp_path):
    pages = small_site(6)
    for number, answer in enumerate([(404, {}, "no"), "<h1>Front page</h1><p>All unknown URLs lead here.</p>"]):
        with SiteServer({**pages, "/sitemap.xml": answer}) as site:
            folder = tmp_path / str(number)
            folder.mkdir()
            done, _ = run(site, folder)
            assert (stat(done, "sitemaps/failed"), site.log.count("/sitemap.xml")) == (0, 1)
            assert "sitemap.xml" not in done.stderr
            run(site, folder)
            assert site.log.count("/sitemap.xml") == 1


def test_pages_that_only_sitemaps_name_are_found(tmp_path):
    pages = {**small_site(12), **{f"/hidden/{i}": hidden(i) for i in range(4)}}
    with SiteServer(pages) as site:
        with_robots(pages, site, "/index.xml", "/plain.txt", "http://127.0.0.66/other.xml")
        site.pages["/index.xml"] = (200, XML, index(site.url("/one.xml"), site.url("/two.xml.gz")))
        site.pages["/one.xml"] = (200, XML, urlset(site.url("/hidden/0"), site.url("/about.html")))
        packed = gzip.compress(urlset(site.url("/hidden/1")).encode())
        site.pages["/two.xml.gz"] = (200, {"Content-Type": "application/gzip"}, packed)
        site.pages["/plain.txt"] = (200, PLAIN, f"\ufeff{site.url('/hidden/2')}\n{site.url('/hidden/3')}\n")
        done, rows = run(site, tmp_path)
        assert "sitemap on another site, which is not read: http://127.0.0.66/other.xml (1 in all)" in done.stderr
        assert stat(done, "sources/refused/offsite") == 1
    assert {f"hidden/{i}" for i in range(4)} <= paths(rows)
    assert len(rows) == 15 + 4
    assert stat(done, "sitemaps/read") == 4
    assert stat(done, "sitemaps/links") + 0 >= 4
    with read(f"sqlite:///{tmp_path}/test.db") as connection:
        sources = connection.execute(text("SELECT url, kind, pages, problem FROM source ORDER BY url")).all()
    assert [(url.rsplit("/", 1)[1], *rest) for url, *rest in sources] == [
        ("index.xml", 1, 2, None),
        ("one.xml", 1, 2, None),
        ("plain.txt", 1, 2, None),
        ("two.xml.gz", 1, 1, None),
    ]


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


def bomb(headers):
    return 200, headers, gzip_of(256 << 20, b"\0")


BAD = {
    "bomb": (lambda: bomb({"Content-Type": "application/gzip"}), "neither XML nor a list of URLs"),
    "encoded-bomb": (lambda: bomb({**XML, "Content-Encoding": "gzip"}), "when decompressed"),
    "xxe": (
        (
            200,
            XML,
            '<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>&x;</loc></url></urlset>',
        ),
        "it declares a document type",
    ),
    "laughs": (
        (200, XML, f'<!DOCTYPE urlset [<!ENTITY l0 "x">{LAUGHS}]><urlset><url><loc>&l9;</loc></url></urlset>'),
        "document type",
    ),
    "html": ((200, {}, frame("Not found", "<p>There is nothing here.</p>")), "HTML, not a sitemap"),
    "empty": ((200, XML, ""), "the sitemap is empty"),
    "broken": ((200, XML, "<urlset><url><loc>http://"), "malformed XML"),
    "missing": ((404, {}, "no"), "HTTP 404"),
    "elsewhere": ((302, {"Location": "http://127.0.0.66/sitemap.xml"}, ""), "refused"),
}


def test_bad_sitemaps_are_named_and_do_no_harm(tmp_path):
    with SiteServer(small_site(8)) as site:
        with_robots(site.pages, site, *(f"/{name}.xml" for name in BAD), "/itself.xml", "/good.xml")
        for name, (answer, _) in BAD.items():
            site.pages[f"/{name}.xml"] = answer() if callable(answer) else answer
        itself = index(site.url("/itself.xml"), "http://127.0.0.66/x.xml", "file:///etc/passwd")
        site.pages["/itself.xml"] = (200, XML, itself)
        site.pages["/good.xml"] = (200, XML, urlset(site.url("/hidden")))
        site.pages["/hidden"] = hidden(1)
        done, rows = run(site, tmp_path, "-s", "MEMUSAGE_LIMIT_MB=800")
        assert done.cpu < 60
        assert [site.log.count(f"/{name}.xml") for name in (*BAD, "itself", "good")] == [1] * (len(BAD) + 2)
    assert len(rows) == 8 + 3 + 1
    assert "root:x" not in done.stderr + json.dumps(rows)
    with read(f"sqlite:///{tmp_path}/test.db") as connection:
        problems = dict(connection.execute(text("SELECT url, problem FROM source")).all())
    for name, (_, words) in BAD.items():
        assert words in problems[site.url(f"/{name}.xml")]
        assert words in done.stderr
    assert problems[site.url("/itself.xml")] is None


def test_a_million_urls_of_other_hosts_are_counted_and_bounded(tmp_path):
    body = "<urlset>" + "".join(f"<url><loc>http://127.0.0.66/{i}</loc></url>" for i in range(1_000_000)) + "</urlset>"
    pages = small_site(8)
    with SiteServer(pages) as site:
        with_robots(pages, site, "/big.xml.gz")
        site.pages["/big.xml.gz"] = (200, {"Content-Type": "application/gzip"}, gzip.compress(body.encode(), 6))
        done, rows = run(site, tmp_path, "-s", "MEMUSAGE_LIMIT_MB=800")
        assert done.cpu < 60
    assert len(rows) == 11
    assert stat(done, "sitemaps/skipped/offsite") == 200_000
    assert "200000 URLs of it were examined" in done.stderr
    with read(f"sqlite:///{tmp_path}/test.db") as connection:
        assert connection.execute(text("SELECT count(*) FROM page")).scalar() == 11


def test_an_index_that_always_names_new_indexes_ends(tmp_path):
    class Endless(dict):
        def get(self, path, default=None):
            if path.startswith("/maps/"):
                return (200, XML, index(site.url("/maps/0"), *(site.url(f"{path}-{i}") for i in range(3))))
            return super().get(path, default)

    pages = small_site(8)
    with SiteServer(pages) as site:
        with_robots(pages, site, "/maps/0")
        site.pages = Endless(site.pages)
        done, rows = run(site, tmp_path)
        asked = [path for path in site.log if path.startswith("/maps/")]
    assert len(asked) == len(set(asked)) == 1 + 3 + 9
    assert stat(done, "sources/refused/limit") == 9 * 4
    assert len(rows) == 11


def rss(site, *items):
    entries = "".join(
        f"<item><title>t</title><link>{site.url(path) if path.startswith('/') else path}</link><pubDate>{date}</pubDate></item>"
        for path, date in items
    )
    return (200, {"Content-Type": "application/rss+xml"}, f'<rss version="2.0"><channel>{entries}</channel></rss>')


def test_feeds_that_pages_name_are_read(tmp_path):
    link = '<link rel="alternate" type="application/rss+xml" href="{}">'.format
    pages = small_site(12)
    for i in range(12):  # the feed of the site, and one of comments a page
        head = link("/feed/") + link(f"/reports/{i}/feed/")
        pages[f"/reports/{i}.html"] = pages[f"/reports/{i}.html"].replace("</head>", f"{head}</head>")
    with SiteServer(pages) as site:
        site.pages["/feed/"] = rss(
            site,
            ("/hidden/1", "Fri, 01 Jan 2099 00:00:00 GMT"),
            ("/reports/1.html", "Thu, 01 Jan 2026 00:00:00 GMT"),
            ("http://127.0.0.66/", ""),
        )
        site.pages["/hidden/1"] = hidden(1)
        done, rows = run(site, tmp_path)
        assert site.log.count("/feed/") == 1
        assert not [path for path in site.log if path.endswith("/feed/") and path != "/feed/"]
    assert "hidden/1" in paths(rows)
    assert stat(done, "feeds/read") == 1
    assert stat(done, "feeds/links") == 1
    assert stat(done, "feeds/skipped/future") == 1
    assert stat(done, "feeds/skipped/offsite") == 1


def test_what_pages_say_of_themselves(tmp_path):
    pages = small_site(12)
    edits = {
        0: '<meta name="robots" content="noindex"><link rel="alternate" hreflang="de" href="/de/0.html">',
        1: '<meta name="googlebot" content="noindex">',
        2: '<link rel="canonical" href="http://127.0.0.66/elsewhere.html">',
    }
    for i, head in edits.items():
        pages[f"/reports/{i}.html"] = pages[f"/reports/{i}.html"].replace("</head>", f"{head}</head>")
    pages["/reports/3.html"] = (
        200,
        {"X-Robots-Tag": "unavailable_after: 25 Jun 2010 15:00:00 PST"},
        pages["/reports/3.html"],
    )
    pages["/reports/4.html"] = (200, {"X-Robots-Tag": "googlebot: noindex"}, pages["/reports/4.html"])
    nofollow = article(5).replace("</article>", '<a href="/never.html">x</a></article>')
    pages["/reports/5.html"] = (200, {"X-Robots-Tag": "sitecrawl: nofollow"}, nofollow)
    ends = {"ETag": '"six"', "X-Robots-Tag": "unavailable_after: 1 Jan 2099 15:00:00 GMT"}
    pages["/reports/6.html"] = (200, ends, pages["/reports/6.html"])
    pages["/reports/7.html"] = (200, {"ETag": '"seven"'}, pages["/reports/7.html"])
    pages["/never.html"] = hidden(1)
    pages["/de/0.html"] = hidden(2)
    with SiteServer(pages) as site:
        done, rows = run(site, tmp_path)
        assert "/never.html" not in site.log
        assert "/de/0.html" in site.log
        assert [row["url"] for row in rows if row["noindex"]] == [site.url(f"/reports/{i}.html") for i in (0, 3)]
    assert stat(done, "pages/noindex") == 2
    assert stat(done, "pages/nofollow") == 1
    assert stat(done, "links/alternates") == 1
    assert stat(done, "pages/canonical_elsewhere") == 1
    with read(f"sqlite:///{tmp_path}/test.db") as connection:
        queued = connection.execute(text("SELECT count(*) FROM outbox")).scalar()
        stored = connection.execute(text("SELECT count(*) FROM content")).scalar()
        asked = "SELECT etag FROM page WHERE url LIKE '%/reports/6.html' OR url LIKE '%/reports/7.html' ORDER BY url"
        validators = connection.execute(text(asked)).scalars().all()
    assert stored - queued == 2
    assert validators == [None, '"seven"']  # a 304 would not tell that a page's time in indexes has ended


def test_a_page_that_forbids_indexing_no_longer_has_a_row(tmp_path):
    pages = small_site(6)
    allowed, path = pages["/reports/0.html"], "/reports/0.html"
    pages[path] = (200, {"X-Robots-Tag": "noindex"}, allowed)
    with SiteServer(pages) as site:
        run(site, tmp_path)
        site.pages[path] = allowed
        _, rows = run(site, tmp_path)
        assert [(row["url"], row["status"], row["noindex"]) for row in rows] == [(site.url(path), "changed", False)]


def states(folder):
    """Return the state of each page's content by path: the path of its original, and whether an index contains it."""
    with read(f"sqlite:///{folder}/test.db") as connection:
        rows = connection.execute(
            text("SELECT url, duplicate_of, indexed FROM page JOIN content USING (site_id, url_key)")
        ).all()
    by_id = {url_id(url): url for url, _, _ in rows}
    return {
        url.split("/", 3)[3]: (by_id[original].split("/", 3)[3] if original else None, bool(indexed))
        for url, original, indexed in rows
    }


def test_duplicates_near_and_exact_are_kept_out_and_take_the_place_of_the_original(tmp_path):
    pages = small_site(12)
    long = "".join(f"<p>{' '.join(f'word{n * 90 + i}' for i in range(90))}</p>" for n in range(5))
    whole = frame("The long report", f"<article><h1>The long report</h1>{long}</article>")
    pages["/long.html"] = whole
    pages["/print/long.html"] = whole.replace("word50 ", "word999 ", 1)
    pages["/a/copy/long.html"] = whole
    pages["/long-2.html"] = whole.replace("word60 ", "word998 ", 1).replace("The long report", "The long report 2")
    links = "".join(
        f'<a href="{path}">x</a>' for path in ("/long.html", "/print/long.html", "/a/copy/long.html", "/long-2.html")
    )
    pages["/about.html"] = pages["/about.html"].replace("</p>", links + "</p>", 1)
    with SiteServer(pages) as site:
        _, rows = run(site, tmp_path)
        first = states(tmp_path)
        del site.pages["/long.html"]
        site.pages["/long.html"] = (410, {}, "gone")
        _, again = run(site, tmp_path)
    kept = [path for path in ("long.html", "print/long.html", "a/copy/long.html") if first[path] == (None, True)]
    assert len(kept) == 1
    assert first["long-2.html"] == (None, True)
    assert (
        sorted(first[path] for path in ("long.html", "print/long.html", "a/copy/long.html") if path not in kept)
        == [(kept[0], False)] * 2
    )
    assert len([row for row in rows if "long" in row["url"] and row["duplicate_of"] is None]) == 2
    after = states(tmp_path)
    assert after["print/long.html"][1] + after["a/copy/long.html"][1] == 1
    if kept == ["long.html"]:
        assert after["print/long.html"] == (None, True)
        assert {row["url"].split("/", 3)[3]: row["status"] for row in again if "long" in row["url"]} == {
            "long.html": "gone",
            "print/long.html": "changed",
        }


def test_pages_that_name_one_canonical_page_are_one_document(tmp_path):
    pages = small_site(12)
    links = "".join(f'<a href="/same/{i}.html">x</a>' for i in range(4))
    pages["/about.html"] = pages["/about.html"].replace("</p>", links + "</p>", 1)
    for i, target in enumerate(("/the.html", "/the.html", "/missing.html", "/same/2.html")):
        head = f'<link rel="canonical" href="{target}">'
        pages[f"/same/{i}.html"] = article(500 + i // 2).replace("</head>", f"{head}</head>")
    pages["/the.html"] = article(500)
    with SiteServer(pages) as site:
        run(site, tmp_path)
        found = states(tmp_path)
    assert found["the.html"] == (None, True)
    assert found["same/0.html"] == found["same/1.html"] == ("the.html", False)
    assert found["same/2.html"] == (None, True)  # its canonical page is not there: it is not lost
    assert found["same/3.html"] == ("same/2.html", False)


def test_dates_of_sitemaps_spare_visits_and_hasten_others(tmp_path):
    pages = small_site(12)
    with SiteServer(pages) as site:
        with_robots(pages, site, "/map.xml")
        locs = [site.url(f"/reports/{i}.html") for i in range(12)]
        site.pages["/map.xml"] = (200, XML, urlset(*locs, lastmod="2020-01-01"))
        run(site, tmp_path)
        run(site, tmp_path)  # finds all pages as they had been
        site.log.clear()
        site.pages["/map.xml"] = (
            200,
            XML,
            urlset(*locs[1:], lastmod="2020-01-01").replace(
                "</urlset>", f"<url><loc>{locs[0]}</loc><lastmod>2098-01-01</lastmod></url></urlset>"
            ),
        )
        site.pages["/reports/3.html"] = article(77)
        spared, rows = run(site, tmp_path)
        assert "/reports/3.html" not in site.log
        assert "/index.html" in site.log
        assert stat(spared, "sitemaps/skipped/future") == 1
        assert stat(spared, "visits/skipped") >= 10
        assert rows == []
        with read(f"sqlite:///{tmp_path}/test.db") as connection:  # the last visits may have been in this second
            moment = "'2021-01-01 00:00:00.000000'"
            connection.execute(text(f"UPDATE page SET visited_at = {moment}, fetched_at = {moment}"))
            connection.commit()
        today = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        site.log.clear()
        site.pages["/map.xml"] = (
            200,
            XML,
            urlset(*locs[4:], lastmod="2020-01-01").replace(
                "</urlset>", f"<url><loc>{locs[3]}</loc><lastmod>{today}</lastmod></url></urlset>"
            ),
        )
        hastened, rows = run(site, tmp_path)
        assert "/reports/3.html" in site.log
        assert stat(hastened, "visits/hastened") == 1
    assert [row["status"] for row in rows] == ["changed"]
