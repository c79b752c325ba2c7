"""Cases of markup and of content types: heavy pages, odd pages, and other languages than HTML."""

from tests.badweb.server import ANY, EXCLUDED, FAILED, STORED, Expect, Visit, case


@case(Expect(EXCLUDED, reason="attributes", requests=2))
def attributes_1_000_000(visit: Visit) -> None:
    visit.answer(visit.page(f"<p {' '.join(f'a{i}=1' for i in range(900_000))}>text</p>"))


@case(Expect(EXCLUDED, reason="it is not read", requests=2))
def attributes_behind_a_quote(visit: Visit) -> None:
    names = " ".join(f"a{i}" for i in range(100_000))
    visit.answer(visit.page(f'<!-- <b x=" --><p {names}>x<p y=">'))


@case(Expect(EXCLUDED, reason="it is not read", requests=2))
def attributes_behind_a_hidden_end(visit: Visit) -> None:
    names = " ".join(f"a{i}" for i in range(100_000))
    visit.answer(visit.page(f'<!-- <b x=" --><p y=">" {names}>x<p y=">'))


@case(Expect(EXCLUDED, reason="it is not read", requests=2))
def attributes_in_each_tag(visit: Visit) -> None:
    visit.answer(visit.page("".join("<p " + " ".join(f"a{i}=1" for i in range(1_990)) + ">x</p>" for _ in range(690))))


@case(Expect(ANY, requests=2))
def class_of_8_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f'<div class="{"aB-" * 2_700_000}">text</div>'))


@case(Expect(ANY, requests=2))
def blocks_nearly_equal(visit: Visit) -> None:
    cards = (f'<div class="card c{i % 7}"><h3>{i}</h3><p>card {i} of many {i % 11}</p></div>' for i in range(14_000))
    visit.answer(visit.page("".join(cards)))


@case(Expect(ANY, requests=2))
def lists_nested(visit: Visit) -> None:
    visit.answer(visit.page("<ul><li>a " * 1000 + "<li>b" * 30_000))


@case(Expect(ANY, requests=2))
def srcset_of_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f'<img srcset="{"x 1.1.1.1" * 400_000}">'))


@case(Expect(FAILED, requests=4))
def text_of_20_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f"<p>{'word ' * 4_000_000}</p>"))


@case(Expect(ANY, requests=2))
def text_of_9_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f"<p>{'word ' * 1_800_000}</p>"))


@case(Expect(STORED, requests=2))
def script_of_9_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(head=f"<script>{'var a = 1; ' * 800_000}</script>"))


@case(Expect(STORED, requests=2))
def duplicate_ids(visit: Visit) -> None:
    visit.answer(visit.page('<p id="same">a paragraph that has the id of others</p>' * 50))


@case(Expect(STORED, requests=5, without=("no text of the page",)))
def template_svg_noscript(visit: Visit) -> None:
    odd = "<template><p>no text of the page</p></template><svg><title>a picture</title></svg><math><mi>x</mi></math>"
    visit.answer(visit.page(f"{odd}<noscript><p>for old programs</p></noscript><textarea><p>typed</textarea>"))


@case(Expect(STORED, requests=3))
def xpath_injection_ids(visit: Visit) -> None:
    names = ("' or '1'='1", "a]//*[", "1st", "a\nb", "\u00e9\u00e8", "x'\"y", "{}", "a:b", ".", "#", "\\")
    odd = "".join(
        f'<div id="{name.replace(chr(34), "&quot;")}" class="{name.replace(chr(34), "&quot;")}">part</div>'
        for name in names
    )
    visit.answer(visit.page(odd))


@case(Expect(ANY, requests=5, fetched=("inner", "menu")))
def frames(visit: Visit) -> None:
    if visit.rest:
        visit.answer()
        return
    visit.answer(
        "<html><head><title>Frames</title></head><frameset cols='20%,80%'><frame src='menu'>"
        "<frame src='inner'><noframes><p>This page uses frames.</p></noframes></frameset></html>"
    )


@case(Expect(STORED, requests=5, fetched=("folder/child.html",), unasked=("child.html",)))
def base_href(visit: Visit) -> None:
    head = f'<base href="{visit.here}folder/">'
    visit.answer(None if visit.rest else visit.page('<a href="child.html">child</a>', head=head))


@case(Expect(ANY, requests=3))
def idn_hosts(visit: Visit) -> None:
    hosts = (
        "b\u00fccher.invalid",
        "xn--bcher-kva.invalid",
        "\u0430pple.invalid",
        f"{'a' * 70}.invalid",
        "a..b.invalid",
    )
    visit.answer(visit.page("".join(f'<a href="http://{host}/">{i}</a> ' for i, host in enumerate(hosts))))


# Types -------------------------------------------------------------------------------------------------------

XHTML = {"Content-Type": "application/xhtml+xml; charset=utf-8"}


def _xhtml(visit: Visit, main: str, doctype: str = "") -> str:
    page = visit.page(main).replace("<html", '<html xmlns="http://www.w3.org/1999/xhtml"')
    return f'<?xml version="1.0"?>{doctype}{page.replace("<!DOCTYPE html>", "")}'


@case(Expect(STORED, requests=3))
def type_xhtml(visit: Visit) -> None:
    url = visit.web.forbidden.urls()[0]
    doctype = f'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "{url}">'
    visit.answer(_xhtml(visit, "<p>caf&eacute;&nbsp;<![CDATA[x < y]]></p>", doctype), headers=XHTML)


@case(Expect(STORED, requests=3))
def type_xhtml_broken(visit: Visit) -> None:
    visit.answer(_xhtml(visit, "<p>not <b>well</p> formed & so on"), headers=XHTML)


@case(Expect(ANY, requests=3))
def xhtml_billion_laughs(visit: Visit) -> None:
    entities = '<!ENTITY a "lol">' + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in ("ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "ij")
    )
    visit.answer(_xhtml(visit, "<p>&j;</p>", f"<!DOCTYPE html [{entities}]>"), headers=XHTML)


@case(Expect(ANY, requests=6))
def feed_rss(visit: Visit) -> None:
    item = "<item><title>One</title><link>entry</link><description><![CDATA[<a href='x'>x</a>]]></description></item>"
    feed = f'<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{item}</channel></rss>'
    if visit.rest:
        visit.answer(feed, headers={"Content-Type": "application/rss+xml"})
        return
    visit.answer(visit.page('<a href="news.xml">the feed</a>'))


# Directives --------------------------------------------------------------------------------------------------

CHILD = '<a href="child">child</a>'


def _robots(visit: Visit, content: str) -> None:
    visit.answer(visit.page(CHILD, head=f'<meta name="robots" content="{content}">'))


@case(Expect(STORED, requests=4, unasked=("child",)))
def meta_nofollow(visit: Visit) -> None:
    _robots(visit, "nofollow")


@case(Expect("noindex", requests=4, unasked=("child",)))
def meta_none(visit: Visit) -> None:
    _robots(visit, "none")


@case(Expect(STORED, requests=4, fetched=("child",)))
def meta_all(visit: Visit) -> None:
    _robots(visit, "all")


@case(Expect("noindex", requests=4, fetched=("child",)))
def xrobots_noindex(visit: Visit) -> None:
    visit.answer(visit.page(CHILD), headers={"X-Robots-Tag": "noindex"})


@case(Expect("noindex", requests=4, unasked=("child",)))
def xrobots_multi(visit: Visit) -> None:
    visit.answer(visit.page(CHILD), headers={"X-Robots-Tag": "noindex\r\nX-Robots-Tag: nofollow"})


@case(Expect(STORED, requests=4, fetched=("child",)))
def xrobots_otherbot(visit: Visit) -> None:
    visit.answer(visit.page(CHILD), headers={"X-Robots-Tag": "otherbot: noindex, nofollow"})


@case(Expect("noindex", requests=4, fetched=("child",)))
def xrobots_expired(visit: Visit) -> None:
    visit.answer(visit.page(CHILD), headers={"X-Robots-Tag": "unavailable_after: Mon, 01 Jan 2001 00:00:00 GMT"})
