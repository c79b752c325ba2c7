"""The drill's website: as many articles as a case wants, each found from another one, and a log of the requests."""

import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.integration.server import WORDS, frame

BRANCHES = 10
"""Articles that each article links to first; the tree reaches all of them in few steps."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Do not log clients that disconnect."""


class DrillSite:
    """A website of `pages` articles; article 0 is its front page.

    `delay` is in seconds an answer; paths in `stalled` are never answered, those in `instead` as they say:
    (status, headers, body). `date` goes into the Date header.
    """

    def __init__(self, pages, delay=0.0, port=0, size=4, host="127.0.0.1"):
        self.pages, self.delay, self.size = pages, delay, size
        self.stalled, self.instead, self.date = set(), {}, None
        self.robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private/\n")
        self.log, self.times, self.headers = [], [], []
        self.server = Server((host, port), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    @property
    def port(self):
        return self.server.server_address[1]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/a/0"

    def asked(self):
        """The articles that were requested, each time they were."""
        return [path for path in self.log if path.startswith("/a/")]

    def forget(self):
        """Begin a new log."""
        self.log, self.times, self.headers = [], [], []

    def answer(self, path):
        """Return (status, headers, body) of a path."""
        if path in self.instead:
            return self.instead[path]
        if path == "/robots.txt":
            return self.robots
        number = path.removeprefix("/a/")
        if not path.startswith("/a/") or not number.isdigit() or int(number) >= self.pages:
            return 404, {}, "<h1>Not found</h1>"
        return 200, {}, self.article(int(number))

    def paragraphs(self, number):
        """The paragraphs of an article, whose words are its own."""
        luck = random.Random(number)
        return [
            f"Report {number} paragraph {i} tells of the {' '.join(luck.choices(WORDS, k=25))}, as seen that day."
            for i in range(self.size)
        ]

    def article(self, number):
        """The HTML of an article; it links to further ones in an order of its own."""
        main = "".join(f"<p>{one}</p>" for one in self.paragraphs(number))
        first = number * BRANCHES + 1
        further = [*range(first, min(first + BRANCHES, self.pages)), (number * 7 + 3) % self.pages]
        random.Random(-number).shuffle(further)
        links = "".join(f'<li><a href="/a/{i}">Report {i}</a></li>' for i in further)
        return frame(
            f"Report {number}",
            f"<article><h1>Report {number}</h1>{main}</article><div class=more><ul>{links}</ul></div>",
        )

    def _handler(site):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet
            timeout = 120

            def do_GET(self):
                site.log.append(self.path)
                site.times.append(time.monotonic())
                site.headers.append(dict(self.headers))
                if self.path in site.stalled:
                    self._hold()
                    return
                if site.delay:
                    time.sleep(site.delay)
                status, headers, body = site.answer(self.path)
                data = body.encode() if isinstance(body, str) else body
                self.send_response_only(status)
                lines = {"Date": site.date or self.date_time_string(), "Content-Type": "text/html; charset=utf-8"}
                for name, value in {**lines, **headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def _hold(self):
                self.close_connection = True
                self.connection.settimeout(120)
                try:
                    while self.connection.recv(4096):
                        pass
                except (TimeoutError, OSError):
                    return

            def log_message(self, *args):
                pass

        return Handler

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *args):
        self.server.shutdown()
        self.server.server_close()
