import contextlib
import datetime as dt
import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import FeedError
from sitecrawl.links import feeds
from sitecrawl.links.dates import Dated
from sitecrawl.links.feeds import FeedCounts, read_feed
from sitecrawl.links.scope import SiteScope

URL = "https://example.org/feed/"
SCOPE = SiteScope.of(URL)
NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def read(body, **options):
    return read_feed(body.encode() if isinstance(body, str) else body, URL, SCOPE, NOW, **options)


def rss(*items):
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{"".join(items)}</channel></rss>'


def item(link, date="Mon, 02 Feb 2026 10:00:00 +0100"):
    return f"<item><title>A title</title><link>{link}</link><pubDate>{date}</pubDate></item>"


def at(*parts):
    moment = dt.datetime(*parts, tzinfo=dt.UTC)
    return Dated(moment, moment)


def urls(feed):
    return [entry.url for entry in feed.entries]


def test_rss():
    found = read(rss(item("https://example.org/a"), item("/b?x=1&amp;y=2", "nonsense"), item("https://example.org/a")))
    assert [(entry.url, entry.dated) for entry in found.entries] == [
        ("https://example.org/a", at(2026, 2, 2, 9)),
        ("https://example.org/b?x=1&y=2", None),
    ]
    assert found.skipped == FeedCounts(duplicate=1)
    assert found.problem is None


def test_atom():
    found = read(
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><link rel="self" href="https://example.org/feed/"/>'
        '<entry><link rel="self" href="https://example.org/a.atom"/><link href="https://example.org/a"/>'
        "<published>2026-01-01T00:00:00Z</published><updated>2026-02-01T00:00:00Z</updated></entry>"
        '<entry><link rel="alternate" type="text/html" href="b"/></entry></feed>'
    )
    assert [(entry.url, entry.dated) for entry in found.entries] == [
        ("https://example.org/a", at(2026, 2, 1)),
        ("https://example.org/feed/b", None),
    ]


def test_what_is_left_out_is_counted():
    found = read(
        rss(
            item("https://other.example/a"),
            item("http://127.0.0.66/"),
            item(""),
            item("javascript:alert(1)"),
            item("http://["),
            item("https://example.org/show.mp3"),
            item("https://example.org/a", "Fri, 01 Jan 2099 00:00:00 GMT"),
        )
    )
    assert [(entry.url, entry.dated) for entry in found.entries] == [("https://example.org/a", None)]
    assert found.skipped == FeedCounts(offsite=2, bad=3, not_html=1, future=1)


def test_packed_and_other_encodings():
    text = rss(item("https://example.org/ä"))
    assert urls(read(gzip.compress(text.encode()))) == ["https://example.org/%C3%A4"]
    latin = text.replace('"1.0"', '"1.0" encoding="iso-8859-1"').encode("latin-1")
    assert urls(read(latin)) == ["https://example.org/%C3%A4"]


def test_broken_feeds_give_what_can_be_read():
    found = read(rss(item("https://example.org/a"), "<item><title>x & y</title>").replace("</channel></rss>", ""))
    assert urls(found) == ["https://example.org/a"]
    assert found.problem.startswith("malformed: ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "neither RSS nor Atom"),
        ("<!DOCTYPE html><html><body>x</body></html>", "neither RSS nor Atom"),
        ("https://example.org/", "neither RSS nor Atom"),
        ("/etc/passwd", "neither RSS nor Atom"),
        ('<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + rss("<item>&x;</item>"), "it declares entities"),
        ('<!DOCTYPE rss [<!entity x "y">]>' + rss(), "it declares entities"),
        (('<!DOCTYPE rss [<!ENTITY x "y">]>' + rss()).encode("utf-16"), "it declares entities"),
        (rss("<a>" * 50_000), "over 40000 tags"),
        (rss("x" * (feeds.MAX_BYTES + 1)), "over 2097152 bytes"),
        (gzip.compress(rss(" " * (feeds.MAX_BYTES + 1)).encode()), "over 2097152 bytes when unpacked"),
    ],
)
def test_what_is_no_feed_is_named(body, words):
    with pytest.raises(FeedError, match=words):
        read(body)


def test_no_file_or_address_is_opened(monkeypatch):
    def refuse(*_args, **_options):
        raise AssertionError("opened")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)
    for body in ("/etc/passwd", "http://127.0.0.1:9/feed"):
        with pytest.raises(FeedError):
            read(body)


def test_only_so_many_entries(monkeypatch):
    monkeypatch.setattr(feeds, "MAX_ENTRIES", 3)
    found = read(rss(*(item(f"https://example.org/{i}") for i in range(10))))
    assert len(found.entries) == 3
    assert found.skipped.over == 7


@pytest.mark.parametrize(
    "body",
    [
        rss("<a>" * 39_000),
        rss("<item><title>" + "<" * 39_000),
        rss("<item><title>" + "&" * 399_000),
        rss(*(item(f"https://example.org/{i}") for i in range(4500))),
        rss("<item><pubDate>" + "1" * 1_000_000 + "</pubDate></item>"),
        "<rss " + "a='1' " * 100_000 + "/>",
        " " * 2_000_000,
    ],
    ids=["deep", "brackets", "ampersands", "entries", "date", "attributes", "blanks"],
)
def test_hostile_feeds_end_soon(body):
    started = time.process_time()
    with contextlib.suppress(FeedError):
        assert len(read(body).entries) <= feeds.MAX_ENTRIES
    assert time.process_time() - started < 10


@given(st.binary(max_size=300), st.booleans())
def test_no_body_raises_anything_else(data, wrapped):
    body = b"<rss version='2.0'><channel><item><link>" + data + b"</link></item></channel></rss>" if wrapped else data
    try:
        found = read(body)
    except FeedError:
        return
    assert all(SCOPE.contains(entry.url) for entry in found.entries)
