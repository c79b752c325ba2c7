"""Text in `noframes` is read if a page of frames has a real text there, and left out otherwise."""

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, get_extractor

TEXT = "".join(
    f"<p>Paragraph {i} of the manual says <a href=part{i}.html>at some length</a> what the tool does.</p>"
    for i in range(6)
)


def framed(inner, frameset="<frameset cols='20%,80%'><frame src=menu.html><noframes>{}</noframes></frameset>"):
    html = f"<html><head><title>A manual</title></head>{frameset.format(inner)}</html>"
    return Page.from_html(html, "https://a.example/manual/")


def test_the_text_of_a_page_of_frames_is_read_as_markup():
    one = framed(f"<body bgcolor=white><h1>A manual</h1>{TEXT}</body>")
    found = get_extractor("combined").extract(one)
    assert found.kind is Kind.CONTENT
    assert "Paragraph 5 of the manual says at some length what the tool does." in one.text(found.nodes)
    assert "<p>Paragraph 0 of the manual says <a href=" in one.html(found.nodes)
    assert len(one.flat.anchors) == 6


def test_frames_in_a_body_and_text_behind_them_are_read_too():
    one = framed(TEXT, "<body><frameset rows='9,*'><frame src=a></frameset><noframes>{}</noframes></body>")
    assert "Paragraph 3" in "".join(one.flat.text)


def test_a_notice_that_the_page_has_frames_is_no_text():
    one = framed("<p>This page uses frames. Jump to <a href='contents.html'>no frame version</a>.</p>")
    assert get_extractor("combined").extract(one).kind is Kind.NONE
    assert "frame" not in "".join(one.flat.text)


def test_noframes_of_a_page_without_frames_is_never_shown():
    one = framed(TEXT, "<body><p>An article.</p><noframes>{}</noframes><p>Its end.</p></body>")
    assert "".join(one.flat.text) == "An article.Its end."


def test_empty_noframes_and_noembed_are_no_text():
    assert "".join(framed("").flat.text) == ""
    assert "".join(framed("", "<body>a<noembed><b>b</b></noembed></body>{}").flat.text) == "a"
