"""OP-36, OP-38 and OP-39: the user interface, run as a process, on pages and requests that attack it."""

import contextlib
import http.client
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urljoin, urlsplit

import lxml.html

from tests.drill.cases import ROOT, case, check, terminate
from tests.drill.crawls import Crawling
from tests.drill.own_network import own_network
from tests.drill.site import DrillSite

PAYLOADS = (
    "<script>drill()</script>",
    '"><img src=x onerror=drill()>',
    "'><svg/onload=drill()>",
    "</title></textarea></script><drill>",
    "{{ 7919 * 7907 }}{% raw %}",
    "--><style>*{display:none}</style>",
    "javascript:drill()//",
    "\u202egnp.exe\u2066 \x1b[31mred",
    "<iframe srcdoc='<script>drill()</script>'></iframe>",
    "<base href=//drill.example/><meta http-equiv=refresh content=0;url=//drill.example/>",
)
EVALUATED = str(7919 * 7907)
ATTACKED = len(PAYLOADS) * 2
MOST = 400
"""Maximum views that are opened."""
ADDRESSES = ("href", "src", "action", "formaction", "data", "xlink:href", "poster", "background")
ELSEWHERE = "10.77.0.1"
"""An address of this machine that is no loopback address, in a network of the case's own."""


class HostileSite(DrillSite):
    """A website whose titles, texts, links, addresses, authors and names of elements are payloads."""

    def article(self, number):
        """The HTML of an article; everything that the user interface may show has a payload."""
        payload = PAYLOADS[number % len(PAYLOADS)]
        shown, attribute = payload.replace("&", "&amp;").replace("<", "&lt;"), payload.replace('"', "&quot;")
        html = super().article(number)
        first = f'<p class="{attribute}" id="{attribute}" onclick="drill()">{shown} tells of it. <a href="javascript:drill()">{shown}</a></p>'
        html = html.replace(f"Report {number}</h1>", f"{shown} {number}</h1><p>By {shown}</p>{first}{payload}")
        html = re.sub(r"<title>[^<]*", lambda _: f"<title>{shown} {number}", html)
        head = f'<meta name=author content="{attribute}"><meta property="og:title" content="{attribute} {number}">'
        more = f'<a href="/a/{number}?q={quote(payload)}&amp;{attribute}">{shown}</a><a href="/{quote(payload)}">{shown}</a>'
        return html.replace("</head>", f"{head}</head>").replace("<ul>", f"<ul><li>{more}</li>")

    def answer(self, path):
        """Return (status, headers, body) of a path; a query changes nothing."""
        return super().answer(path.partition("?")[0])


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to one request."""

    status: int
    headers: dict
    body: str


def free_port():
    """Return a port of the loopback address that nothing listens at."""
    with contextlib.closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Interface:
    """A running `sitecrawl ui`, and the cookie of a user of it."""

    def __init__(self, folder, database, program="ui", **settings):
        told = {"SITECRAWL_DATABASE_URL": database, "SITECRAWL_OVERRIDES": folder / "overrides", **settings}
        flags = [part for name, value in told.items() for part in ("-s", f"{name}={value}")]
        command = [
            sys.executable,
            "-c",
            "from sitecrawl.cli import main; main()",
            program,
            "--port",
            str(free_port()),
            *flags,
        ]
        paths = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
        environment = {**os.environ, "PYTHONPATH": paths, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
        (folder / "overrides").mkdir(exist_ok=True)
        self.log = (folder / f"log-{program}").open("w+")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, cwd=folder, env=environment, text=True
        )
        said = self.process.stdout.readline().split()
        check(said, f"{program} did not start: {self.log.seek(0) or self.log.read()[-500:]}")
        self.address = urlsplit(said[-1])
        self.cookie = ""

    def ask(self, path, *, form=None, method=None, to=None, **headers):
        """Return the answer to a request; `form` is sent as that of a page."""
        connection = http.client.HTTPConnection(to or self.address.hostname, self.address.port, timeout=60)
        body = None if form is None else urlencode(form)
        sent = {
            "Cookie": self.cookie,
            **({} if form is None else {"Content-Type": "application/x-www-form-urlencoded"}),
        }
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        with contextlib.closing(connection):
            connection.request(method or ("GET" if form is None else "POST"), path, body, sent)
            found = connection.getresponse()
            return Answer(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read().decode())

    def enter(self):
        """Take the token of the printed address, as a browser does."""
        found = self.ask(f"{self.address.path or '/'}?{self.address.query}")
        self.cookie = found.headers["set-cookie"].partition(";")[0]

    def close(self):
        terminate(self.process)
        self.process.stdout.close()
        self.log.close()


@contextlib.contextmanager
def interface(folder, database, program="ui", **settings):
    """Run the user interface, or the service."""
    running = Interface(folder, database, program, **settings)
    try:
        yield running
    finally:
        running.close()


def crawled(room, site):
    """Crawl a site; return the database."""
    crawling = Crawling(site.url, room.folder)
    ended = crawling.run(200).clean()
    check(ended.code in (0, 3), f"status {ended.code}: {ended.said[-500:]}")
    return crawling


def harm(html):
    """Return what a page of the interface has of scripts and elements that are not its own; "" if nothing."""
    for element in lxml.html.fromstring(html).iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag in ("drill", "object", "embed", "base"):
            return f"<{element.tag}>"
        if element.tag == "script" and not element.get("src", "").startswith("/static/"):
            return "a script"
        if element.tag == "iframe" and ("srcdoc" in element.attrib or not element.get("src", "").startswith("/")):
            return "an iframe"
        if element.tag == "meta" and element.get("http-equiv", "").lower() == "refresh":
            return "a redirect"
        for name, value in element.items():
            if name.startswith("on"):
                return f"{name}={value[:40]}"
            if name in ADDRESSES and value.strip().lower().startswith(("javascript:", "data:text", "vbscript:")):
                return f"{name}={value[:40]}"
    return EVALUATED if EVALUATED in html else ""


def views(ui):
    """Yield (path, answer) of all views that links, frames and forms of the interface lead to."""
    found, seen = ["/", "/progress", "/search?q=tells", "/decide"], set()
    found += [f"/search?q={quote(payload)}" for payload in PAYLOADS]
    while found and len(seen) < MOST:
        path = found.pop(0)
        if path in seen:
            continue
        seen.add(path)
        answer = ui.ask(path)
        yield path, answer
        if not answer.headers.get("content-type", "").startswith("text/html") or not answer.body:
            continue
        for element in lxml.html.fromstring(answer.body).iter("a", "iframe", "form"):
            url = element.get("href") or element.get("src") or element.get("action") or ""
            target = urlsplit(urljoin(f"http://here{path}", url))
            if target.netloc == "here" and target.scheme == "http":
                found.append(target.path + (f"?{target.query}" if target.query else ""))


@case(
    "OP-36",
    "every view of the UI after a crawl of pages whose titles, texts, links, authors and class names are payloads",
    "payloads are shown as text; a policy that forbids their scripts; no attribute of theirs",
)
def payloads(room):
    with HostileSite(ATTACKED) as site:
        crawling = crawled(room, site)
    stored = crawling.value("SELECT count(*) FROM content WHERE text LIKE '%drill()%'")
    check(stored > ATTACKED / 4, f"{stored} pages have a payload in their text")
    count, escaped = 0, 0
    with interface(room.folder, crawling.database) as ui:
        ui.enter()
        for path, answer in views(ui):
            kind = answer.headers.get("content-type", "").partition(";")[0]
            count += 1
            check(answer.status < 500, f"{path}: status {answer.status}: {answer.body[:300]}")
            policy = answer.headers.get("content-security-policy", "")
            strict = "unsafe" not in policy or (policy.startswith("sandbox") and "script" not in policy)  # styles only
            check("default-src 'none'" in policy and strict, f"{path}: policy {policy!r}")
            check(answer.headers.get("x-content-type-options") == "nosniff", f"{path}: its type may be guessed")
            if kind == "text/html" and answer.body:
                found = harm(answer.body)
                check(not found, f"{path}: {found}")
                escaped += "&lt;script&gt;drill()" in answer.body or "&lt;svg/onload=drill()" in answer.body
        said = ui.log.seek(0) or ui.log.read()
        check("Traceback" not in said, said[-800:])
    check(escaped > 10, f"only {escaped} views show a payload")
    return f"{count} views, {escaped} of them with a payload as text"


def forms(host, key):
    """The requests of the interface that change something: (path, fields)."""
    return [
        ("/sites", {"url": "http://drill.example/"}),
        (f"/sites/{host}", {"act": "forget", "sure": "yes"}),
        (f"/sites/{host}", {"act": "pause"}),
        (f"/sites/{host}/page/{key}/correct", {"remove": "h1"}),
        (f"/sites/{host}/rules", {"name": "x"}),
        (f"/sites/{host}/job", {}),
        (f"/decide/{host}", {}),
        ("/decide/retry", {"host": host}),
        ("/login", {"password": "x"}),
    ]


@case(
    "OP-38",
    "requests that change something: without the token of a form, from another website, under another name, as GET",
    "refused; nothing changes",
)
def foreign_requests(room):
    with DrillSite(40) as site:
        crawling = crawled(room, site)
    host = urlsplit(site.url).netloc

    def state():
        rows = [crawling.query(f"SELECT * FROM {table}") for table in ("site", "page")]
        return rows, sorted(path.name for path in (room.folder / "overrides").iterdir())

    with interface(room.folder, crawling.database) as ui:
        ui.enter()
        listed = ui.ask(f"/sites/{host}/pages")
        key = re.search(r"/sites/[^/]+/page/(\w+)", listed.body)[1]
        token = re.search(r'name="form_token" value="(\w+)"', ui.ask("/").body)[1]
        before, refused, origin = state(), 0, f"http://{ui.address.netloc}"
        for path, fields in forms(host, key):
            right = {**fields, "form_token": token}
            attacks = {
                "no token": ui.ask(path, form=fields, Origin=origin),
                "another token": ui.ask(path, form={**fields, "form_token": token[::-1]}, Origin=origin),
                "another website": ui.ask(path, form=right, Sec_Fetch_Site="cross-site"),
                "another origin": ui.ask(path, form=right, Origin="https://drill.example"),
                "no origin": ui.ask(path, form=right, Origin="null"),
                "another name": ui.ask(path, form=right, Host=f"drill.example:{ui.address.port}"),
            }
            for attack, answer in attacks.items():
                check(400 <= answer.status < 500, f"{path}, {attack}: status {answer.status}")
                refused += 1
            got = ui.ask(f"{path}?{urlencode(right)}")
            check(got.status in (200, 303, 404, 405), f"GET {path}: status {got.status}")
        stranger = ui.ask("/", Cookie="", Origin=origin)
        check(stranger.status == 403 and host not in stranger.body, f"without a cookie: status {stranger.status}")
        time.sleep(0.5)  # a job that was started would write by now
        check(state() == before, "something has changed")
        taken = ui.ask(f"/sites/{host}", form={"act": "pause", "form_token": token}, Origin=origin)
        check(taken.status == 303 and state() != before, f"the own form: status {taken.status}")
    return f"{refused} requests refused, nothing changed by them or by GET; the own form was taken"


@case("OP-39", "`ui` and `serve` by default, asked at another address of the machine", "no connection")
def other_interfaces(room):
    found = []
    with own_network():
        subprocess.run(["ip", "address", "add", f"{ELSEWHERE}/32", "dev", "lo"], check=True)
        with DrillSite(3, host=ELSEWHERE) as site:  # the address works
            connection = http.client.HTTPConnection(ELSEWHERE, site.port, timeout=10)
            with contextlib.closing(connection):
                connection.request("GET", "/a/0")
                check(connection.getresponse().status == 200, "the address does not answer")
        for program in ("ui", "serve"):
            with interface(room.folder, f"sqlite:///{room.folder}/drill.db", program) as running:
                here = running.ask("/", Cookie="").status
                check(here < 500, f"{program}: status {here}")
                try:
                    other = running.ask("/", to=ELSEWHERE, Host=running.address.netloc).status
                except OSError as error:
                    found.append(f"{program}: {type(error).__name__}")
                else:
                    check(False, f"{program} answers at {ELSEWHERE}: status {other}")
    return ", ".join(found)
