"""Serves the cases and a normal site on one port of 127.0.0.1; a second, forbidden listener must receive no connection.

Standard library only. A case is a function of a `Visit`, named as its path (`redirect_chain` answers below
`/redirect-chain/`), with its `Expect` beside it. Nothing is random but by the seed.
"""

import contextlib
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.integration.server import frame, small_site

STORED, EXCLUDED, FAILED, REDIRECTED, ANY = "stored", "excluded", "failed", "redirected", "any"


@dataclass(frozen=True, slots=True)
class Expect:
    """The required result of a crawl of a case. Paths are relative to the case's own."""

    outcome: str
    """Of the page at the case's path: main content, EXCLUDED, FAILED, REDIRECTED, or whatever is recorded."""
    reason: str = ""
    """Regular expression of what is recorded, when it is not content."""
    requests: int = 4
    fetched: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """A text that no stored text of the case may contain."""
    holding: tuple[str, ...] = ()
    """A text that the page at the case's path must contain."""
    gap: float = 0.0
    """Least seconds between two requests of the case."""
    contents: tuple[int, int] | None = None
    """Least and most stored pages of the case."""
    documents: tuple[int, int] | None = None
    """Least and most of them that are no duplicate of another page."""
    linked: bool = True
    """Whether the front page links to it; sitemaps are found otherwise."""


Case = Callable[["Visit"], None]
CASES: dict[str, tuple[Case, Expect]] = {}


def case(expect: Expect) -> Callable[[Case], Case]:
    """Register a case under the name of its function."""

    def register(function: Case) -> Case:
        CASES[function.__name__.replace("_", "-")] = (function, expect)
        return function

    return register


class Visit:
    """One request to a case, and the means to answer it badly."""

    def __init__(self, connection: socket.socket, name: str, target: str, headers: Mapping[str, str], web: "BadWeb"):
        self.connection, self.name, self.target, self.headers, self.web = connection, name, target, headers, web
        self.rest = target[len(name) + 2 :]
        """The part of the URL after the case's path, with the query."""
        self.number = web.log.count(target)
        """1 for the first request of this URL."""
        self.random = random.Random(f"{web.seed} {target}")
        self.open = True

    @property
    def here(self) -> str:
        """The path of the case."""
        return f"/{self.name}/"

    def page(self, main: str = "", title: str = "", head: str = "") -> str:
        """A good page in the site's frame, whose text contains the name of the case."""
        text = "".join(
            f"<p>The case {self.name} at {self.rest or 'its start'} says in its paragraph {i} what no other page says,"
            f" {' '.join(self.random.choices(WORDS, k=14))}.</p>"
            for i in range(4)
        )
        html = frame(title or f"Case {self.name} {self.rest}", f"<h1>Case {self.name}</h1>{text}{main}")
        return html.replace("</head>", f"{head}</head>")

    def answer(
        self, body: str | bytes | None = None, status: int | str = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer as HTTP asks: with the length of the body."""
        data = body.encode() if isinstance(body, str) else self.page().encode() if body is None else body
        lines = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(data)), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        self.send(f"HTTP/1.1 {status} Answer\r\n{head}\r\n".encode() + data)

    def redirect(self, target: str, status: int = 302) -> None:
        """Send the client elsewhere."""
        self.answer("moved", status, {"Location": target})

    def raw(self, head: str, body: bytes = b"") -> None:
        """Answer with lines of one's own, and close."""
        self.send(head.replace("\n", "\r\n").encode("latin-1") + body)
        self.close()

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def close(self) -> None:
        self.open = False

    def hold(self, seconds: float = 30) -> None:
        """Send nothing until the client disconnects."""
        self.open = False
        self.connection.settimeout(seconds)
        with contextlib.suppress(OSError):
            while self.connection.recv(4096):
                pass

    def trickle(self, data: bytes, every: float = 0.5) -> None:
        """Send a byte now and then until the client hangs up."""
        self.open = False
        for byte in data:
            self.send(bytes((byte,)))
            time.sleep(every)

    def reset(self) -> None:
        """Break the connection off."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def flood(self, block: bytes, times: int) -> None:
        """Send without end, nearly."""
        self.open = False
        for _ in range(times):
            self.send(block)
            self.web.sent[self.name] = self.web.sent.get(self.name, 0) + len(block)


WORDS = [
    "amber",
    "basin",
    "cellar",
    "drift",
    "ember",
    "fathom",
    "gravel",
    "hollow",
    "ivory",
    "juniper",
    "kettle",
    "ledger",
    "marble",
    "nettle",
    "orchard",
]


class Forbidden:
    """Listens where no crawl may connect, on IPv4 and, if available, IPv6; counts the connections."""

    def __init__(self) -> None:
        self.connects = 0
        self.listeners = [socket.create_server(("127.0.0.1", 0), backlog=64)]
        self.port = self.listeners[0].getsockname()[1]
        with contextlib.suppress(OSError):
            self.listeners.append(socket.create_server(("127.0.0.2", self.port)))
        with contextlib.suppress(OSError):
            self.listeners.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
        for listener in self.listeners:
            threading.Thread(target=self._count, args=(listener,), daemon=True).start()

    def _count(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self.connects += 1
                connection.close()

    def urls(self) -> list[str]:
        """The listener's address in many spellings."""
        mapped = "[::ffff:127.0.0.1]"
        hosts = ("127.0.0.1", "127.0.0.2", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "localhost")
        hosts = (*hosts, "LOCALHOST.", "[::1]", mapped, "user:word@127.0.0.1", "127.0.0.1.", "①②⑦.⓪.⓪.①")
        return [f"http://{host}:{self.port}/secret" for host in hosts]


class BadWeb:
    """The server. `log` has every request target, `hosts` every Host header, `sent` the bytes of floods."""

    def __init__(
        self,
        cases: Mapping[str, tuple[Case, Expect]] = CASES,
        seed: int = 1,
        articles: int = 30,
        address: tuple[str, int] = ("127.0.0.1", 0),
    ) -> None:
        self.cases, self.seed = dict(cases), seed
        self.log: list[str] = []
        self.times: list[tuple[float, str, dict[str, str]]] = []
        """(time, target, headers) of every request."""
        self.version = 1
        """Of the pages that change between two crawls."""
        self.answer_robots: Callable[[Visit], None] | None = None
        """Answers for /robots.txt, and where that redirects, instead of the common one."""
        self.hosts: set[str] = set()
        self.sent: dict[str, int] = {}
        self.forbidden = Forbidden()
        self.site = small_site(articles)
        self.down = False
        """Whether every page answers 503; robots.txt does not."""
        self.listener = socket.create_server(address, backlog=128)
        self.host, self.port = self.listener.getsockname()
        self._lay_out()

    def _lay_out(self) -> None:
        self.good = set(self.site) - {"/robots.txt"}
        parts = [list(self.cases)[start : start + 30] for start in range(0, len(self.cases), 30)]
        for number, names in enumerate(parts):
            links = "".join(f'<li><a href="/{n}/">Case {n}</a></li>' for n in names if self.cases[n][1].linked)
            self.site[f"/cases-{number}.html"] = frame(f"Cases {number}", f"<h1>Cases</h1><ul>{links}</ul>")
        hubs = "".join(f'<li><a href="/cases-{number}.html">Cases {number}</a></li>' for number in range(len(parts)))
        self.site["/index.html"] = self.site["/index.html"].replace("<ul><li>", f"<ul>{hubs}<li>", 1)
        feeds = "".join(
            f'<link rel="alternate" type="application/rss+xml" href="/{n}/feed">' for n in self.cases if "feed-" in n
        )
        self.site["/index.html"] = self.site["/index.html"].replace("</head>", f"{feeds}</head>")
        sitemaps = "".join(f"Sitemap: {self.url(f'/{n}/')}\n" for n in self.cases if n.startswith("sitemap-"))
        refused = "".join(f"Sitemap: {url}\n" for url in self.forbidden.urls())
        self.robots = f"User-agent: *\nDisallow: /private/\nSitemap: file:///etc/passwd\n{refused}{sitemaps}"

    def url(self, path: str = "/index.html") -> str:
        return f"http://{self.host}:{self.port}{path}"

    def asked(self, name: str) -> list[str]:
        """The requested paths below a case's path."""
        return [target[len(name) + 2 :] for target in list(self.log) if target.startswith(f"/{name}/")]

    def __enter__(self) -> "BadWeb":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        for listener in (self.listener, *self.forbidden.listeners):
            listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for target, headers in _requests(connection):
                self.log.append(target)
                self.times.append((time.monotonic(), target, headers))
                self.hosts.add(headers.get("host", ""))
                name = urlsplit(target).path.split("/")[1]
                visit = Visit(connection, name, target, headers, self)
                if self.down and target != "/robots.txt":
                    visit.answer("down", 503)
                elif name in self.cases:
                    self.cases[name][0](visit)
                elif target.startswith("/robots") and self.answer_robots is not None:
                    self.answer_robots(visit)
                elif target == "/robots.txt":
                    visit.answer(self.robots, headers={"Content-Type": "text/plain"})
                else:
                    page = self.site.get(target)
                    visit.answer(page if page is not None else "<h1>Nothing here</h1>", 200 if page else 404)
                if not visit.open:
                    return


def _requests(connection: socket.socket) -> Iterator[tuple[str, dict[str, str]]]:
    """Read requests without a body until the client hangs up."""
    buffer = b""
    while True:
        while b"\r\n\r\n" not in buffer:
            block = connection.recv(65536)
            if not block:
                return
            buffer += block
        head, _, buffer = buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        yield first.split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs}
