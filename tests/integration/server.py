"""A small website on 127.0.0.1 for crawl tests: paths to answers, and a log of the requests."""

import hashlib
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OWN = f"127.38.{os.getpid() % 250}.{os.getpid() // 250 % 250 + 1}"
"""A loopback address of this process alone, whose ports no test beside it takes."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Do not log clients that disconnect."""


class SiteServer:
    def __init__(self, pages, tls=None, etags=False, host="127.0.0.1", port=0):
        """`pages` maps a path to HTML, to (status, headers, body), or to what returns these; `tls` is an SSL context.

        With `etags` pages have ETags of their bodies, and If-None-Match is answered with 304.
        """
        self.pages = dict(pages)
        self.log = []
        self.limit = None  # requests after so many wait for their answers until it is raised
        self.changed = threading.Condition()
        self.answers = []  # (path, status, validator that was sent)
        self.etags = etags
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet: the second of two waits 40 ms for an acknowledgement

            def do_GET(self):
                if self.path == "/sitemap.xml" and self.path not in owner.pages:
                    self.send_response(404)  # each first crawl looks for it: it is not logged
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                with owner.changed:
                    owner.log.append(self.path)
                    number = len(owner.log)
                    owner.changed.notify_all()
                    owner.changed.wait_for(lambda: owner.limit is None or number <= owner.limit)
                answer = owner.pages.get(self.path, (404, {}, "<h1>Not found</h1>"))
                if callable(answer):
                    answer = answer()
                if isinstance(answer, str):
                    answer = (200, {}, answer)
                status, headers, body = answer
                data = body.encode() if isinstance(body, str) else body
                asked = self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since")
                if owner.etags and status == 200:
                    headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', **headers}
                    if asked and asked == headers["ETag"]:
                        status, data = 304, b""
                owner.answers.append((self.path, status, asked))
                self.send_response(status)
                for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.server = Server((host, port), Handler)
        self.scheme = "http"
        if tls is not None:
            self.scheme = "https"
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def url(self, path="/"):
        return f"{self.scheme}://{self.server.server_address[0]}:{self.server.server_address[1]}{path}"

    def hold(self, limit):
        """Answer this number of further requests, and no more before `hold(None)`."""
        with self.changed:
            self.limit = None if limit is None else len(self.log) + limit
            self.changed.notify_all()

    def wait(self, count, process, seconds=600):
        """Wait until so many were requested; a process that ended before is a failure."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while not self.changed.wait_for(lambda: len(self.log) >= count, 1):
                assert process.poll() is None, f"it ended after {len(self.log)} of {count} requests"
                assert time.monotonic() < deadline, f"{len(self.log)} of {count} requests in {seconds} s"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *args):
        self.hold(None)
        self.server.shutdown()
        self.server.server_close()


WORDS = [
    "river",
    "stone",
    "harbour",
    "lantern",
    "winter",
    "garden",
    "copper",
    "bridge",
    "morning",
    "letter",
    "island",
    "engine",
    "valley",
    "paper",
    "window",
]


def article(number):
    """An article in the site's frame: menu, main content of its own, related links, footer."""
    sentences = []
    for i in range(6):
        chosen = [WORDS[(number * 7 + i * 3 + k * (number + 2)) % len(WORDS)] for k in range(9)]
        sentences.append(f"<p>Report {number} paragraph {i} tells of the {' '.join(chosen)}, as seen that day.</p>")
    return frame(f"Report {number}", f"<article><h1>Report {number}</h1>{''.join(sentences)}</article>")


def frame(title, main):
    menu = "".join(f'<li><a href="/{name}.html">{name.title()}</a></li>' for name in ("index", "about", "contact"))
    return (
        f"<html lang=en><head><title>{title} - Harbour News</title></head><body>"
        f'<div class="menu"><ul>{menu}</ul></div><div class="main">{main}</div>'
        '<div class="footer"><p>Harbour News is printed in the old town. All rights reserved.</p></div></body></html>'
    )


def small_site(articles=40):
    """A front page, two plain pages, and articles linked from the front page and from each other."""
    links = "".join(f'<li><a href="/reports/{i}.html">Report {i}</a></li>' for i in range(articles))
    pages = {
        "/index.html": frame("Front page", f"<h1>Reports</h1><ul>{links}</ul>"),
        "/about.html": frame(
            "About", "<h1>About</h1><p>We are a small paper that writes of the harbour, since 1907.</p>"
        ),
        "/contact.html": frame(
            "Contact", "<h1>Contact</h1><p>Write to the editors at the customs house, second floor.</p>"
        ),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private/\n"),
    }
    for i in range(articles):
        pages[f"/reports/{i}.html"] = article(i)
    return pages


def noisy_article(number, visit=1, edited=False, head=""):
    """An article whose frame is another on each visit: ads, dates and related links; its text only when `edited`."""
    main = (
        article(number).partition('<div class="main">')[2].partition('<div class="footer">')[0].removesuffix("</div>")
    )
    if edited:
        main = main.replace("paragraph 2 tells", f"paragraph 2 has been corrected on visit {visit}, and tells")
    related = "".join(
        f'<li><a href="/reports/{(number * 3 + visit * 5 + i) % 30}.html">See also {WORDS[(visit + i) % 15]}</a></li>'
        for i in range(4)
    )
    offers = "".join(
        f'<a href="https://shop.example/{word}"><img src="/{word}.png"> {word.title()}s now cheaper</a> '
        for word in (WORDS[(number * 2 + visit * 3 + k) % 15] for k in range(2))
    )
    return (
        f"<html lang=en><head><title>Report {number} - Harbour News</title>{head}</head><body>"
        f'<div class="top"><span class="date">Today is day {visit}, printed at {visit}:0{number % 10}</span></div>'
        '<div class="menu"><ul><li><a href="/index.html">Front page</a></li><li><a href="/about.html">About</a></li></ul>'
        f'</div><div class="main">{main}</div>'
        f'<div class="ads">{offers}</div>'
        f'<div class="related"><h3>Related</h3><ul>{related}</ul></div>'
        f'<div class="footer"><p>Harbour News is printed in the old town. Page built on day {visit}.</p></div></body></html>'
    )


def noisy_site(visit=1, edited=(), articles=60):
    """`small_site` with articles whose frame changes with each visit."""
    pages = small_site(articles)
    for i in range(articles):
        pages[f"/reports/{i}.html"] = noisy_article(i, visit, i in edited)
    return pages
