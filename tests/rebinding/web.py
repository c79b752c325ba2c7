"""The web of the namespace: made-up sites at public addresses, and listeners where no crawl may connect."""

import contextlib
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler

from tests.integration.server import article, frame

SITE4, OTHER4, SITE6 = "93.184.216.34", "93.184.216.35", "2606:2800:220:1::1"
"""Addresses that the sites are at."""
NOBODY = "93.184.216.99"
"""A public address at which no server answers."""
INTRANET = "10.0.0.7"
"""A private address of a site that an operator may crawl."""
NAT64, SIXTOFOUR = "64:ff9b::5db8:d822", "2002:5db8:d822::1"
"""Public addresses that carry SITE4."""
FORBIDDEN = (
    *("10.0.0.5", "127.0.0.2", "169.254.169.254", "172.16.0.5", "192.168.0.5", "192.0.0.192", "100.64.0.5"),
    *("198.18.0.5", "168.63.129.16", "::1", "fd00::1", "fec0::5", "::a00:5", "64:ff9b::a00:5", "64:ff9b:1::a00:5"),
    *("64:ff9b:1:a00:0:500::", "2002:a00:5::1", "2001:0:a00:5::1", "2606:2800:220:1:0:5efe:a00:5"),
)
"""Addresses on which a connect is a failure."""
MAPPED = ("::ffff:10.0.0.5", "::ffff:169.254.169.254")
"""Spellings of forbidden addresses that no interface has."""
SECRET = "INTERNAL-SECRET"
PAGES = 5


class Site:
    """One website by name: a front page, articles, a sitemap and a feed. `pages` maps paths to what else is answered;
    `on` maps a path to what is done when it is requested."""

    def __init__(self, host):
        self.host, self.log, self.on = host, [], {}
        links = "".join(f'<li><a href="/a/{number}">Report {number}</a></li>' for number in range(PAGES))
        self.links = f'<link rel="alternate" type="application/rss+xml" href="http://{host}/feed.xml">'
        self.pages = {
            "/index.html": frame("Front page", f"<h1>Reports</h1><ul>{links}</ul>").replace(
                "</head>", f"{self.links}</head>"
            ),
            "/robots.txt": self.robots(f"http://{host}/sitemap.xml"),
            "/sitemap.xml": self.sitemap(f"http://{host}/a/0"),
            "/feed.xml": (200, {"Content-Type": "application/rss+xml"}, "<rss version='2.0'><channel/></rss>"),
            **{f"/a/{number}": article(number) for number in range(PAGES)},
        }

    @property
    def url(self):
        return f"http://{self.host}/index.html"

    @staticmethod
    def robots(sitemap):
        return 200, {"Content-Type": "text/plain"}, f"User-agent: *\nDisallow: /private/\nSitemap: {sitemap}\n"

    @staticmethod
    def sitemap(*urls):
        entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
        return (
            200,
            {"Content-Type": "application/xml"},
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>',
        )

    def link(self, *urls):
        """Have the front page link to these too."""
        links = "".join(f'<p><a href="{url}">Onward to {number}</a></p>' for number, url in enumerate(urls))
        self.pages["/index.html"] = self.pages["/index.html"].replace("<ul>", f"{links}<ul>")


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 64

    def __init__(self, address, handler):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 80), handler)
        threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()

    def handle_error(self, request, client_address):
        """Log nothing about clients that hang up."""


class Web:
    """All servers of the namespace; `connects` are the addresses that were connected to and may not be."""

    def __init__(self):
        self.sites, self.connects, self.intranet = {}, [], []
        web = self

        class Public(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                site = web.sites.get(self.headers.get("Host", "").partition(":")[0])
                if site is None:
                    self.answer(404, {}, "<h1>No such site</h1>")
                    return
                site.log.append(self.path)
                with contextlib.suppress(KeyError):
                    site.on.pop(self.path)()
                found = site.pages.get(self.path, (404, {}, "<h1>Not found</h1>"))
                self.answer(*((200, {}, found) if isinstance(found, str) else found))

            def answer(self, status, headers, body):
                data = body.encode()
                self.send_response(status)
                lines = {"Content-Type": "text/html; charset=utf-8", **headers, "Content-Length": str(len(data))}
                for name, value in {**lines, "Connection": "close"}.items():  # each request is a connect of its own
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        class Intranet(Public):
            def do_GET(self):
                web.intranet.append(self.path)
                super().do_GET()

        class Forbidden(Public):
            def do_GET(self):
                links = "".join(f'<a href="/internal-{number}">{SECRET} {number}</a>' for number in range(9))
                self.answer(
                    200, {"ETag": f'"{SECRET}"'}, frame(SECRET, f"<p>{SECRET}: the keys of the safe.</p>{links}")
                )

        def counted(address):
            class Counted(_Server):
                def get_request(self):
                    web.connects.append(address)
                    return super().get_request()

            return Counted(address, Forbidden)

        for address in (SITE4, OTHER4, SITE6, NAT64, SIXTOFOUR):
            _Server(address, Public)
        _Server(INTRANET, Intranet)
        for address in FORBIDDEN:
            counted(address)

    def site(self, host):
        """Return a new website of a name."""
        self.sites[host] = Site(host)
        return self.sites[host]
