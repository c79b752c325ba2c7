"""Cases of answers that arrive whole and are no good page, or a good one that is hard to read."""

from tests.badweb.server import ANY, EXCLUDED, FAILED, STORED, Expect, Visit, case

TOO_LARGE = Expect(EXCLUDED, reason="over|nodes")
HARMLESS = Expect(ANY)


# Markup ------------------------------------------------------------------------------------------------------


@case(HARMLESS)
def nested_100_000(visit: Visit) -> None:
    visit.answer(visit.page("<div>" * 100_000 + "deep" + "</div>" * 100_000))


@case(TOO_LARGE)
def nested_1_000_000(visit: Visit) -> None:
    visit.answer(visit.page("<div>" * 1_000_000))


@case(HARMLESS)
def formatting_unclosed(visit: Visit) -> None:
    visit.answer(visit.page("<b><i><u>" * 30_000 + "text"))


@case(HARMLESS)
def tables_nested(visit: Visit) -> None:
    visit.answer(visit.page("<table><tr><td>" * 5000 + "deep"))


@case(TOO_LARGE)
def siblings_1_000_000(visit: Visit) -> None:
    visit.answer(visit.page("<b>x</b>" * 1_000_000))


@case(TOO_LARGE)
def paragraphs_200_000(visit: Visit) -> None:
    visit.answer(visit.page("<p>one more" * 200_000))


@case(Expect(STORED, requests=3))
def attribute_of_9_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f'<img alt="{"x" * 9_000_000}">'))


@case(Expect(EXCLUDED, reason="attributes", requests=2))
def attributes_100_000(visit: Visit) -> None:
    visit.answer(visit.page(f"<p {' '.join(f'a{i}=1' for i in range(100_000))}>text</p>"))


@case(HARMLESS)
def attribute_in_each_paragraph(visit: Visit) -> None:
    visit.answer(visit.page(f'<b title="{"x" * 500_000}">' + "<p>x" * 20_000))


@case(HARMLESS)
def formatting_misnested(visit: Visit) -> None:
    visit.answer(visit.page("".join(f"<b id=b{i}><i>" for i in range(4000)) + "<p>text</b></i>" * 4000))


@case(Expect(ANY, requests=2))
def links_100_000(visit: Visit) -> None:
    visit.answer(visit.page("".join(f'<a href="https://example.org/{i}">l</a>' for i in range(100_000))))


@case(HARMLESS)
def word_of_5_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f"<p>{'x' * 5_000_000}</p>"))


@case(HARMLESS)
def spaces_5_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f"<p>a{' ' * 5_000_000}b</p>"))


@case(HARMLESS)
def entities_8_megabytes(visit: Visit) -> None:
    visit.answer(visit.page(f"<p>{'&amp;' * 1_600_000}</p>"))


@case(Expect(STORED, requests=2))
def end_tags_200_000(visit: Visit) -> None:
    visit.answer(visit.page("</div></p></b></table>" * 50_000))


@case(HARMLESS)
def comment_unclosed(visit: Visit) -> None:
    visit.answer(visit.page().replace("<h1>", "<!-- <h1>"))


@case(Expect(STORED, requests=2))
def tags_unclosed(visit: Visit) -> None:
    visit.answer(visit.page().replace("</p>", "").replace("</div>", ""))


@case(Expect(STORED, requests=2))
def no_html_tags(visit: Visit) -> None:
    visit.answer(visit.page().partition('<div class="main">')[2])


@case(Expect(STORED, requests=2))
def two_documents(visit: Visit) -> None:
    visit.answer(visit.page() + visit.page())


@case(Expect(STORED, requests=2))
def odd_names(visit: Visit) -> None:
    text = """<p id="a'b\"]" class='x"]/[1' v-on:click.prevent="x" @click="y" [ng]="z" \u00e9="1" 1="2" <="3">odd</p>"""
    visit.answer(visit.page(f"{text}<o:p>office</o:p><x-\u00fc>y</x-\u00fc><svg><title>no title</title></svg>"))


@case(Expect(STORED, requests=2))
def json_ld_deep(visit: Visit) -> None:
    scripts = ("[" * 100_000, '{"a": "\\ud800", "b": NaN}', "9" * 10_000, "{", '{"datePublished": "2024-99-99"}')
    visit.answer(visit.page(head="".join(f'<script type="application/ld+json">{s}</script>' for s in scripts)))


@case(Expect(STORED, requests=2))
def title_of_a_megabyte(visit: Visit) -> None:
    visit.answer(visit.page(title="title " * 180_000))


@case(Expect(EXCLUDED, reason="empty", requests=2))
def empty_body(visit: Visit) -> None:
    visit.answer(b"")


@case(Expect(EXCLUDED, reason="empty", requests=2))
def only_white_space(visit: Visit) -> None:
    visit.answer(b" \n" * 5000)


# Bytes and charsets ------------------------------------------------------------------------------------------


@case(Expect(STORED, requests=2, without=("\x00",)))
def nul_bytes(visit: Visit) -> None:
    visit.answer(visit.page("<p>nul \x00 nul</p>", title="nul \x00 title"))


@case(Expect(STORED, requests=2, without=("\x00", "\ud800")))
def bad_entities(visit: Visit) -> None:
    visit.answer(visit.page("<p>a &#0; b &#xD800; c &#x110000; d &#99999999999; e</p>", title="&#0;&#xDFFF; title"))


@case(Expect(STORED, requests=2, without=("\x1b", "\x07")))
def control_characters(visit: Visit) -> None:
    visit.answer(visit.page("<p>esc \x1b[31m bell \x07</p>", title="red \x1b[31m \r\n2026 [root] ERROR: none"))


@case(Expect(STORED, requests=2))
def invalid_utf_8(visit: Visit) -> None:
    visit.answer(visit.page().encode() + b"<p>\xff\xfe\xed\xa0\x80\xc0\x80</p>")


def _charset(visit: Visit, text: str, codec: str, header: str = "", bom: bytes = b"", head: str = "") -> None:
    page = visit.page(f"<p>{text}</p>", head=head).replace("says", text)
    kind = f"text/html; charset={header}" if header else "text/html"
    visit.answer(bom + page.encode(codec), headers={"Content-Type": kind})


@case(Expect(STORED, requests=2, without=("\ufffd",)))
def charset_in_header(visit: Visit) -> None:
    _charset(visit, "\u6e2f\u53e3\u65b0\u95fb", "gbk", "gb2312")


@case(Expect(STORED, requests=2, without=("\ufffd",)))
def charset_in_meta(visit: Visit) -> None:
    _charset(visit, "\u6e2f\u306e\u77f3", "shift_jis", head='<meta charset="Shift_JIS">')


@case(Expect(STORED, requests=2, without=("\ufffd",)))
def charset_by_mark(visit: Visit) -> None:
    _charset(visit, "na\u00efve", "utf-16-le", "iso-8859-1", b"\xff\xfe")


@case(Expect(STORED, requests=2, without=("\ufffd", "\x93")))
def charset_latin_1(visit: Visit) -> None:
    _charset(visit, "\u201cquoted\u201d", "windows-1252", "iso-8859-1")


@case(Expect(STORED, requests=2))
def charset_unknown(visit: Visit) -> None:
    _charset(visit, "plain", "utf-8", "x-nobody-knows")


@case(Expect(ANY, requests=2, without=("<script",)))
def charset_utf_7(visit: Visit) -> None:
    _charset(visit, "+ADw-script+AD4-alert(1)+ADw-/script+AD4-", "ascii", "utf-7")


# Types -------------------------------------------------------------------------------------------------------


def _typed(visit: Visit, kind: str, body: bytes | str | None = None) -> None:
    visit.answer(body, headers={"Content-Type": kind})


@case(Expect(EXCLUDED, reason="not HTML", requests=2))
def picture_as_html(visit: Visit) -> None:
    _typed(visit, "text/html", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + visit.random.randbytes(3000))


@case(Expect(EXCLUDED, reason="not HTML", requests=2))
def pdf_as_html(visit: Visit) -> None:
    _typed(visit, "text/html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" * 20)


@case(Expect(EXCLUDED, reason="not HTML", requests=2))
def pdf(visit: Visit) -> None:
    visit.answer(b"%PDF-1.7\n" * 20, 200, {"Content-Type": "application/pdf", "Content-Disposition": "../../x.pdf"})


@case(Expect(EXCLUDED, reason="not HTML", requests=2, unasked=("x",)))
def json(visit: Visit) -> None:
    _typed(visit, "application/json", '{"html": "<a href=x>x</a>"}')


@case(Expect(EXCLUDED, reason="not HTML", requests=2, unasked=("x",)))
def plain_text(visit: Visit) -> None:
    _typed(visit, "text/plain", "<html><a href=x>x</a></html>")


@case(HARMLESS)
def octets(visit: Visit) -> None:
    _typed(visit, "application/octet-stream")


@case(Expect(STORED, requests=2))
def no_type(visit: Visit) -> None:
    _typed(visit, "")


@case(HARMLESS)
def type_of_garbage(visit: Visit) -> None:
    _typed(visit, ";;=/\x7f\xff,text")


# Errors and directives ---------------------------------------------------------------------------------------


def _status(visit: Visit, status: int) -> None:
    visit.answer(status=status)


@case(Expect(FAILED, reason="HTTP 401", requests=1))
def status_401(visit: Visit) -> None:
    _status(visit, 401)


@case(Expect(FAILED, reason="HTTP 403", requests=1))
def status_403(visit: Visit) -> None:
    _status(visit, 403)


@case(Expect("dead", reason="HTTP 404", requests=1))
def status_404(visit: Visit) -> None:
    _status(visit, 404)


@case(Expect("dead", reason="HTTP 410", requests=1))
def status_410(visit: Visit) -> None:
    _status(visit, 410)


@case(Expect(FAILED, reason="HTTP 451", requests=1))
def status_451(visit: Visit) -> None:
    _status(visit, 451)


@case(Expect(FAILED, reason="HTTP 500", requests=4))
def status_500(visit: Visit) -> None:
    _status(visit, 500)


@case(Expect(FAILED, reason="HTTP 304", requests=3))
def status_304_at_once(visit: Visit) -> None:
    visit.answer(b"", 304)


@case(Expect(STORED, requests=3))
def status_500_once(visit: Visit) -> None:
    _status(visit, 500 if visit.number == 1 else 200)


@case(Expect(STORED, requests=3))
def status_503_retry_after(visit: Visit) -> None:
    visit.answer(None, 503, {"Retry-After": "1"}) if visit.number == 1 else visit.answer()


@case(Expect(EXCLUDED, reason="soft 404", requests=2, without=("could not be found",)))
def soft_404(visit: Visit) -> None:
    main = "<h1>Sorry</h1><p>The page you requested could not be found. Try the front page.</p>"
    visit.answer(visit.page().partition('<div class="main">')[0] + f'<div class="main">{main}</div></body></html>')


@case(Expect(EXCLUDED, reason="soft 404", requests=2))
def soft_404_by_title(visit: Visit) -> None:
    visit.answer("<title>404 - Page Not Found | Harbour News</title><body><h1>Oh no</h1><a href=/index.html>Home</a>")


@case(Expect(FAILED, reason="bot wall", requests=2, without=("human",)))
def bot_wall(visit: Visit) -> None:
    visit.answer("<title>Just a moment...</title><body><h1>Verify you are human</h1><p>This takes a few seconds.</p>")


@case(Expect(STORED, requests=2))
def article_on_errors(visit: Visit) -> None:
    visit.answer(visit.page("<p>We asked why a page could not be found, or who must verify you are human.</p>" * 3))


@case(Expect(STORED, requests=2))
def odd_headers(visit: Visit) -> None:
    cookies = {f"Set-Cookie{' ' * i}": f"c{i}={'x' * 200}" for i in range(1)}
    odd = {"Referrer-Policy": "sys.exit", "Date": "Thu, 01 Jan 1970 00:00:00 GMT", "Age": "-1", "Expires": "never"}
    visit.answer(headers={**cookies, **odd, "ETag": 'a,b";W/', "Last-Modified": "yesterday"})


@case(Expect(STORED, requests=3, fetched=("b",)))
def canonical_loop(visit: Visit) -> None:
    other = "b" if not visit.rest else "./"
    visit.answer(visit.page('<a href="b">b</a>', head=f'<link rel="canonical" href="{other}">'))


@case(Expect("noindex", reason="noindex", requests=3, fetched=("child",)))
def noindex(visit: Visit) -> None:
    visit.answer(visit.page('<a href="child">child</a>', head='<meta name="robots" content="noindex">'))


@case(Expect("noindex", reason="noindex", requests=3, unasked=("child",)))
def noindex_by_header(visit: Visit) -> None:
    visit.answer(visit.page('<a href="child">child</a>'), headers={"X-Robots-Tag": "none"})


@case(Expect(STORED, requests=3, unasked=("child",)))
def nofollow(visit: Visit) -> None:
    visit.answer(visit.page('<a href="child" rel="nofollow">child</a>'))
