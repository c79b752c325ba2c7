"""Permalinks of headings are no text: neither in text, HTML and Markdown nor in titles and headings of chunks."""

import pytest

from sitecrawl.dom.chunks import chunks
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.dom.permalinks import permalinks
from sitecrawl.metadata.headlines import headlines, lower_headlines

PROSE = "<p>It is long.</p>"
PERMALINKS = {
    "Sphinx": '<section id="mole"><h2>Mole<a class="headerlink" href="#mole" title="Link to this heading">¶</a></h2>',
    "MyST": '<section id="mole"><h2>Mole<a class="headerlink" href="#mole" title="Link to this heading">#</a></h2>',
    "Node": '<section><h2>Mole<span><a class="mark" href="#mole" id="mole">#</a></span></h2>',
    "Docusaurus": '<section><h2 id="mole">Mole<a class="hash-link" href="#mole" title="Direct link to Mole">\u200b</a></h2>',
    "PreTeXt": '<section id="mole"><h2>Mole</h2><div class="autopermalink"><a href="#mole">🔗</a></div>',
    "VuePress": '<section><h2 id="mole"><a class="header-anchor" href="#mole">#</a> Mole</h2>',
    "rustdoc": '<section><h2 id="mole">Mole<a href="#mole" class="anchor">§</a></h2>',
    "words": '<section><h2 id="mole">Mole <a href="#mole">Link to this heading</a></h2>',
    "another page": '<section><h2 id="mole">Mole <a href="/harbour#mole">#</a></h2>',
    "letters that are no ASCII": '<section><h2 id="jetée">Mole <a href="#jet%C3%A9e">#</a></h2>',
    "beside the heading": '<section><div><h2>Mole</h2><a href="#x">#</a></div>',
    "before the heading": '<section><div><a href="#x">§</a><h2>Mole</h2></div>',
    "the way back": '<section><h2>Mole <a href="#top">[top]</a></h2>',
    "a sign and the way back": '<section><h2>Mole<span><a href="#mole">#</a> <a href="#toc-mole">TOC</a></span></h2>',
    "an arrow": '<section><h2>Mole <a href="#x">»</a></h2>',
}
TEXTS = {
    "the heading": '<h2 id="mole"><a href="#mole">Mole</a></h2>',
    "a heading that is a sign": '<h2 id="op"><a href="#op">#</a></h2>',
    "a note": '<h2 id="mole">Mole<a href="#note-1">*</a></h2>',
    "an operator": '<dl><dt id="op">proc <a href="#op">`%`</a>(a, b)</dt></dl>',
    "an operator at the beginning": '<dl><dt id="op"><a href="#op">`%`</a>(a, b)</dt></dl>',
    "a sign in the middle of a heading": '<h2 id="keys">The key <a href="#keys">#</a> and others</h2>',
    "a function": '<dl><dt id="add">proc <a href="#add">add</a>(a, b)</dt><dt id="add2">proc <a href="#add2">add</a>(a)</dt></dl>',
    "a link elsewhere in words": '<h2 id="mole">Mole <a href="#x">Permalink</a></h2>',
    "words in the middle": '<h2 id="mole">A <a href="#mole">link to the mole</a> of stone</h2>',
    "a top at the beginning": '<h2><a href="#top">Top</a> of the mole</h2>',
    "a top on another page": '<h2>The mole is at the <a href="/harbour#top">top</a></h2>',
    "a top in a sentence": '<p>Go back to the <a href="#top">top</a></p>',
    "an index": '<table><tr><td><a href="#symbol-2">#</a></td></tr></table>',
    "a footnote": '<ol><li id="fn1"><p>So it was. <a href="#fnref1">↩</a></p></li></ol>',
    "a link without a place": '<h2 id="mole">Mole <a href="#">#</a></h2>',
    "a number": '<section id="s5"><p><a href="#s5">§ 5</a> It is long.</p></section>',
    "a sign in a sentence": '<section id="s5"><p>See <a href="#s5">#</a> there.</p></section>',
}


def page(html):
    return Page.from_html(
        f"<html><body><main><p>The mole.</p>{html}</main></body></html>", "https://example.org/harbour"
    )


def read(html):
    """Return the text and the Markdown of the main content."""
    one = page(html)
    nodes = tuple(row for row, tag in enumerate(one.flat.tag) if tag == "main")
    return one.text(nodes), markdown(one.html(nodes))


@pytest.mark.parametrize("name", PERMALINKS)
def test_a_permalink_is_no_text(name):
    text, made = read(f"{PERMALINKS[name]}{PROSE}</section>")
    assert text.splitlines() == ["The mole.", "Mole", "It is long."]
    assert made.split() == ["The", "mole.", "##", "Mole", "It", "is", "long."]


@pytest.mark.parametrize("target", ["#p-jet%C3%A9e", "#p-jetée"])
def test_a_sign_behind_a_paragraph_that_leads_to_it_is_no_text(target):
    text, _ = read(f'<p id="p-jetée">The keeper. <a href="{target}">#</a></p>')
    assert text.splitlines()[-1] == "The keeper."


def test_an_element_of_a_permalink_goes_with_it():
    one = page(PERMALINKS["PreTeXt"])
    assert "<div></div>" not in one.html((2,))


@pytest.mark.parametrize("name", TEXTS)
def test_other_links_are_text(name):
    assert permalinks(page(TEXTS[name]).flat) == []


def test_a_heading_alone_stays_a_heading():
    one = page(PERMALINKS["Sphinx"])
    (heading,) = (row for row, tag in enumerate(one.flat.tag) if tag == "h2")
    assert one.text((heading,)) == "Mole"
    assert one.html((heading,)) == "<h2>Mole</h2>"


def test_an_image_beside_a_permalink_stays():
    figure = '<figure id="f"><img src="/mole.png" alt="The mole"><a href="#f">¶</a></figure>'
    text, made = read(figure)
    assert text == "The mole."
    assert "![The mole](https://example.org/mole.png)" in made
    assert "¶" not in made


def test_words_beside_a_permalink_stay_apart():
    text, _ = read('<p>One<a href="#x">¶</a>two.</p>')
    assert text.splitlines()[-1] == "One two."


def test_headlines_and_the_headings_of_chunks_have_no_permalinks():
    html = PERMALINKS["words"].replace("h2", "h1") + PROSE + "</section>" + PERMALINKS["MyST"] + PROSE
    one = page(html)
    assert [" ".join(text.split()) for text in headlines(one.named("h1"))] == ["Mole"]
    assert list(lower_headlines(one.root)) == ["Mole"]
    nodes = tuple(row for row, tag in enumerate(one.flat.tag) if tag == "main")
    made = chunks(one.url, one.text(nodes), one.html(nodes))
    assert made[-1].headings == ("Mole", "Mole")


def test_a_headline_keeps_its_links():
    one = page('<h1><a href="#mole">Mole</a> of <a href="#note-1">*</a> <a href="/x">@</a></h1>')
    assert list(headlines(one.named("h1"))) == ["Mole of * @"]
