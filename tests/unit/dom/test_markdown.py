"""Tests of Markdown."""

import pytest

from sitecrawl.dom.markdown import markdown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>a</h1><h6>b\n c</h6><p>d", "# a\n\n###### b c\n\nd"),
        ("<p>a<br>b<br><br>c", "a  \nb\n\nc"),
        ("a<div>b</div>c", "a\n\nb\n\nc"),
        ("<details><summary>a</summary>b</details>", "a\n\nb"),
        ("<p>in<b>line</b> and <i> spaced </i>word", "in**line** and *spaced* word"),
        ("<em>a\xa0</em>b<em>\xa0c</em>", "*a*\xa0b\xa0*c*".replace("\xa0", "\xa0")),
        ("<b>a</b><b>b</b><b><strong>c</strong></b>", "**abc**"),
        ("<b></b><i> </i>a<s>b</s><u>c</u>", "a~~b~~c"),
        ("x<sup>2</sup> H<sub>2</sub>O <q>q</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", None),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("a<wbr>b<!-- c -->d", "abd"),
        ("", ""),
        ("<p> </p><ul><li></li></ul><pre>\n</pre><h2></h2>", ""),
    ],
)
def test_blocks_and_lines(html, text):
    if text is None:
        text = 'x<sup>2</sup> H<sub>2</sub>O "q" 漢(kan)'
    assert markdown(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "a * b_c _d_ `e` &lt;f&gt; &amp;lt; [g](h) ~~i~~ \\*",
            r"a \* b_c \_d\_ \`e\` \<f> \&lt; [g\](h) \~~i\~~ \\\*",
        ),
        ("<p># a</p><p>- b</p><p>1. c</p><p>&gt; d</p><p>2) e</p><p>---</p><p>1.5 f</p>", None),
        ("AT&amp;T $x_1$ 3 &lt; 4 C++ #tag", "AT&T $x_1$ 3 < 4 C++ #tag"),
    ],
)
def test_what_looks_like_markup_is_escaped(html, text):
    if text is None:
        text = "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n2\\) e\n\n\\---\n\n1.5 f"
    assert markdown(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<a href="https://e.example/a_(b)">a</a>', "[a](<https://e.example/a_(b)>)"),
        ('<a href="https://e.example/a_b">https://e.example/a_b</a>', "<https://e.example/a_b>"),
        ('<b>x</b><a href="https://e.example/">\xa0 y </a>z', "**x**\xa0 [y](https://e.example/) z"),
        ('<a href="https://e.example/"><h3>a</h3><p>b</p></a>', None),
        ("<a>a</a>", "a"),
        ('<code>f(<a href="https://e.example/">T</a> x)</code>', "`f(`[`T`](https://e.example/) `x)`"),
        ('<img src="https://e.example/i.png" alt="a [b]">', "![a \\[b\\]](https://e.example/i.png)"),
        ('<a href="https://e.example/"><img src="https://e.example/i.png" alt=""></a>', None),
        (
            '<figure><img src="https://e.example/i.png" alt="a"><figcaption>b</figcaption></figure>',
            "![a](https://e.example/i.png)\n\nb",
        ),
    ],
)
def test_links_and_images(html, text):
    if text is None:
        text = (
            "### [a](https://e.example/)\n\n[b](https://e.example/)"
            if "h3" in html
            else "[![](https://e.example/i.png)](https://e.example/)"
        )
    assert markdown(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<pre>  a\n\n\tb  *c*<b>d</b>\n</pre>", "```\n  a\n\n\tb  *c*d\n```"),
        ('<pre><code class="language-py">x = 1</code></pre>', "```py\nx = 1\n```"),
        ("<pre>a<br>  b</pre>", "```\na\n  b\n```"),
        ("<pre><div>  a</div><div>  b <i>c</i></div>d</pre>", "```\n  a\n  b c\nd\n```"),
        ("<pre>a\n<b><div>b</div>\n</b>c</pre>", "```\na\nb\nc\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("<p>a <code>x  y_z*</code> <kbd>`</kbd>", "a `x y_z*` `` ` ``"),
        ("<pre><a href='/x'>f</a>(a)\n  <img src=i>b</pre>", "```\nf(a)\n  b\n```"),
        (
            "<table><tr><td><pre>1\n2</pre></td><td><pre>a\n  b</pre></td></tr></table>",
            "```\na\n  b\n```",
        ),
        ("<p>Type<br><code>a<br> b<br><br>&nbsp;&nbsp;c</code> now</p>", "Type\n\n```\na\nb\n\n  c\n```\n\nnow"),
        ("<dl><dt>a<dd><code>b<br>c<br></code></dl>", "a\n\n:   ```\n    b\n    c\n    ```"),
        ("<table><tr><td>1</td><td><code>a<br>b</code></td></tr></table>", "1\n\n```\na\nb\n```"),
        (
            "<table><tr><th>a<th>b<tr><td>c<td><code>d<br>e</code></table>",
            "| a | b |\n| --- | --- |\n| c | `d`<br>`e` |",
        ),
        ("<p>a <b><code>b<br>c</code></b>", "a **`b`  \n`c`**"),
        ("<p><code>a<br></code>b", "`a`  \nb"),
        ("<h2><code>a<br>b</code></h2>", "## `a` `b`"),
        ("<p><code><a href='https://e.example/'>T</a><br>x</code>", "[`T`](https://e.example/)  \n`x`"),
    ],
)
def test_code_keeps_its_lines(html, text):
    assert markdown(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li>a<ul><li>b<ol><li>c<li>d</ol></ul><li>e</ul>", "- a\n  - b\n    1. c\n    2. d\n- e"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li>a<ul><li>b</ul></ul>", "- a\n  - b"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li>a<pre>x\n y</pre></ul>", "- a\n\n  ```\n  x\n   y\n  ```"),
        ("<blockquote><p>a</p><blockquote>b</blockquote>c</blockquote>", "> a\n>\n> > b\n>\n> c"),
        ("<dl><dt>a</dt><dd>b</dd><dd><p>c</p><p>d</p></dd></dl>", "a\n\n:   b\n\n:   c\n\n    d"),
        ("<li>a</li>", "- a"),
    ],
)
def test_lists_and_quotes_nest(html, text):
    assert markdown(html) == text


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<table><thead><tr><th>a<th>b</thead><tr><td>1|2<td>3</table>", ["a | b", "--- | ---", "1\\|2 | 3"]),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", [" | ", "--- | ---", "a | b", "c | d"]),
        ("<table><tr><th>a<th>b<tr><td>c</table>", ["a | b", "--- | ---", "c | "]),
        ("<table><tr><th>a<th>b<tr><td colspan=2>c</table>", ["a | b", "--- | ---", "c | "]),
        (
            "<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e</table>",
            ["a | b", "--- | ---", "c | d", " | e"],
        ),
        (
            "<table><tr><th>a<th>b<tr><td><p>c</p><p>d</p><td><ul><li>e<li>f</ul></table>",
            ["a | b", "--- | ---", "c<br>d | - e<br>- f"],
        ),
    ],
)
def test_tables_have_rows(html, rows):
    assert markdown(html) == "\n".join(f"| {row} |" for row in rows)


def test_tables_that_arrange_a_page_are_none():
    assert markdown("<table><tr><td><h1>a</h1><td>b<tr><td>c<td>d</table>") == "# a\n\nb\n\nc\n\nd"
    assert markdown("<table><tr><td>a<tr><td>b</table>") == "a\n\nb"
    assert markdown("<table><caption>c</caption><tr><th>a<th>b</table>").startswith("c\n\n| a | b |")
    nested = "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e</table>"
    assert markdown(nested) == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\ne"
