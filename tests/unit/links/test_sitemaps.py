import contextlib
import datetime as dt
import gzip
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import SitemapError
from sitecrawl.links import sitemap_entries, sitemaps
from sitecrawl.links.dates import parse_date
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.sitemap_entries import SitemapCounts
from sitecrawl.links.sitemaps import read_sitemap, robots_sitemaps
from sitecrawl.links.urls import url_key

URL = "https://example.org/maps/sitemap.xml"
SCOPE = SiteScope.of(URL)
NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body, url=URL):
    return read_sitemap(body.encode() if isinstance(body, str) else body, url, SCOPE, NOW)


def urlset(*locs):
    return f"<urlset {SPACE}>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>"


def urls(sitemap):
    return [entry.url for entry in sitemap.entries]


def test_pages_with_their_dates():
    found = read(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {SPACE}>'
        "<url><loc>https://example.org/a</loc><lastmod>2024-05-17</lastmod><priority>0.8</priority></url>"
        "<url><lastmod>2024-05-17T10:00:00+02:00</lastmod><loc>https://example.org/b</loc></url>"
        "<url><loc>https://example.org/c</loc><lastmod>soon</lastmod></url></urlset>"
    )
    assert found.kind == "urlset"
    assert found.problem is None
    assert [(entry.url, entry.lastmod) for entry in found.entries] == [
        ("https://example.org/a", parse_date("2024-05-17")),
        ("https://example.org/b", parse_date("2024-05-17T08:00:00Z")),
        ("https://example.org/c", None),
    ]
    assert found.entries[0].url_key == url_key("https://example.org/a")
    assert found.skipped == SitemapCounts()


def test_an_index_names_sitemaps_of_the_site():
    found = read(
        f"<sitemapindex {SPACE}><sitemap><loc>https://example.org/one.xml.gz</loc><lastmod>2025</lastmod></sitemap>"
        "<sitemap><loc>https://cdn.example/two.xml</loc></sitemap><sitemap><loc>/three.xml</loc></sitemap></sitemapindex>"
    )
    assert found.kind == "index"
    assert urls(found) == ["https://example.org/one.xml.gz", "https://example.org/three.xml"]
    assert found.entries[0].lastmod == parse_date("2025")
    assert found.skipped.offsite == 1


@pytest.mark.parametrize(
    ("loc", "url"),
    [
        ("\n  https://example.org/a?x=1&amp;y=2  \n", "https://example.org/a?x=1&y=2"),
        ("<![CDATA[https://example.org/a?x=1&y=2]]>", "https://example.org/a?x=1&y=2"),
        ("https://example.org/a?x=1&y=2", "https://example.org/a?x=1&y=2"),
        ("https://example.org/a?x=1&amp;amp;y=2", "https://example.org/a?x=1&y=2"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("http://www.example.org/a", "http://www.example.org/a"),
        ("/a", "https://example.org/a"),
        ("https://example.org/&#97;", "https://example.org/a"),
        ("https://example.org/<b>no</b>a", None),  # markup is no address
    ],
)
def test_spellings_of_loc(loc, url):
    assert urls(read(urlset(loc))) == ([url] if url else [])


@pytest.mark.parametrize(
    ("loc", "reason"),
    [
        ("https://other.example/", "offsite"),
        ("http://127.0.0.66/", "offsite"),
        ("https://example.org:8443/", "offsite"),
        ("file:///etc/passwd", "bad"),
        ("https://[", "bad"),
        ("https://user:pw@example.org/", "bad"),
        (f"https://example.org/{'x' * 20_000}", "bad"),
        ("https://example.org/map.pdf", "not_html"),
        (f"https://example.org/{'a/' * 30}", "trapped"),
        ("https://example.org/first", "duplicate"),
    ],
)
def test_what_is_left_out_is_counted(loc, reason):
    found = read(urlset("https://example.org/first", loc, "https://example.org/last"))
    assert urls(found) == ["https://example.org/first", "https://example.org/last"]
    assert found.skipped == SitemapCounts(**{reason: 1})


def test_pictures_and_translations():
    found = read(
        f'<urlset {SPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
        ' xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://example.org/a</loc>'
        "<image:image><image:loc>https://example.org/picture</image:loc></image:image>"
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/a"/>'
        '<xhtml:link rel="alternate" hreflang="fr" href="https://example.org/fr/a"/></url>'
        "<url><loc>https://example.org/de/a</loc><lastmod>2025-01-01</lastmod></url></urlset>"
    )
    assert urls(found) == ["https://example.org/a", "https://example.org/de/a", "https://example.org/fr/a"]
    assert found.entries[1].lastmod == parse_date("2025-01-01")


def test_dates_that_lie_ahead_are_dropped_and_counted():
    found = read(f"<urlset {SPACE}><url><loc>https://example.org/a</loc><lastmod>2099-01-01</lastmod></url></urlset>")
    assert [entry.lastmod for entry in found.entries] == [None]
    assert found.skipped == SitemapCounts(future=1)


def test_dates_stamped_on_every_page_are_dropped():
    stamp = "<lastmod>2026-03-01T11:59:00Z</lastmod>"
    entry = "<url><loc>https://example.org/{}</loc>{}</url>".format
    stamped = read(f"<urlset {SPACE}>{''.join(entry(i, stamp) for i in range(20))}</urlset>")
    assert stamped.skipped.stamped == 20
    assert {one.lastmod for one in stamped.entries} == {None}
    old = "<lastmod>2025-01-01</lastmod>"
    mixed = read(f"<urlset {SPACE}>{''.join(entry(i, stamp if i < 15 else old) for i in range(20))}</urlset>")
    assert mixed.skipped.stamped == 0
    assert None not in {one.lastmod for one in mixed.entries}
    few = read(f"<urlset {SPACE}>{''.join(entry(i, stamp) for i in range(5))}</urlset>")
    assert few.skipped.stamped == 0


def test_packed_and_other_encodings():
    plain = urlset("https://example.org/a?x=1&amp;y=2", "https://example.org/ä")
    expected = ["https://example.org/a?x=1&y=2", "https://example.org/%C3%A4"]
    assert urls(read(gzip.compress(plain.encode()))) == expected
    assert urls(read(b"\xef\xbb\xbf \n" + plain.encode())) == expected
    assert urls(read(f'<?xml version="1.0" encoding="UTF-16"?>{plain}'.encode("utf-16"))) == expected
    assert urls(read(f'<?xml version="1.0" encoding="ISO-8859-1"?>{plain}'.encode("latin-1"))) == expected


def test_a_text_with_one_url_a_line_is_a_sitemap():
    text = "https://example.org/a\r\n\r\n https://example.org/b?x=1&y=2 \nnot a url\nhttps://other.example/\nhttps://example.org/c"
    for body in (text.encode(), b"\xef\xbb\xbf" + text.encode(), gzip.compress(text.encode()), text.encode("utf-16")):
        found = read(body, "https://example.org/sitemap.txt")
        assert found.kind == "text"
        assert urls(found) == ["https://example.org/a", "https://example.org/b?x=1&y=2", "https://example.org/c"]
        assert found.skipped == SitemapCounts(bad=1, offsite=1)


def test_text_across_pieces():
    lines = [f"https://example.org/{'x' * (i % 300)}{i}" for i in range(2000)]
    assert urls(read("\n".join(lines))) == lines


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("<!DOCTYPE html><html><body><a href=/x>x</a></body></html>", "HTML, not a sitemap"),
        ("<html><head></head></html>", "HTML, not a sitemap"),
        ("<note><loc>https://example.org/</loc></note>", "<note> is not a sitemap"),
        ("Not found\n" * 500, "neither XML nor a list of URLs"),
        ("Not found", "neither XML nor a list of URLs"),
        (bytes(100_000), "neither XML nor a list of URLs"),
        ("<", "no XML element"),
        ("<!-- x -->", "no XML element"),
        (b"\x1f\x8b\x08nonsense", "gzip"),
    ],
)
def test_what_is_no_sitemap_is_named(body, words):
    with pytest.raises(SitemapError) as caught:
        read(body)
    assert words.lower() in str(caught.value).lower() or caught.value.reason.startswith("malformed XML")
    assert str(caught.value).startswith(URL)


def test_feeds_are_for_the_reader_of_feeds():
    assert read("<rss version='2.0'><channel/></rss>").kind == "feed"
    assert read('<feed xmlns="http://www.w3.org/2005/Atom"><entry/></feed>').kind == "feed"


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


@pytest.mark.parametrize(
    "subset",
    [
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;',
        f'<!ENTITY l0 "lol">{LAUGHS}',
        "",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(subset, encoding):
    body = f"<!DOCTYPE urlset [{subset}]>{urlset('https://example.org/&x;', 'https://example.org/&l9;')}"
    started = time.process_time()
    with pytest.raises(SitemapError, match="it declares a document type"):
        read(body.encode(encoding))
    assert time.process_time() - started < 5


def test_broken_xml_gives_what_could_be_read():
    found = read(urlset("https://example.org/a", "https://example.org/b").removesuffix("</loc></url></urlset>"))
    assert urls(found) == ["https://example.org/a"]
    assert found.problem.startswith("malformed XML")
    found = read(
        "<urlset><url><loc>https://example.org/a</lo></url><url><loc>https://example.org/b</loc></url></urlset>"
    )
    assert "https://example.org/b" in urls(found)
    assert found.problem.startswith("malformed XML")
    packed = gzip.compress(urlset(*(f"https://example.org/{i * 7919}" for i in range(3000))).encode())
    found = read(packed[: len(packed) // 2])
    assert 500 < len(found.entries) < 3000
    assert found.problem is not None


def test_an_ampersand_at_the_edge_of_a_piece():
    for shift in range(12):
        pad = "<!--" + "x" * (65_536 - 60 - shift) + "-->"
        body = f"<urlset>{pad}<url><loc>https://example.org/a?x=1&y=2&amp;z=3</loc></url></urlset>"
        assert urls(read(body)) == ["https://example.org/a?x=1&y=2&z=3"]


def test_a_sitemap_is_read_up_to_its_limits(monkeypatch):
    monkeypatch.setattr(sitemap_entries, "MAX_URLS", 5)
    found = read(urlset(*(f"https://example.org/{i}" for i in range(20))))
    assert len(found.entries) == 5
    assert found.problem == "5 pages were taken from it"
    monkeypatch.setattr(sitemap_entries, "MAX_LOOKED_AT", 7)
    found = read(urlset(*(f"https://other.example/{i}" for i in range(20)), "https://example.org/a"))
    assert found.entries == []
    assert found.skipped.offsite == 7
    assert found.problem == "7 URLs of it were examined"
    monkeypatch.setattr(sitemap_entries, "MAX_SITEMAPS", 3)
    index = urlset(*(f"https://example.org/{i}.xml" for i in range(20))).replace("url>", "sitemap>")
    found = read(index.replace("urlset", "sitemapindex"))
    assert len(found.entries) == 3
    monkeypatch.setattr(sitemaps, "MAX_BYTES", 1000)
    assert len(read(urlset(*(f"https://example.org/{i}" for i in range(4)), " " * 5000)).entries) == 4


def test_a_million_urls_of_other_hosts_cost_little():
    body = (
        b"<urlset>"
        + b"".join(b"<url><loc>https://other.example/page/%d</loc></url>" % i for i in range(1_000_000))
        + b"</urlset>"
    )
    packed = gzip.compress(body, 1)
    del body
    tracemalloc.start()
    started = time.process_time()
    found = read(packed)
    seconds = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.entries == []
    assert found.skipped.offsite == sitemap_entries.MAX_LOOKED_AT
    assert found.problem == "200000 URLs of it were examined"
    assert peak < 4 << 20
    assert seconds < 20  # 0.7 s without the tracing of memory


def test_many_hosts_are_not_remembered_for_ever():
    found = read(urlset(*(f"https://h{i}.example/" for i in range(3000)), "https://example.org/a"))
    assert found.skipped.offsite == 3000
    assert urls(found) == ["https://example.org/a"]


@pytest.mark.parametrize(
    "body",
    [
        b"<urlset>" + b"<url>" * 200_000,
        b"<urlset><url><loc>" + b"x" * 5_000_000,
        b"<urlset " + b"a='1' " * 50_000 + b">",
        b"<urlset>" + b"&" * 1_000_000,
        b"<urlset><url><loc>" + b"<![CDATA[x]]>" * 100_000 + b"</loc></url></urlset>",
        b"https://example.org/" + b"x" * 5_000_000,
        b"\n" * 5_000_000 + b"https://example.org/",
        b"<" * 1_000_000,
    ],
    ids=["deep", "long loc", "attributes", "ampersands", "cdata", "long line", "blank lines", "brackets"],
)
def test_hostile_bodies_end_soon(body):
    started = time.process_time()
    with contextlib.suppress(SitemapError):
        assert len(read(body).entries) <= 1
    assert time.process_time() - started < 5


@given(st.binary(max_size=400), st.booleans())
def test_no_body_raises_anything_else(data, xml):
    body = b"<urlset><url><loc>https://example.org/" + data + b"</loc></url></urlset>" if xml else data
    try:
        found = read(body)
    except SitemapError:
        return
    assert all(SCOPE.contains(entry.url) for entry in found.entries)


def test_robots_names_sitemaps():
    text = (
        "User-agent: *\nDisallow: /x\nSitemap: https://example.org/a.xml\r\nSITEMAP : /b.xml # here\n"
        " sitemap:c.xml\nSitemap:\nSitemap: http://[\nSitemap: https://example.org/a.xml\n"
    )
    assert robots_sitemaps(text, "https://example.org/robots.txt") == [
        "https://example.org/a.xml",
        "https://example.org/b.xml",
        "https://example.org/c.xml",
    ]
    assert len(robots_sitemaps("\n".join(f"Sitemap: /{i}" for i in range(5000)), URL)) == sitemap_entries.MAX_SITEMAPS
