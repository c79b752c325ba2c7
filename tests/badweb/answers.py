"""Cases of statuses and headers, of redirects to other schemes, of pages in many addresses, and of large sitemaps."""

import gzip
from email.utils import formatdate
from time import time

from tests.badweb.server import ANY, FAILED, STORED, Expect, Visit, case

SCHEMES = {
    "file": "file:///etc/passwd",
    "ftp": "ftp://127.0.0.1/x",
    "data": "data:text/html,<p>a page of data of some length</p>",
    "js": "javascript:alert(1)",
    "gopher": "gopher://127.0.0.1:70/",
    "s3": "s3://bucket/key",
    "about": "about:blank",
}


def _scheme(name: str, target: str) -> None:
    def answer(visit: Visit) -> None:
        visit.redirect(target)

    answer.__name__ = f"redirect_{name}"
    case(Expect(FAILED, requests=4, contents=(0, 0)))(answer)


for _name, _target in SCHEMES.items():
    _scheme(_name, _target)


# Statuses ----------------------------------------------------------------------------------------------------


def _status(status: int) -> None:
    def answer(visit: Visit) -> None:
        visit.answer(status=status)

    answer.__name__ = f"status_{status}"
    case(Expect(FAILED, reason=f"HTTP {status}", requests=2))(answer)


for _number in (400, 405, 418):
    _status(_number)


@case(Expect(STORED, requests=4))
def status_502_twice(visit: Visit) -> None:
    visit.answer(status=502 if visit.number <= 2 else 200)


def _busy(visit: Visit, after: str) -> None:
    visit.answer(None, 429, {"Retry-After": after}) if visit.number == 1 else visit.answer()


@case(Expect(STORED, requests=4, gap=0.9))
def status_429_retry_after(visit: Visit) -> None:
    _busy(visit, "1")


@case(Expect(STORED, requests=4, gap=0.9))
def status_429_date(visit: Visit) -> None:
    _busy(visit, formatdate(time() + 2, usegmt=True))


@case(Expect(STORED, requests=4, gap=0.5))
def status_429_garbage(visit: Visit) -> None:
    _busy(visit, "soon; maybe")


@case(Expect(STORED, requests=3))
def date_skew(visit: Visit) -> None:
    visit.answer(headers={"Date": "Thu, 01 Jan 1970 00:00:00 GMT", "Expires": "-1", "Cache-Control": "max-age=-9"})


@case(Expect(STORED, requests=3))
def set_cookie_flood(visit: Visit) -> None:
    more = "\r\n".join(f"Set-Cookie: c{i}={'x' * 200}" for i in range(300))
    visit.answer(headers={"X-First": f"1\r\n{more}"})


@case(Expect(STORED, requests=3))
def referrer_policy_evil(visit: Visit) -> None:
    visit.answer(visit.page('<a href="next">next</a>'), headers={"Referrer-Policy": "sys.exit"})


@case(Expect(STORED, requests=9))
def canonical_bad(visit: Visit) -> None:
    hrefs = ("/nowhere-at-all", "https://elsewhere.example/", "", "/index.html")
    if not visit.rest:
        visit.answer(visit.page("".join(f'<a href="{i}">{i}</a> ' for i in range(len(hrefs)))))
        return
    head = f'<link rel="canonical" href="{hrefs[int(visit.rest)]}">'
    visit.answer(visit.page(head=head + ('<link rel="canonical" href="x">' if visit.rest == "0" else "")))


@case(Expect(FAILED, requests=4))
def binary_garbage(visit: Visit) -> None:
    visit.send(visit.random.randbytes(3000))
    visit.close()


@case(Expect(STORED, requests=3))
def folded_header(visit: Visit) -> None:
    page = visit.page().encode()
    visit.send(b"HTTP/1.1 200 OK\nContent-Type: text/html;\n charset=utf-8\nX-Folded: a\n\tb\n")
    visit.send(f"Content-Length: {len(page)}\n\n".encode() + page)


@case(Expect(ANY, requests=4))
def length_plus(visit: Visit) -> None:
    visit.raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: +100\n\n", visit.page().encode())


# One page in many places -------------------------------------------------------------------------------------


@case(Expect(ANY, requests=300))
def random_links(visit: Visit) -> None:
    visit.answer(visit.page("".join(f'<a href="{visit.random.getrandbits(48):x}">l{i}</a> ' for i in range(40))))


ARTICLE = "<p>{}</p>".format(" ".join(f"word{i} of the one article" for i in range(60)))


@case(Expect(STORED, requests=25, contents=(21, 21), documents=(1, 1)))
def duplicate_content(visit: Visit) -> None:
    links = "".join(f'<a href="{i}">{i}</a> ' for i in range(20)) if not visit.rest else ""
    visit.answer(f"<html><head><title>One article</title></head><body><h1>One</h1>{ARTICLE}{links}</body></html>")


@case(Expect(STORED, requests=14, documents=(1, 1)))
def canonical_dup(visit: Visit) -> None:
    links = "".join(f'<a href="?v={i}">{i}</a> ' for i in range(10)) if not visit.rest else ""
    visit.answer(visit.page(f"{ARTICLE}{links}", head=f'<link rel="canonical" href="{visit.here}">'))


@case(Expect(STORED, requests=8))
def host_variants(visit: Visit) -> None:
    hosts = ("127.0.0.1", "127.0.0.1.", "localhost", "LOCALHOST", "localhost.")
    visit.answer(visit.page("".join(f'<a href="http://{h}:{visit.web.port}{visit.here}one">{h}</a> ' for h in hosts)))


# Sitemaps ----------------------------------------------------------------------------------------------------

XML = {"Content-Type": "application/xml"}


def _sitemap(*urls: str, more: str = "") -> str:
    entries = "".join(f"<url><loc>{url}</loc>{more}</url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


@case(Expect(ANY, fetched=("only-in-sitemap",), requests=4, linked=False, contents=(1, 1)))
def sitemap_ok_gz(visit: Visit) -> None:
    if visit.rest:
        visit.answer()
        return
    data = gzip.compress(_sitemap(visit.web.url(f"{visit.here}only-in-sitemap")).encode())
    visit.answer(data, headers={"Content-Type": "application/gzip"})


@case(Expect(ANY, requests=600, linked=False))
def sitemap_huge(visit: Visit) -> None:
    visit.answer(_sitemap(*(f"https://example.org/{i}" for i in range(200_000))), 200, XML)


@case(Expect(ANY, requests=4, fetched=("public",), linked=False))
def sitemap_bad_dates(visit: Visit) -> None:
    if visit.rest:
        visit.answer()
        return
    more = "<lastmod>the 40th of May</lastmod><changefreq>sometimes</changefreq><priority>eleven</priority>"
    visit.answer(_sitemap(visit.web.url(f"{visit.here}public"), more=more), 200, XML)


@case(Expect(ANY, requests=4, fetched=("public",), linked=False))
def sitemap_text(visit: Visit) -> None:
    if visit.rest:
        visit.answer()
        return
    visit.answer(f"\ufeff{visit.web.url(f'{visit.here}public')}\n\nno URL\n", headers={"Content-Type": "text/plain"})
