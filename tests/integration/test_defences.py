"""What a bad server cannot do to a crawl: flood it with headers, lead it astray, or lose its pages in an outage."""

import datetime as dt
import ipaddress
import itertools
import socket
import ssl
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import text

from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import crawl, read

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
    topics = 320
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


def test_an_outage_closes_the_crawl_and_the_next_one_goes_on(tmp_path, sqlite_url):
    pages = small_site(60)
    down = threading.Event()
    answered = itertools.count()
    site = SiteServer({})

    def guarded(answer):
        def give():
            if next(answered) >= 30 and not down.is_set():
                return 503, {}, "down"
            return answer() if callable(answer) else answer

        return give

    site.pages.update({path: guarded(answer) for path, answer in pages.items()})
    with site:
        settings = (
            "-s",
            "SITECRAWL_OUTAGE_FAILURES=4",
            "-s",
            "SITECRAWL_OUTAGE_PATIENCE=1",
            "-s",
            "RETRY_ENABLED=False",
        )
        done, _ = crawl(site.url("/index.html"), tmp_path, sqlite_url, *settings)
        assert done.returncode == 3, done.stderr
        assert "stopped (outage); the same command goes on" in done.stderr
        failed = done.stderr.count("could not fetch")
        assert failed <= 8
        down.set()
        done, second = crawl(site.url("/index.html"), tmp_path, sqlite_url, *settings)
    assert done.returncode == 0, done.stderr
    assert len({row["url"] for row in second}) >= 63 - 8
