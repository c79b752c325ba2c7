"""Crawls of a part of a site, by the real Scrapy; and what must not be in any file or log: cookies and passwords."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest
from sqlalchemy import create_engine, text

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository
from tests.integration.server import SiteServer, article, frame, small_site
from tests.integration.test_crawl import crawl

STATS = ("-s", "LOG_LEVEL=INFO", "-s", "STATS_DUMP=True")
PASSWORD = "pass-that-is-nowhere"


def paths(rows):
    return sorted("/" + row["url"].split("/", 3)[3] for row in rows)


def refused(done, reason):
    found = [line for line in done.stderr.splitlines() if f"sitecrawl/scope/refused/{reason}'" in line]
    return int(found[0].rpartition(":")[2].strip(" ,}")) if found else 0


def asked(site):
    return [path for path in site.log if path != "/robots.txt"]


def test_include_and_exclude(tmp_path, sqlite_url):
    with SiteServer(small_site(12)) as site:
        rules = ("-a", r"include=/reports/\d+\.html", "-a", r"exclude=/1\d\.html /reports/[78]\.")
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, *rules, *STATS)
    assert done.returncode == 0, done.stderr
    expected = ["/index.html", *(f"/reports/{i}.html" for i in range(10) if i not in (7, 8))]
    assert paths(rows) == sorted(expected)
    assert sorted(asked(site)) == sorted(expected)
    assert (refused(done, "include"), refused(done, "exclude")) == (2, 4)


def test_only_below_the_folder_of_the_start_url(tmp_path, sqlite_url):
    pages = small_site(6)
    linked = "".join(f'<p><a href="/reports/{i}.html">Report {i}</a>, as seen that day.</p>' for i in range(6))
    pages["/reports/3.html"] = frame("All", f"<h1>All</h1>{linked}")
    pages["/reports/0.html"] = (301, {"Location": "/about.html"}, "")
    with SiteServer(pages) as site:
        done, rows = crawl(site.url("/reports/3.html"), tmp_path, sqlite_url, "-a", "path_scope=1", *STATS)
    assert done.returncode == 0, done.stderr
    assert paths(rows) == [f"/reports/{i}.html" for i in range(1, 6)]
    assert "/about.html" not in site.log  # nor after a redirect
    assert all(path.startswith("/reports/") for path in asked(site))
    assert refused(done, "path") >= 2


def test_only_pages_of_the_sitemap_are_requested(tmp_path, sqlite_url):
    pages = small_site(6)
    with SiteServer(pages) as site:
        named = "".join(f"<url><loc>{site.url(f'/reports/{i}.html')}</loc></url>" for i in (1, 4))
        site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, f"Sitemap: {site.url('/map.xml')}")
        xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{named}</urlset>'
        site.pages["/map.xml"] = (200, {"Content-Type": "text/xml"}, xml)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-a", "sitemap_only=1", *STATS)
    assert done.returncode == 0, done.stderr
    assert paths(rows) == ["/index.html", "/reports/1.html", "/reports/4.html"]


def test_a_list_of_urls_names_the_site(tmp_path, sqlite_url):
    with SiteServer(small_site(6)) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.url(f'/reports/{i}.html')}\n" for i in (2, 5)))
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        before = len(site.log)
        done, rows = crawl("", tmp_path, sqlite_url, "-a", "urls=urls.txt", "-s", "SITECRAWL_EMIT_UNCHANGED=True")
        again = site.log[before:]
    assert done.returncode == 0, done.stderr
    assert {row["status"] for row in rows} == {"unchanged"}  # the others stay as they are
    assert paths(rows) == ["/reports/2.html", "/reports/5.html"]
    assert [path for path in again if path != "/robots.txt"] == ["/reports/2.html", "/reports/5.html"]


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("include=(", "include: '(' is not a regular expression"),
        ("path_scope=perhaps", "path_scope='perhaps' cannot be used: it takes True or False"),
        ("urls=missing.txt", "urls=missing.txt: the list of URLs cannot be read"),
        ("scope=/docs/", "the site spider takes url, due, max_pages, include"),
        (f"cookies={PASSWORD}", "cookies cannot be used: it takes a JSON object or a dict"),
    ],
)
def test_bad_rules_end_with_one_line(tmp_path, argument, problem):
    done, _ = crawl("http://127.0.0.1:9/", tmp_path, f"sqlite:///{tmp_path}/t.db", "-a", argument)
    assert done.returncode == 2
    assert problem in done.stderr
    assert PASSWORD not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def own(database_url, **options):
    engine = open_database(database_url)
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        (site,) = sites.refs()
        SiteRegister(session).set_options(site.host, options, taken_back=sites.options(site.id))
    engine.dispose()


def statuses(database_url):
    engine = create_engine(database_url)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT url, status, reason, deletion FROM page")).all()
    engine.dispose()
    return {"/" + url.split("/", 3)[3]: (status, reason, deletion) for url, status, reason, deletion in rows}


def test_stored_pages_that_a_rule_of_the_site_leaves_out_leave_the_feed(tmp_path, database_url):
    with SiteServer(small_site(20)) as site:
        crawl(site.url("/index.html"), tmp_path, database_url)
        own(database_url, exclude=[r"/reports/1?[12]\.html"])
        before = len(site.log)
        done, rows = crawl(site.url("/index.html"), tmp_path, database_url, *STATS)
        left_out = [f"/reports/{i}.html" for i in (1, 11, 12, 2)]
        assert done.returncode == 0, done.stderr
        assert {row["status"] for row in rows} == {"gone"}
        assert paths(rows) == sorted(left_out)
        assert not set(site.log[before:]) & set(left_out)
        assert statuses(database_url)["/reports/1.html"][1] == "out of scope: an exclude rule matches"
        _, again = crawl(site.url("/index.html"), tmp_path, database_url)
        assert again == []  # they are gone once
        own(database_url)
        _, back = crawl(site.url("/index.html"), tmp_path, database_url)
        assert paths(back) == sorted(left_out)


def test_a_rule_that_leaves_out_most_pages_is_held(tmp_path, sqlite_url):
    with SiteServer(small_site(20)) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        own(sqlite_url, include=["/mistyped/"])
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url)
    assert done.returncode == 3
    assert "22 of 23 pages would be deleted" in done.stderr
    assert rows == []


def test_an_argument_leaves_out_pages_for_one_crawl(tmp_path, sqlite_url):
    with SiteServer(small_site(20)) as site:
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        before = len(site.log)
        done, rows = crawl(site.url("/index.html"), tmp_path, sqlite_url, "-a", "include=/reports/3")
        assert done.returncode == 0, done.stderr
        assert rows == []
        assert [path for path in site.log[before:] if path != "/robots.txt"] == ["/index.html", "/reports/3.html"]
        assert all(deletion is None for _, _, deletion in statuses(sqlite_url).values())
        before = len(site.log)
        crawl(site.url("/index.html"), tmp_path, sqlite_url)
        assert len(set(site.log[before:]) - {"/robots.txt"}) == 23  # all of them are visited again


class Members:
    """A site behind a login, that keeps what it was sent; with `proxy`, a proxy in front of it."""

    def __init__(self, proxy=False):
        self.seen, owner = [], self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.seen.append((self.command, self.path, dict(self.headers)))
                path = "/" + self.path.split("/", 3)[3] if proxy else self.path
                member = "id=member" in self.headers.get("Cookie", "")
                if path == "/robots.txt":
                    self.answer(200, "User-agent: *\nDisallow: /login", kind="text/plain")
                elif path == "/login":
                    form = "<form action=/enter method=post><input name=user><input name=password><input type=hidden name=token value=t1></form>"
                    self.answer(200, f"<html><body><form><input name=q></form>{form}</body></html>")
                elif member or proxy:
                    links = "".join(f'<a href="/{i}.html">{i}</a> ' for i in range(5)) + '<a href="/logout">Out</a>'
                    self.answer(200, article(int(path[1])) if path[1:2].isdigit() else frame("Home", links))
                else:
                    self.answer(200, frame("Members only", "<p>Please log in, this is for members only.</p>"))

            def do_POST(self):
                owner.seen.append((self.command, self.path, dict(self.headers)))
                body = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                good = body == {"user": ["me"], "password": [PASSWORD], "token": ["t1"]}
                said = {"Set-Cookie": "id=member; Path=/"} if good else {}
                self.answer(200, "<p>Welcome</p>" if good else "<p>Wrong</p>", said)

            def answer(self, status, body, headers=(), kind="text/html"):
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **dict(headers)}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.netloc = f"127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args):
        self.server.shutdown()
        self.server.server_close()


def secrets(tmp_path, netloc, **said):
    file = tmp_path / "secrets.toml"
    lines = [f'["{netloc}"]']
    for name, value in said.items():
        lines.append(f"{name} = {value}")
    file.write_text("\n".join(lines))
    file.chmod(0o600)
    return ("-s", f"SITECRAWL_SECRETS={file}")


def nowhere(tmp_path, done, database_url):
    """The password is in no output, no file and no column."""
    assert PASSWORD not in done.stderr + done.stdout
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.name != "secrets.toml":
            assert PASSWORD.encode() not in file.read_bytes(), file
    engine = open_database(database_url)
    with engine.connect() as connection:
        for table in ("site", "page", "crawl", "body", "content", "source"):
            for row in connection.execute(text(f"SELECT * FROM {table}")):
                assert PASSWORD not in str(tuple(row))
    engine.dispose()


def test_a_login_is_sent_before_the_pages_and_its_secrets_stay_hidden(tmp_path, sqlite_url):
    login = f'{{url = "/login", fields = {{user = "me", password = "{PASSWORD}"}}, check = "Welcome"}}'
    headers = f'{{X-Key = "{PASSWORD}"}}'
    with Members() as site:
        given = secrets(tmp_path, site.netloc, login=login, headers=headers)
        debug = ("-s", "LOG_LEVEL=DEBUG", "-s", "STATS_DUMP=True", "-s", "COOKIES_DEBUG=True")
        done, rows = crawl(f"http://{site.netloc}/", tmp_path, sqlite_url, *given, *debug)
        assert done.returncode == 0, done.stderr
        assert [path for method, path, _ in site.seen if method == "POST"] == ["/enter"]
        assert {f"/{i}.html" for i in range(5)} <= set(paths(rows))
        assert "/logout" not in [path for _, path, _ in site.seen]
        assert refused(done, "logout") == 1
        assert all(sent["X-Key"] == PASSWORD for _, _, sent in site.seen)
        nowhere(tmp_path, done, sqlite_url)


def test_a_login_that_fails_ends_the_crawl(tmp_path, sqlite_url):
    login = f'{{url = "/login", fields = {{user = "you", password = "{PASSWORD}"}}, check = "Welcome"}}'
    with Members() as site:
        given = secrets(tmp_path, site.netloc, login=login)
        done, rows = crawl(f"http://{site.netloc}/", tmp_path, sqlite_url, *given)
    assert done.returncode == 1
    assert "the login at http://" in done.stderr
    assert "the page after it does not match `check`" in done.stderr
    assert rows == []
    assert [path for _, path, _ in site.seen] == ["/login", "/enter"]
    nowhere(tmp_path, done, sqlite_url)


def test_cookies_and_user_agent(tmp_path, sqlite_url):
    with Members() as site:
        url = f"http://{site.netloc}/"
        told = ("-a", f"cookies={json.dumps({'id': 'member', 'pass': PASSWORD})}", "-a", "user_agent=Reader/1.0 (me)")
        done, rows = crawl(url, tmp_path, sqlite_url, *told, "-s", "LOG_LEVEL=DEBUG", "-s", "COOKIES_DEBUG=True")
        assert done.returncode == 0, done.stderr
        assert {f"/{i}.html" for i in range(5)} <= set(paths(rows))
        assert all(f"pass={PASSWORD}" in sent["Cookie"] for _, path, sent in site.seen)
        assert {sent["User-Agent"] for _, _, sent in site.seen} == {"Reader/1.0 (me)"}
        nowhere(tmp_path, done, sqlite_url)


def test_all_requests_go_through_the_proxy_of_a_site(tmp_path, sqlite_url):
    with Members(proxy=True) as proxy:
        given = secrets(tmp_path, "shop.example", proxy=f'"http://me:{PASSWORD}@{proxy.netloc}"')
        done, rows = crawl(
            "http://shop.example/",
            tmp_path,
            sqlite_url,
            *given,
            "-s",
            "LOG_LEVEL=DEBUG",
            "-s",
            "DOWNLOAD_DELAY=0",
            "-s",
            "AUTOTHROTTLE_ENABLED=False",
        )
        assert done.returncode == 0, done.stderr
        assert {f"/{i}.html" for i in range(5)} <= set(paths(rows))
        assert all(path.startswith("http://shop.example/") for _, path, _ in proxy.seen)
        assert all(sent["Proxy-Authorization"].startswith("Basic ") for _, _, sent in proxy.seen)
        nowhere(tmp_path, done, sqlite_url)
