"""A small website on 127.0.0.1 for crawl tests: paths to answers, and a log of what was asked for."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Say nothing of clients that hang up."""


class SiteServer:
    def __init__(self, pages, tls=None):
        """`pages` maps a path to HTML, to (status, headers, body), or to what returns these; `tls` is an SSL context."""
        self.pages = dict(pages)
        self.log = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                owner.log.append(self.path)
                answer = owner.pages.get(self.path, (404, {}, "<h1>Not found</h1>"))
                if callable(answer):
                    answer = answer()
                if isinstance(answer, str):
                    answer = (200, {}, answer)
                status, headers, body = answer
                data = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.scheme = "http"
        if tls is not None:
            self.scheme = "https"
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def url(self, path="/"):
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}{path}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *args):
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
