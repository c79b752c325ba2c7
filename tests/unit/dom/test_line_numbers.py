"""The numbers beside the lines of program code are no text: in text, HTML and Markdown."""

import pytest

from sitecrawl.dom.line_numbers import LONGEST, line_numbers
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page

CODE = "<pre><code>mole = harbour.build()\nmole.open()\nmole.close()</code></pre>"
NUMBERS = {
    "Hexo": f"<figure><table><tr><td class=gutter><pre><span>1</span><br><span>2</span><br><span>3</span></pre></td>"
    f"<td class=code>{CODE}</td></tr></table></figure>",
    "pygments": f"<table><tr><td class=linenos><div class=linenodiv><pre>1\n2\n3</pre></div></td><td>{CODE}</td></tr></table>",
    "VuePress": f"<div>{CODE}<div class=line-numbers><span class=line-number>1</span><br><span class=line-number>2</span></div></div>",
    "Hugo": "<pre><code><span><span class=ln>9</span><span>mole.open()\n</span></span>"
    "<span><span class=ln>10</span><span>mole.close()</span></span></code></pre>",
    "highlight.js": "<pre><code><table><tr><td class=hljs-ln-numbers>1</td><td class=hljs-ln-code>mole.open()</td></tr>"
    "<tr><td class=hljs-ln-numbers>2</td><td class=hljs-ln-code>mole.close()</td></tr></table></code></pre>",
    "Crayon": f"<div><div class=crayon-nums><div class=crayon-num>1</div><div class=crayon-num>2</div></div>{CODE}</div>",
    "without names": f"<table><tr><td>7<br>8<br>9</td><td>{CODE}</td></tr></table>",
    "one line": "<table><tr><td>1</td><td><pre>mole.open()</pre></td></tr></table>",
}
TEXTS = {
    "numbers that do not count": f"<table><tr><td>3<br>5<br>9</td><td>{CODE}</td></tr></table>",
    "numbers with words": f"<table><tr><td class=gutter>1 mole<br>2 moles</td><td>{CODE}</td></tr></table>",
    "a table of numbers": f"{CODE}<table><tr><td>1</td><td>2</td></tr></table>",
    "numbers without code": "<div class=gutter>1<br>2<br>3</div><p>Three moles.</p>",
    "numbers far from code": f"<div><div><div><div><div><div class=ln>12</div></div></div></div></div></div>{CODE}",
    "numbers beside an article with code": f"<article><p>Moles</p><span class=ln>12</span>{CODE}</article>",
    "an answer in code": f"<table><tr><td>{CODE}</td><td>42</td></tr></table>",
    "names of other things": f"<div>{CODE}<div class=shoreline-numbers>1 2</div><div class=lines>1 2</div></div>",
}


def page(html):
    return Page.from_html(
        f"<html><body><main><h1>Moles</h1><p>The mole.</p>{html}</main></body></html>", "https://example.org/harbour"
    )


@pytest.mark.parametrize("html", NUMBERS.values(), ids=NUMBERS)
def test_line_numbers_are_left_out(html):
    one = page(html)
    main = one.flat.tag.index("main")
    text, content = one.text([main]), one.html([main])
    assert line_numbers(one.flat)
    assert "mole.close()" in text or "mole.open()" in text
    assert not any(map(str.isdigit, text))
    assert not any(map(str.isdigit, content.replace("h1>", "")))
    assert not any(map(str.isdigit, markdown(content)))


@pytest.mark.parametrize(
    "code",
    [
        "<span class=linenos>8</span>mole = 1\n<span class=linenos>9</span>  mole.open()\n",
        "<span class=ln>8\n</span>mole = 1<span class=ln>\n9</span>  mole.open()",
        "<span class=ln> 8</span><span>mole = 1\n</span><span class=ln> 9</span><span>  mole.open()\n</span>",
    ],
)
def test_the_lines_of_code_and_their_indentation_stay(code):
    one = page(f"<p>Opened:</p><pre>{code}</pre>")
    main = one.flat.tag.index("main")
    assert one.text([main]).endswith("Opened:\nmole = 1\n  mole.open()")
    assert markdown(one.html([main])).endswith("mole = 1\n  mole.open()\n```")


@pytest.mark.parametrize("html", TEXTS.values(), ids=TEXTS)
def test_other_numbers_are_text(html):
    one = page(html)
    assert line_numbers(one.flat) == []
    assert any(map(str.isdigit, one.text([one.flat.tag.index("main")])))


@pytest.mark.parametrize(("lines", "found"), [(LONGEST // 2 - 1, 1), (LONGEST // 2, 0)])
def test_so_many_lines_are_numbered(lines, found):
    numbers = "".join(f"<b>{i}</b>" for i in range(lines))
    assert len(line_numbers(page(f"<div>{CODE}<div class=line-numbers>{numbers}</div></div>").flat)) == found


def test_a_cell_and_the_lines_in_it_count_once():
    one = page(
        f"<table><tr><td class=lineno><span class=lnt>1\n</span><span class=lnt>2</span></td><td>{CODE}</td></tr></table>"
    )
    assert [one.flat.names[row] for row in line_numbers(one.flat)] == ["lineno"]
