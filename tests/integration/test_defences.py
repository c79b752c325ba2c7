"""What a bad server cannot do to a crawl: flood it with headers, lead it astray, or lose its pages in an outage."""

import itertools
import socket
import threading

from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import crawl


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


def test_a_flood_of_headers_ends_the_page_and_nothing_else(tmp_path, sqlite_url):
    with HeaderFlood() as flood:
        done, rows = crawl(flood.url("/index.html"), tmp_path, sqlite_url, "-s", "RETRY_ENABLED=False")
    assert done.returncode == 1
    assert "response headers" in done.stderr
    assert rows == []
    assert flood.sent
    assert max(flood.sent) < 100_000  # cut off; what was under way in the buffers of the system does not count


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
