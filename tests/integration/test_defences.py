"""Tests of defences: a bad server cannot flood a crawl with headers, lead it astray, or lose its pages in an outage."""

import datetime as dt
import ipaddress
import itertools
import re
import socket
import ssl
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import create_engine, text

from tests import fork
from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import command, crawl, environment, read

STATS = ("-s", "LOG_LEVEL=INFO", "-s", "STATS_DUMP=True")


@pytest.fixture
def tls(tmp_path):
    """A server's TLS context with a certificate of its own for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "server.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


class HeaderFlood:
    """A server that answers every request with headers without end."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.sent = []
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._flood, args=(connection,), daemon=True).start()

    def _flood(self, connection):
        with connection:
            connection.recv(65536)
            count = 0
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
                for count in range(200_000):
                    connection.sendall(b"X-Flood-%d: %s\r\n" % (count, b"x" * 100))
            except OSError:
                pass
            self.sent.append(count)

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}{path}"

    def __exit__(self, *args):
        self.listener.close()


def test_endless_headers_are_cut_off(tmp_path, sqlite_url):
    with HeaderFlood() as flood:
        done, rows = crawl(flood.url("/index.html"), tmp_path, sqlite_url, "-s", "RETRY_ENABLED=False")
    assert done.returncode == 1
    assert "over 500 lines or 256 KB of response headers" in done.stderr
    assert rows == []
    assert flood.sent
    assert max(flood.sent) < 100_000  # cut off; what was under way in the buffers of the system does not count


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_page_with_100_000_headers_fails_alone(tmp_path, sqlite_url, tls, encrypted):
    pages = small_site(12)
    pages["/reports/3.html"] = (200, {f"X-Flood-{i}": "x" * 20 for i in range(100_000)}, article(3))
    pages["/reports/4.html"] = (200, {f"X-Many-{i}": "x" * 20 for i in range(450)}, article(4))
    with SiteServer(pages, tls if encrypted else None) as site:
        settings = ("-s", "DOWNLOAD_VERIFY_CERTIFICATES=False", *STATS)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *settings)
        assert site.log.count("/reports/3.html") == 1  # not tried again
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    paths = {row["url"].split("/", 3)[3] for row in rows}
    assert paths == {"index.html", "about.html", "contact.html", *(f"reports/{i}.html" for i in range(12) if i != 3)}
    assert "'sitecrawl/guard/too_many_headers': 1," in done.stderr
    with read(sqlite_url) as connection:
        reasons = list(connection.execute(text("SELECT url, reason FROM page WHERE status = 4")))
    assert reasons == [
        (site.url("/reports/3.html"), "TooManyHeadersError: over 500 lines or 256 KB of response headers")
    ]


def test_a_forum_of_queries_is_crawled_whole_and_an_endless_calendar_is_cut(tmp_path, sqlite_url):
    topics = 160
    pages = small_site(3)
    links = "".join(f'<a href="/topic.php?t={i}">Topic {i}</a> ' for i in range(topics))
    months = itertools.count(1)

    def month():
        number = next(months)
        return frame(f"Month {number}", f'<p>No events.</p><a href="/calendar?month={number + 1}">next month</a>')

    for i in range(topics):
        pages[f"/topic.php?t={i}"] = article(i)
    for i in range(700):
        pages[f"/calendar?month={i}"] = month
    pages["/index.html"] = frame("Front page", f'<p>Topics</p>{links}<a href="/calendar?month=1">calendar</a>')
    with SiteServer(pages) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "SITECRAWL_MAX_QUERY_VARIANTS=50")
        asked = list(site.log)
    assert done.returncode == 0, done.stderr
    topics_seen = {row["url"].partition("?t=")[2] for row in rows if "/topic.php" in row["url"]}
    calendar = [path for path in asked if path.startswith("/calendar")]
    assert len(calendar) <= 60
    assert len(topics_seen) == topics


class Switch:
    """Pages of a site that a switch turns into something else, after the first `good` answers."""

    def __init__(self, pages, instead, good=30):
        self.instead, self.good, self.on = instead, good, True
        self.answered = itertools.count()
        self.pages = {path: self._guarded(answer) for path, answer in pages.items()}

    def _guarded(self, answer):
        def give():
            if next(self.answered) >= self.good and self.on:
                return self.instead()
            return answer() if callable(answer) else answer

        return give


OUTAGE = (
    "-s",
    "SITECRAWL_OUTAGE_FAILURES=4",
    "-s",
    "SITECRAWL_OUTAGE_PATIENCE=1",
    "-s",
    "RETRY_TIMES=0",  # with RETRY_ENABLED=False a 503 is still tried again, after 5 s and after 10
)


def test_an_outage_ends_the_crawl_and_the_next_one_goes_on(tmp_path, sqlite_url):
    switch = Switch(small_site(60), lambda: (503, {}, "down"))
    with SiteServer(switch.pages) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, *OUTAGE)
        assert done.returncode == 3, done.stderr
        assert "stopped (outage); the same command resumes it" in done.stderr
        assert re.search(
            r"127.0.0.1:\d+ has not answered since \d{4}-.* UTC \(\d failures in a row, the last: HTTP 503\)",
            done.stderr,
        )
        with read(sqlite_url) as connection:
            assert connection.execute(text("SELECT count(*) FROM page WHERE status IN (4, 5, 6)")).scalar() == 0
        switch.on = False
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *OUTAGE)
    assert done.returncode == 0, done.stderr
    assert len({row["url"] for row in rows}) == len(rows) == 63


def test_pages_that_failed_in_a_short_outage_are_fetched_when_it_is_over(tmp_path, sqlite_url):
    failures = itertools.count()

    def down():
        if next(failures) >= 4:
            switch.on = False
        return 503, {}, "down"

    switch = Switch(small_site(40), down, good=20)
    with SiteServer(switch.pages) as site:
        patient = (*OUTAGE[:3], "SITECRAWL_OUTAGE_PATIENCE=90", *OUTAGE[4:])
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *patient)
    assert done.returncode == 0, done.stderr
    assert len({row["url"] for row in rows}) == len(rows) == 43


def test_many_pages_that_are_forbidden_do_not_close_a_healthy_crawl(tmp_path, sqlite_url):
    pages = small_site(60)
    for i in range(20, 31):
        pages[f"/reports/{i}.html"] = (403, {}, "members only")
    with SiteServer(pages) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *OUTAGE, *STATS)
    assert done.returncode == 0, done.stderr
    assert len(rows) == 63 - 11
    assert "'sitecrawl/pages/failed': 11," in done.stderr
    assert "sitecrawl/outage/pauses" not in done.stderr


def test_pages_that_fail_at_the_very_end_are_errors_when_the_host_answers(tmp_path, sqlite_url):
    pages = small_site(12)
    pages["/reports/11.html"] = (500, {}, "oops")
    with SiteServer(pages) as site:
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "RETRY_ENABLED=False")
    assert done.returncode == 0, done.stderr
    assert len(rows) == 14
    with read(sqlite_url) as connection:
        assert connection.execute(text("SELECT reason FROM page WHERE status = 4")).scalar() == "HTTP 500"


def test_a_recrawl_whose_robots_cannot_be_read_keeps_what_it_said_last(tmp_path, sqlite_url):
    pages = small_site(12)
    with SiteServer(pages) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        site.pages["/robots.txt"] = (503, {"Retry-After": "0"}, "")  # it is tried again at once
        site.pages["/private/a.html"] = site.pages["/reports/3.html"] = article(33)
        site.log.clear()
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert done.returncode == 0, done.stderr
        assert [row["status"] for row in rows] == ["changed"]
        assert not [path for path in site.log if path.startswith("/private/")]


def test_a_recrawl_whose_robots_cannot_be_read_and_has_no_copy_changes_nothing(tmp_path, sqlite_url):
    pages = small_site(12)
    with SiteServer(pages) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        site.pages["/robots.txt"] = (503, {}, "")
        flags = ("-s", "RETRY_TIMES=0", "-s", "SITECRAWL_ROBOTS_KEEP=0")
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *flags)
        assert done.returncode == 1
        assert "robots.txt cannot be read (HTTP 503)" in done.stderr
        assert rows == []
        with read(sqlite_url) as connection:
            assert connection.execute(text("SELECT DISTINCT status FROM page")).scalars().all() == [1]
        site.pages["/robots.txt"] = pages["/robots.txt"]
        site.pages["/reports/3.html"] = article(33)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert [row["status"] for row in rows] == ["changed"]


def test_a_page_that_cannot_be_stored_is_said_so(tmp_path, sqlite_url):
    with SiteServer(small_site(12)) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        with read(sqlite_url) as connection:  # such as a fault of ours would do
            connection.execute(
                text(
                    "CREATE TRIGGER fault BEFORE UPDATE ON content WHEN NEW.title LIKE 'Report 3%'"
                    " BEGIN SELECT RAISE(ABORT, 'fault'); END"
                )
            )
            connection.commit()
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 3, done.stderr
    assert "1 page could not be stored, the log says why; the next crawl tries again: http" in done.stderr


def test_a_database_that_is_lost_ends_the_crawl_which_goes_on_later(tmp_path, postgres_url):
    server = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with SiteServer(small_site(60)) as site:

        def revoke():
            with server.begin() as connection:
                connection.execute(text("ALTER TABLE page RENAME TO hidden"))
            return article(30)

        good, site.pages["/reports/30.html"] = site.pages["/reports/30.html"], revoke
        done, _ = crawl(site.url("/index.html"), tmp_path, postgres_url)
        assert done.returncode == 3, done.stderr
        assert "a table is missing" in done.stderr
        assert "the same command resumes it" in done.stderr
        assert "Traceback" not in done.stderr
        assert len(site.log) < 60
        with server.begin() as connection:
            connection.execute(text("ALTER TABLE hidden RENAME TO page"))
            assert connection.execute(text("SELECT lease_owner FROM site")).scalar() is None
        site.pages["/reports/30.html"] = good
        done, rows = crawl(site.url("/index.html"), tmp_path, postgres_url)
    server.dispose()
    assert done.returncode == 0, done.stderr
    assert len({row["url"] for row in rows}) == len(rows) == 63


def test_a_crawl_whose_lease_was_taken_over_ends(tmp_path, sqlite_url):
    pages = small_site(60)
    with SiteServer(pages) as site:

        def take_over():
            with read(sqlite_url) as connection:
                connection.execute(text("UPDATE site SET lease_owner = 'another:1'"))
                connection.commit()
            time.sleep(4)
            return article(30)

        site.pages["/reports/30.html"] = take_over
        for number in range(31, 60):
            site.pages[f"/reports/{number}.html"] = lambda number=number: (time.sleep(0.2), article(number))[1]
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "SITECRAWL_LEASE_SECONDS=10")
    assert done.returncode == 3, done.stderr
    assert "the lease was taken over; this crawl ends" in done.stderr
    assert "Traceback" not in done.stderr
    with read(sqlite_url) as connection:
        assert connection.execute(text("SELECT lease_owner FROM site")).scalar() == "another:1"


def test_a_feed_that_cannot_be_written_ends_the_crawl_and_is_whole_after_the_next(tmp_path, sqlite_url):
    with SiteServer(small_site(40)) as site:
        url, full = site.url("/index.html"), "/dev/full:jsonlines"
        line = command(url, full, sqlite_url)
        done = fork.run(line, capture_output=True, text=True, timeout=120, env=environment(), cwd=tmp_path)
        assert done.returncode == 3, done.stderr
        assert "the feed cannot be written (No space left on device)" in done.stderr
        assert "Traceback" not in done.stderr
        done, rows = crawl(url, tmp_path, sqlite_url)
    assert done.returncode == 0, done.stderr
    assert len({row["url"] for row in rows}) == len(rows) == 43


def test_what_a_server_writes_steers_no_terminal(tmp_path, sqlite_url):
    wild = "text/\x1b]0;owned\x07plain"
    pages = {"/index.html": (200, {"Content-Type": wild}, "no page"), "/robots.txt": (404, {}, "")}
    with SiteServer(pages) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-s", "LOG_LEVEL=DEBUG")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if "not HTML" in line]
    assert len(lines) >= 2  # the log's, and the one for people
    assert all("text/\\x1b]0;owned\\x07plain" in line for line in lines)
    assert "\x1b" not in done.stderr
    assert "\x07" not in done.stderr
