"""Cases that lead to addresses, ports, schemes and hosts where no crawl may go, and sitemaps and feeds."""

from tests.badweb.bombs import gzip_of
from tests.badweb.server import ANY, FAILED, REDIRECTED, STORED, Expect, Visit, case


def _links(visit: Visit) -> str:
    return "".join(f'<a href="{url}">inside {i}</a> ' for i, url in enumerate(visit.web.forbidden.urls()))


@case(Expect(STORED, requests=1))
def link_addresses(visit: Visit) -> None:
    tags = "".join(
        f'<iframe src="{url}"></iframe><img src="{url}"><form action="{url}"></form><area href="{url}">'
        for url in visit.web.forbidden.urls()
    )
    visit.answer(visit.page(_links(visit) + tags))


@case(Expect(STORED, requests=40))
def redirect_addresses(visit: Visit) -> None:
    targets = visit.web.forbidden.urls()
    if visit.rest:
        visit.redirect(targets[int(visit.rest)], (301, 302, 303, 307, 308)[int(visit.rest) % 5])
    else:
        visit.answer(visit.page("".join(f'<a href="{i}">onward {i}</a> ' for i in range(len(targets)))))


@case(Expect(ANY, reason="address|offsite|port", requests=4))
def retried_then_address(visit: Visit) -> None:
    if visit.number == 1:
        visit.answer("wait", 503)
    else:
        visit.redirect(visit.web.forbidden.urls()[0])


@case(Expect(REDIRECTED, reason="example", requests=4))
def retried_then_offsite(visit: Visit) -> None:
    if visit.number == 1:
        visit.answer("oops", 500)
    else:
        visit.redirect("http://elsewhere.example/")


@case(Expect(ANY, requests=2))
def meta_refresh_address(visit: Visit) -> None:
    url = visit.web.forbidden.urls()[0]
    visit.answer(
        visit.page(head=f'<meta http-equiv="refresh" content="0; url={url}">'), headers={"Refresh": f"0;{url}"}
    )


@case(Expect(STORED, requests=2))
def base_address(visit: Visit) -> None:
    base = visit.web.forbidden.urls()[0]
    visit.answer(visit.page('<a href="below.html">below</a><a href="?q">query</a>', head=f'<base href="{base}/">'))


@case(Expect(STORED, requests=2))
def canonical_address(visit: Visit) -> None:
    url = visit.web.forbidden.urls()[0]
    rels = ("canonical", "amphtml", "next", "prev", "icon", "stylesheet", "preload", "alternate")
    head = "".join(f'<link rel="{rel}" hreflang="de" type="application/rss+xml" href="{url}">' for rel in rels)
    visit.answer(visit.page(head=head))


@case(Expect(STORED, requests=2))
def header_addresses(visit: Visit) -> None:
    url = visit.web.forbidden.urls()[0]
    visit.answer(
        headers={"Link": f'<{url}>; rel="canonical"', "Content-Location": url, "Alt-Svc": f'h2=":{url[-11:-7]}"'}
    )


@case(Expect(ANY, requests=20, contents=(1, 9)))
def redirect_schemes(visit: Visit) -> None:
    schemes = (
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "data:text/html,<p>leaked data page of some length</p>",
        "javascript:alert(1)",
        "gopher://127.0.0.1:70/",
        "s3://bucket/key",
        "about:blank",
    )
    if visit.rest:
        visit.redirect(schemes[int(visit.rest)])
    else:
        visit.answer(visit.page("".join(f'<a href="{i}">scheme {i}</a> ' for i in range(len(schemes)))))


@case(Expect(REDIRECTED, reason="example", requests=2))
def redirect_offsite(visit: Visit) -> None:
    visit.redirect("http://elsewhere.example/")


@case(Expect(ANY, reason="port|offsite|address", requests=2))
def redirect_port(visit: Visit) -> None:
    visit.redirect("http://127.0.0.1:22/")


@case(Expect(ANY, reason="user_info|offsite", requests=2))
def redirect_user_info(visit: Visit) -> None:
    visit.redirect(f"http://someone:word@127.0.0.1:{visit.web.port}/index.html")


@case(Expect(STORED, fetched=("good",), requests=60))
def bad_hrefs(visit: Visit) -> None:
    hrefs = (
        "http://[",
        "http://[::1",
        "//",
        "///",
        "http://a:99999/",
        "http://x:y/",
        "\\\\host\\share",
        "mailto:a@b.c",
    )
    hrefs = (*hrefs, "http://%zz/", "ht!tp://x", "http://" + "a" * 300 + ".example/", "\x01\x02", "http://xn--a/", "#")
    links = "".join(f'<a href="{href}">bad {i}</a> ' for i, href in enumerate(hrefs))
    visit.answer(visit.page(links + '<a href="good">good</a>'))


@case(Expect(ANY, requests=2, without=("root:x:0:0",)))
def xhtml_entities(visit: Visit) -> None:
    url = visit.web.forbidden.urls()[0]
    text = (
        f'<!DOCTYPE html SYSTEM "{url}" [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b SYSTEM "{url}">'
        '<!ENTITY c "lol lol"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;">]>'
    )
    page = visit.page("<p>&a; &b; &e;&e;&e;&e;</p>").replace("<html", '<html xmlns="http://www.w3.org/1999/xhtml"')
    visit.answer(text + page, headers={"Content-Type": "application/xhtml+xml"})


def _sitemap(*urls: str, prolog: str = "") -> str:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'{prolog}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


_XML = {"Content-Type": "application/xml"}


@case(Expect(ANY, fetched=("public",), requests=3, linked=False, contents=(1, 1)))
def sitemap_addresses(visit: Visit) -> None:
    if visit.rest == "public":
        visit.answer()
        return
    outside = ("https://example.org/x", "file:///etc/passwd", f"http://localhost:{visit.web.port}/index.html")
    visit.answer(_sitemap(*visit.web.forbidden.urls(), *outside, visit.web.url(f"{visit.here}public")), 200, _XML)


@case(Expect(ANY, requests=120, linked=False))
def sitemap_loop(visit: Visit) -> None:
    one = f"<sitemap><loc>{visit.web.url(visit.here)}</loc></sitemap>"
    more = "".join(f"<sitemap><loc>{visit.web.url(visit.target + str(i))}</loc></sitemap>" for i in range(3))
    visit.answer(f"<sitemapindex>{one}{more}</sitemapindex>", 200, _XML)


@case(Expect(ANY, requests=3, linked=False))
def sitemap_bomb(visit: Visit) -> None:
    visit.answer(gzip_of(50_000_000), headers={"Content-Type": "application/gzip"})


@case(Expect(ANY, requests=4, linked=False, without=("root:x:0:0",)))
def sitemap_entities(visit: Visit) -> None:
    if visit.rest:
        visit.answer()
        return
    url = visit.web.forbidden.urls()[0]
    prolog = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b SYSTEM "{url}"><!ENTITY c "{"x" * 999}">'
    prolog += "".join(f'<!ENTITY {new} "{f"&{old};" * 30}">' for old, new in ("cd", "de", "ef", "fg", "gh")) + "]>"
    visit.answer(_sitemap(visit.web.url(f"{visit.here}public"), "&a;", "&b;", "&h;", prolog=prolog), 200, _XML)


@case(Expect(ANY, requests=4, linked=False))
def sitemap_laughs(visit: Visit) -> None:
    laughs = "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghij", "bcdefghijk", strict=True)
    )
    prolog = f'<!DOCTYPE urlset [<!ENTITY a "lol">{laughs}]>'
    visit.answer(_sitemap("&k;", visit.web.url(f"{visit.here}public"), prolog=prolog), 200, _XML)


@case(Expect(ANY, requests=3, linked=False))
def sitemap_html(visit: Visit) -> None:
    visit.answer()


@case(Expect(ANY, requests=4, linked=False))
def sitemap_broken(visit: Visit) -> None:
    visit.answer(_sitemap(visit.web.url(f"{visit.here}one"))[:-40] if not visit.rest else None, 200, _XML)


@case(Expect(ANY, requests=3, linked=False))
def sitemap_empty(visit: Visit) -> None:
    visit.answer(b"", 200, _XML)


@case(Expect(ANY, fetched=("one", "two"), requests=5, linked=False, contents=(2, 2)))
def sitemap_escapes(visit: Visit) -> None:
    if visit.rest:
        visit.answer()
        return
    one, two = (visit.web.url(f"{visit.here}{name}") for name in ("one", "two"))
    visit.answer(_sitemap(f"\n\t{one}#fragment \n", f"<![CDATA[{two}]]>"), 200, _XML)


@case(Expect(STORED, fetched=("entry",), requests=5))
def feed_broken(visit: Visit) -> None:
    if visit.rest == "feed":
        link = f"<link>{visit.web.url(visit.here)}entry</link><pubDate>the 40th of May</pubDate>"
        bad = "".join(f"<item><link>{url}</link></item>" for url in visit.web.forbidden.urls()[:3])
        visit.answer(
            f'<rss version="2.0"><channel>{bad}<item>{link}</item><item><title>&nope; <b>',
            headers={"Content-Type": "application/rss+xml"},
        )
        return
    visit.answer()


# Redirects ---------------------------------------------------------------------------------------------------


@case(Expect(FAILED, reason="redirect", requests=25))
def redirect_self(visit: Visit) -> None:
    visit.redirect(visit.target)


@case(Expect(FAILED, reason="redirect", requests=25))
def redirect_to_and_fro(visit: Visit) -> None:
    visit.redirect(visit.here if visit.rest else f"{visit.here}b")


def _hops(visit: Visit, count: int) -> None:
    number = int(visit.rest or 0)
    visit.redirect(str(number + 1)) if number < count else visit.answer()


@case(Expect(REDIRECTED, fetched=("5",), requests=8, contents=(1, 1)))
def redirect_chain_5(visit: Visit) -> None:
    _hops(visit, 5)


@case(Expect(FAILED, reason="redirect", requests=13))
def redirect_chain_40(visit: Visit) -> None:
    _hops(visit, 40)


@case(Expect(FAILED, reason="redirect", requests=25))
def redirect_infinite(visit: Visit) -> None:
    visit.redirect(f"{visit.here}{visit.random.getrandbits(48):x}")


@case(Expect(FAILED, reason="Location", requests=25))
def redirect_nowhere(visit: Visit) -> None:
    visit.answer("moved", 302)


@case(Expect(STORED, requests=60, contents=(1, 20)))
def redirect_odd_locations(visit: Visit) -> None:
    odd = (
        "sub/rel",
        "?query",
        "caf\u00e9/\u2603",
        "with space",
        "http://127.0.0.1:99999999/",
        "//[/",
        "%0d%0aX:%20y",
        "#",
    )
    if not visit.rest:
        visit.answer(visit.page("".join(f'<a href="go{i}">odd {i}</a> ' for i in range(len(odd)))))
        return
    if visit.rest.startswith("go") and visit.rest[2:].isdigit():
        visit.redirect(odd[int(visit.rest[2:])])
        return
    visit.answer()


@case(Expect(ANY, requests=25))
def cookie_wall(visit: Visit) -> None:
    if "cookie" in visit.headers:
        visit.answer()
        return
    visit.answer("", 302, {"Location": visit.here, "Set-Cookie": "seen=1"})


@case(Expect(ANY, requests=14, contents=(1, 1)))
def login_redirect(visit: Visit) -> None:
    if visit.rest.startswith("login"):
        visit.answer(visit.page("<form><input type=password></form>", title="Log in"))
        return
    visit.redirect(f"{visit.here}login")


@case(Expect(STORED, requests=4, fetched=("target",)))
def meta_refresh(visit: Visit) -> None:
    visit.answer(None if visit.rest else visit.page(head='<meta http-equiv="refresh" content="0; url=target">'))


@case(Expect(ANY, requests=25))
def meta_refresh_loop(visit: Visit) -> None:
    visit.answer(visit.page(head=f'<meta http-equiv="refresh" content="0; url=?n={visit.random.random()}">'))
