"""Tests of clean HTML: what is kept of a page, and what never is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.html import MAX_VALUE, PIECE
from sitecrawl.dom.markdown import markdown

from .trees import page, pages, row, text_rows


@pytest.mark.parametrize(
    ("html", "chosen", "fragment"),
    [
        ("<ul><li>a<li>b<li>c</ul>", ["a", "c"], "<ul><li>a</li><li>c</li></ul>"),
        ("<ul><li>a<li>b</ul>", ["b"], "<ul><li>b</li></ul>"),
        (
            "<table><tr><td>a<td>b<tr><td>c<td>d</table>",
            ["b", "c"],
            "<table><tbody><tr><td>b</td></tr><tr><td>c</td></tr></tbody></table>",
        ),
        ("<div><p>a<div><p>b</div><p>c</div>", ["a", "b"], "<p>a</p><div><p>b</p></div>"),
        ("<main><p>a</main>", ["main"], "<div><p>a</p></div>"),
        ("<pre>  a\n  <b>b</b></pre>", ["b"], "<pre><b>b</b></pre>"),
        ("<xmp><b>a</b></xmp>x", ["xmp"], "<pre>&lt;b&gt;a&lt;/b&gt;</pre>"),
    ],
)
def test_html_keeps_lists_and_tables_whole(html, chosen, fragment):
    found = page(html)
    nodes = [row(found.flat, name) if name in ("main", "xmp") else _around(found.flat, name) for name in chosen]
    assert found.html(sorted(nodes)) == fragment


def _around(flat, text):
    """Return the parent of the text with this content."""
    return flat.parent[next(i for i in range(len(flat)) if flat.text[i].strip() == text)]


def test_html_is_safe_and_its_links_are_absolute():
    found = page(
        "<base href='/b/'><div onclick=x() class=c style='x'><a href='y?z' onclick=x()>l</a>"
        "<a href='javascript:alert(1)'>j</a><a href='https://[bad'>k</a>"
        "<img src=i.png onerror=x() alt='A \x01'>"
        "<script>alert(1)</script><iframe src=x></iframe><form><input value=v>f</form><odd:tag>o</odd:tag>"
        "<td\x7f>t</div>"
    )
    fragment = found.html([0])
    tree = lxml_html.fragment_fromstring(fragment, create_parent=True)
    assert [a.get("href") for a in tree.iter("a")] == ["https://example.org/b/y?z"]
    assert [dict(i.attrib) for i in tree.iter("img")] == [{"src": "https://example.org/b/i.png", "alt": "A "}]
    assert "".join(tree.itertext()) == "ljkfot"
    assert not [name for e in tree.iter() for name in e.attrib if name.startswith("on") or name in ("class", "style")]
    assert not {"script", "iframe", "form", "input"} & {e.tag for e in tree.iter()}


def test_html_of_nothing():
    found = page("<p>x")
    assert found.html([]) == ""
    assert found.html([0]) == "<p>x</p>"
    assert found.html([row(found.flat, "x")]) == "x"


def whole(html):
    return page(f"<body>{html}</body>").html([0])


@pytest.mark.parametrize(
    ("html", "fragment"),
    [
        ("<p>\n x <b>y</b> <i>z</i>\n</p>\n<p> w", "<p>x <b>y</b> <i>z</i></p><p>w</p>"),
        ("<p>a<b> b</b>c<i>\n d </i>e", "<p>a <b>b</b>c <i>d </i>e</p>"),
        ("<p>x<sup>2</sup> <q>q</q> <a href=/l>l</a>", None),
        ("<p>a<br> b<wbr>c&shy;d&nbsp; e", "<p>a<br>b<wbr>c\xadd&nbsp; e</p>"),
        ("<div><p>a</p>b <i>c</i></div><p>d<br>e <i>f</i>", "<div><p>a</p>b <i>c</i></div><p>d<br>e <i>f</i></p>"),
        ("<div>a<div></div>b</div>", "<div>a<div></div>b</div>"),
        ("<p><a href=/x></a><b> </b>a", "<p>a</p>"),
        ("<p>a<span>b</span><font color=red>c</font>", "<p>abc</p>"),
        ("<p>a<a name=b>b</a><a href='javascript:x'>c</a>", "<p>abc</p>"),
        ("<p>a<span lang=fr>b</span>", '<p>a<span lang="fr">b</span></p>'),
        ("<p>E = <math><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>", "<p>E = mc2</p>"),
        ("<address>a</address>b<section>c</section>", "<div>a</div>b<div>c</div>"),
        ("<menu><li>a</menu>", "<ul><li>a</li></ul>"),
        ("<details><summary>a</summary>b</details>", "<details><summary>a</summary>b</details>"),
        ("<ol start=3 reversed><li value=7>a", '<ol start="3" reversed=""><li value="7">a</li></ol>'),
        ("<time datetime=2020 class=x>a</time>", '<time datetime="2020">a</time>'),
        ("<abbr title=t>a</abbr><p title=t>b", '<abbr title="t">a</abbr><p>b</p>'),
        ("<p>a</p><noframes><b>b</b></noframes><noembed>c</noembed>", "<p>a</p>"),
        ("<h2>a</h2><h5>b</h5>", "<h2>a</h2><h5>b</h5>"),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        (
            "<table><caption>c</caption><tfoot><tr><td>f</tfoot><tr><th scope=row>a<td colspan=2>b</table>",
            '<table><caption>c</caption><tfoot><tr><td>f</td></tr></tfoot><tbody><tr><th scope="row">a</th>'
            '<td colspan="2">b</td></tr></tbody></table>',
        ),
        (
            "<figure><img src=a.png alt='x  y'><figcaption>b</figcaption></figure>",
            '<figure><img src="https://example.org/a/a.png" alt="x y"><figcaption>b</figcaption></figure>',
        ),
    ],
)
def test_clean_html_keeps_the_structure(html, fragment):
    if fragment is None:
        fragment = '<p>x<sup>2</sup> <q>q</q> <a href="https://example.org/l">l</a></p>'
    assert whole(html) == fragment


@pytest.mark.parametrize(
    ("html", "fragment"),
    [
        ("<pre>\n  a\n\tb  <b>c</b>\n\n d</pre>", "<pre>  a\n\tb  <b>c</b>\n\n d</pre>"),
        ("<pre><span>a</span> <span>b</span>\n<span> </span>c</pre>", "<pre>a b\n c</pre>"),
        ("<pre>a<br>  b</pre>", "<pre>a<br>  b</pre>"),
        ("<pre><code class='x language-Py'>a</code></pre>", '<pre><code class="language-py">a</code></pre>'),
        ("<pre class=lang-c++>a</pre>", '<pre class="language-c++">a</pre>'),
        (
            "<div class='highlight-rust notranslate'><div class=highlight><pre>a</pre></div></div>",
            '<div><div><pre class="language-rust">a</pre></div></div>',
        ),
        ("<div class=highlight-default><pre>a</pre></div>", "<div><pre>a</pre></div>"),
        ("<div class=language-en>a <code>b</code><pre>c</pre></div>", None),
    ],
)
def test_clean_html_keeps_the_language_of_code(html, fragment):
    if fragment is None:
        fragment = '<div>a <code>b</code><pre class="language-en">c</pre></div>'
    assert whole(html) == fragment


def test_links_and_images_are_absolute_and_of_use():
    found = whole(
        "<a href=' x?a=1&amp;b=2#c '>1</a><a href=mailto:a@b.c>2</a><a href='x:y'>3</a><a href='data:text/html,x'>4</a>"
        "<img src='data:image/gif;base64,R0lG'><img src=''><img><img src='javascript:x'><img src=//c.example/i>"
    )
    tree = lxml_html.fragment_fromstring(found, create_parent=True)
    hrefs = [a.get("href") for a in tree.iter("a")]
    assert hrefs == ["https://example.org/a/x?a=1&b=2#c", "mailto:a@b.c"]
    assert tree.text_content() == "1234"
    assert [i.get("src") for i in tree.iter("img")] == ["https://c.example/i"]


def test_what_is_left_out_does_not_join_words():
    found = page("<p>a<u>no</u>b <i>c</i></p><pre>  x<u>no</u>y</pre>")
    chosen = [row(found.flat, text) for text in ("a", "b", "i", "x", "y")]
    assert found.html(chosen) == "<p>a b <i>c</i></p><pre>  xy</pre>"


def test_pieces_that_style_sheets_set_apart_do_not_join_words():
    one = page("<p><span>Enterprise</span><span>Build team</span><p><span>to a</span><p><span>Band</span>")
    assert one.html([0]) == "<p>Enterprise Build team</p><p>to a</p><p>Band</p>"


def test_very_deep_and_very_wide_pages_take_no_time():
    for html in (
        "<b>x" * 3000,
        "<div>x" * 3000,
        "<blockquote><ul><li>x" * 600,
        "<i> " * 2000 + "x",
        "<div>" * 2000 + "x<br>y<i>z</i>" * 8_000,
        "x<!-- -->" * 40_000,
        "<table>" + "<tr><td rowspan=999 colspan=999>x" * 3000,
    ):
        found = page(html)
        for nodes in ([0], text_rows(found.flat, (0,))):
            begun = time.process_time()
            assert markdown(found.html(nodes))
            assert time.process_time() - begun < 6


@pytest.mark.parametrize("text", ["&" * 600_000, "a\u00ad" * 300_000, "\u00a9 2020 " * 300_000])
@pytest.mark.parametrize("html", ["<p>{}</p>", "<p>x<br>{}<i>y</i></p>", "<p>x<img src=/a alt='{}'></p>"])
def test_long_texts_of_special_characters_take_no_time(html, text):
    found = page(html.format(text))
    begun = time.process_time()
    shown = lxml_html.fragment_fromstring(found.html([0]), create_parent=True)
    assert time.process_time() - begun < 1
    wanted = "".join(found.flat.text[i] for i in text_rows(found.flat, (0,)))
    assert "".join(shown.text_content().split()) == "".join(wanted.split())


def test_the_pieces_of_a_long_text_are_not_seen():
    text = "".join(f"{i} & \u00ad" for i in range(3 * PIECE))
    assert page(f"<pre>x<b>y</b>{text.replace('&', '&amp;')}</pre>").html([0]) == (
        f"<pre>x<b>y</b>{text.replace('&', '&amp;')}</pre>"
    )


def test_a_value_that_no_server_accepts_is_left_out():
    one = page(f"<p>a <a href='/{'b' * MAX_VALUE}'>c</a> <a href='/d'>e</a></p>")
    assert one.html([0]) == '<p>a c <a href="https://example.org/d">e</a></p>'


@given(pages(), st.randoms(use_true_random=False))
def test_the_chosen_words_are_there_and_no_others(found, random):
    flat = found.flat
    kept = [name == "#text" and random.random() < 0.6 for name in flat.tag]
    html = found.html(cover_texts(flat, kept))
    text = "".join(lxml_html.fragment_fromstring(html, create_parent=True).itertext())
    wanted = "".join(flat.text[i] for i in range(len(flat)) if kept[i])
    # a parser moves what stands in a table outside of its cells
    assert sorted("".join(text.split())) == sorted("".join(wanted.split()))
    shown = markdown(html).replace("https://example.org/y", "")
    assert sorted(filter(str.isalnum, shown)) == sorted(filter(str.isalnum, wanted))
