import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import get_extractor
from sitecrawl.extractors.explanation import explain
from sitecrawl.ui.frame import ATTRIBUTES, KEPT_TAGS, Look, drawn, policy
from sitecrawl.ui.shading import shade, why
from sitecrawl.ui.style_rules import without_addresses
from tests.unit.ui.conftest import article

URL = "https://example.org/1"


def draw(body, **look):
    page = Page.from_html(body, URL)
    method = get_extractor("combined")
    made = method.extract(page, None)
    return drawn(page, explain(page, made, None, method.chances(page, None)), Look(**look))


def frame_of(body, **look):
    """Collects the elements that a browser would build from the page, without those of the UI itself."""
    return lxml_html.document_fromstring(draw(body, **look))


HOSTILE = """<html><head><base href=//evil.example/><meta http-equiv=refresh content='0;url=//evil.example'>
<link rel=preconnect href=//evil.example><style>@import url(//evil.example/a.css); p{background:url(//evil.example/b)}</style>
<script>top.x=1</script></head><body onload=alert(1)><p onclick=alert(1) style="background:url('//evil.example/c')">A text of some words
that is long enough to be read by people.</p><a href=javascript:alert(1) ping=//evil.example>go</a><img src=//evil.example/p.png onerror=alert(1)>
<iframe src=//evil.example></iframe><object data=//evil.example></object><svg onload=alert(1)><image href=//evil.example/></svg>
<form action=//evil.example><input name=a autofocus onfocus=alert(1)><button formaction=//evil.example>send</button></form>
<xmp><p title="</xmp><img src=x onerror=alert(1)>">x</xmp><noscript><img src=//evil.example/n></noscript>
<video poster=//evil.example/v src=//evil.example/v></video><marquee onstart=alert(1)>m</marquee><math href=javascript:alert(1)>y</math>
<template><script>alert(1)</script></template><p id="x&quot; onmouseover=alert(1) y">quotes</p><textarea></textarea><script>alert(2)</script>
<plaintext>the end </body>"""


def test_nothing_of_a_hostile_page_runs_or_is_fetched():
    text = draw(HOSTILE)
    assert "evil.example" not in re.sub(r"@none [^;]*;|none\([^)]*\)", "", text)
    for one in frame_of(HOSTILE).iter():
        if not isinstance(one.tag, str) or one.tag in ("html", "head", "meta", "title", "style"):
            continue
        assert one.tag in KEPT_TAGS or one.tag in ("body", "br", "hr"), one.tag
        assert set(one.keys()) <= ATTRIBUTES | {"data-why", "tabindex"}


TAGS = (
    "script",
    "style",
    "iframe",
    "img",
    "a",
    "p",
    "div",
    "svg",
    "math",
    "table",
    "td",
    "select",
    "xmp",
    "title",
    "body",
)
PIECES = st.one_of(
    st.builds("<{}>".format, st.sampled_from(TAGS)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.builds(
        '<{} {}="{}">'.format,
        st.sampled_from(TAGS),
        st.sampled_from(("src", "onload", "class", "id", "style")),
        st.text("\"'<>&;=x /:u", max_size=9),
    ),
    st.sampled_from(("some words of a text ", "<!--", "-->", "]]>", "</", "\x00", "&lt;script&gt;")),
)


@given(st.lists(PIECES, max_size=25))
def test_whatever_a_page_says_only_known_elements_and_attributes_are_written(pieces):
    text = draw("<body><p>a word</p>" + "".join(pieces))
    body = text[text.index("</head>") :]
    for tag in re.findall(r"<([a-z!?][^\s>/]*)", body, re.IGNORECASE):
        assert tag in KEPT_TAGS or tag in ("body", "br", "hr", "wbr", "col"), tag
    assert body.count("<body") == 1


def test_blocks_are_shaded_with_their_reasons():
    frame = frame_of(article(1))
    told = {one.text_content()[:9]: (one.get("class"), one.get("data-why")) for one in frame.cssselect("[data-why]")}
    kind, reason = told["Paragraph"]
    assert kind == "sc-k" and reason.startswith("Kept: ") and "div.body" in reason
    assert told["Copyright"][1].startswith("Dropped: ")
    assert all(one.get("tabindex") == "0" for one in frame.cssselect("[data-why]"))


def test_a_block_beside_others_in_one_element_is_shaded_by_itself():
    frame = frame_of("<body><div>First text here<p>Second text here</p>Third text here</div>")
    assert [(one.tag, one.text_content()) for one in frame.cssselect("[data-why]")] == [
        ("span", "First text here"),
        ("p", "Second text here"),
        ("span", "Third text here"),
    ]


def test_pictures_are_fetched_only_when_asked_for():
    body = "<base href=https://example.org/deep/><p>Text<img src=a.png alt=A><img data-src=b.png src='data:x'><img src='javascript:x'>"
    assert [one.get("src") for one in frame_of(body).iter("img")] == []
    found = frame_of(body, resources=True).iter("img")
    assert [one.get("src") for one in found] == ["https://example.org/deep/a.png", "https://example.org/deep/b.png"]
    css = "<head><link rel=stylesheet href=/s.css><style>@import 'x';</style></head><p>Text"
    assert "https://example.org/s.css" in draw(css, resources=True) and "s.css" not in draw(css)


@pytest.mark.parametrize(
    ("look", "sandbox", "more"),
    [(Look(), "sandbox; ", "img-src data:;"), (Look(resources=True), "sandbox; ", "img-src data: http: https:;")],
)
def test_the_policy_of_the_frame(look, sandbox, more):
    made = policy(look)
    assert made.startswith(sandbox) and more in made
    assert "default-src 'none'" in made and "script-src" not in made and "allow-scripts" not in made


def test_for_corrections_each_block_is_a_link_to_its_element():
    look = {"link": lambda row: f"/pick?row={row}", "picked": None}
    frame = frame_of("<body><p>First text here <a href='//evil.example'>and a link</a></p><p><img alt=Map></p>", **look)
    assert [(one.get("href"), one.get("target"), one.text_content()) for one in frame.iter("a")] == [
        ("/pick?row=2", "_top", "First text here "),
        ("/pick?row=2", "_top", "and a link"),
        ("/pick?row=6", "_top", "Map"),
    ]
    assert "allow-top-navigation-by-user-activation" in policy(Look(**look))
    assert "allow-scripts" not in policy(Look(**look))


def test_the_element_that_was_picked_is_marked():
    frame = frame_of("<body><p id=own class=a>First text here</p>", link=lambda row: "/", picked=2)
    (picked,) = frame.cssselect("#sc-picked")
    assert {"a", "sc-picked"} <= set(picked.get("class").split())


def test_a_deep_page_is_drawn():
    assert "the middle" in draw("<body>" + "<div>" * 2_000 + "the middle")


def test_a_page_of_megabytes_is_drawn_in_part():
    made = draw(f"<body><p>{'word ' * 300_000}</p><p>the end</p>")
    assert len(made) < 600_000
    assert "(the rest of this page is too long to be drawn)" in made and "the end" not in made


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("@IMPORT 'a'", "@none 'a'"),
        ("a{b:URL(x)}", "a{b:none(x)}"),
        ("a{b:url('data:x')}", "a{b:url('data:x')}"),
        (r"a{b:u\72l(x)}", "a{b:none(x)}"),
        (r"a{b:\000055 \rl(x)}", "a{b:none(x)}"),
        (r"@\69mport 'a'", "@none 'a'"),
        (r"a{content:'\f101\41'}", r"a{content:'\f101A'}"),
        ("a{b:image-set('x' 1x)}", "a{b:none('x' 1x)}"),
    ],
)
def test_addresses_in_styles(css, expected):
    assert without_addresses(css) == expected


def test_reasons_in_words():
    page = Page.from_html("<body><p>A text</p>", URL)
    (verdict,) = explain(page, get_extractor("everything").extract(page, None), None)
    assert (shade(verdict), why(verdict)) == ("sc-k", "Kept: by the method (p)")
    shared = verdict._replace(kept=False, shared=0.95, chance=0.1, links=1.0, reason="exclude: p")
    assert shade(shared) == "sc-t"
    assert why(shared) == (
        "Template: exclude: p; main content with a probability of 10%; on 95% of the other pages; 100% links (p)"
    )
    assert shade(shared._replace(shared=0.1)) == "sc-d"
