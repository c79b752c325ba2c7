"""Links without a target that have class names of buttons are controls, not text."""

import pytest

from sitecrawl.dom.controls import controls
from sitecrawl.dom.invisible import shown
from sitecrawl.dom.page import Page

CONTROLS = [
    '<p>Text <a href="" class="btn-readmore"><b>Course:</b> word</a></p>',
    '<a href="#" class="button">word</a>',
    '<a href="javascript:void(0)" class="copy">word</a>',
    '<a href=" # " id="toggle-1">word</a>',
    '<a href="#" class="c-show_more">word</a>',
    '<div class="quote-expandLink js-expandLink"><a role="button">word</a></div>',
]
TEXTS = [
    '<a href="/more" class="btn-readmore">word</a>',
    '<a href="#part" class="button">word</a>',
    '<a class="button">word</a>',  # the name of a place
    '<div class="print"><a name="place">word</a></div>',
    '<div class="expanded"><a>word</a> and text</div>',
    f'<div class="show-more"><a>word {"and more " * 20}</a></div>',
    '<a href="#" class="term">word</a>',
    '<a href="#" class="copyright-free photocopy">word</a>'.replace("copyright-free ", ""),
    '<h3><span><a href="#" class="accordion-toggle">word</a></span></h3>',
    '<dl><dt><a href="#" class="toggle">word</a></dt></dl>',
    f'<a href="#" class="button">word {"and more " * 20}</a>',
]


def page(html):
    return Page.from_html(f"<html><body><main><p>One two.</p>{html}</main></body></html>", "https://a.example/")


@pytest.mark.parametrize("html", CONTROLS)
def test_a_link_to_nowhere_that_is_named_as_a_button_is_no_text(html):
    one = page(html)
    assert [one.flat.tag[row] for row in controls(one.flat)] == ["a"]
    text = one.text(shown(one, (1,)))
    assert text.startswith("One two.")
    assert "word" not in text
    assert ("Text" in text) == ("Text" in html)


@pytest.mark.parametrize(
    "html",
    [
        "<pre><code>x = 1</code><button>Copy</button></pre>",
        "<div><pre>x = 1</pre><button><span>複製</span></button></div>",
        "<p>x = 1 <label for=a>View Source</label></p>",
    ],
)
def test_buttons_beside_code_are_no_text(html):
    one = page(html)
    assert one.text(shown(one, (1,))) == "One two.\nx = 1"


def test_a_control_beside_a_heading_is_no_text():
    one = page('<h2>Summary of methods <small><a href="#" class="summary_toggle">collapse</a></small></h2>')
    assert one.text(shown(one, (1,))) == "One two.\nSummary of methods"


@pytest.mark.parametrize(
    "html", ["<button>Status 404</button>", "<label>Copy of the deed</label>", "<span>Copy</span>"]
)
def test_other_buttons_are_text(html):
    assert controls(page(html).flat) == []


@pytest.mark.parametrize("html", TEXTS)
def test_other_links_are_text(html):
    one = page(html)
    assert controls(one.flat) == []
    assert "word" in one.text(shown(one, (1,)))


def test_the_markup_of_a_whole_text_that_others_may_republish_is_no_text():
    copy = "".join(f"&lt;p&gt;The mole was built in year {year}.&lt;/p&gt;" for year in range(5))
    one = page(f"<textarea>&lt;h1&gt;The mole&lt;/h1&gt;{copy}</textarea>")
    assert [one.flat.tag[row] for row in controls(one.flat)] == ["textarea"]
    assert one.text(shown(one, (1,))) == "One two."


def test_a_code_to_embed_is_text():
    one = page('<textarea>&lt;p&gt;&lt;a href="/"&gt;&lt;img src="badge.png"&gt;&lt;/a&gt;&lt;/p&gt;</textarea>')
    assert not controls(one.flat)
    assert "badge.png" in one.text(shown(one, (1,)))


@pytest.mark.parametrize(
    ("label", "left"),
    [
        ("<span>Expand description</span>", ""),
        ("[−] Show declaration", ""),
        ("Show hidden methods of the harbour", "Show hidden methods of the harbour\n"),
        ("Details", "Details\n"),
    ],
)
def test_a_summary_that_says_only_that_it_unfolds_is_no_text(label, left):
    one = page(f"<details open><summary>{label}</summary><p>A mole.</p></details>")
    assert one.text(shown(one, (1,))) == f"One two.\n{left}A mole."


@pytest.mark.parametrize(("name", "gone"), [("tooltiptext", True), ("tooltip-content x", True), ("tooltip", False)])
def test_the_text_of_a_tooltip_beside_a_word_is_no_text(name, gone):
    one = page(f"<p>The <a href=/mole>mole<span class='{name}'>a wall of stones</span></a> is long.</p>")
    assert ("wall" not in one.text(shown(one, (1,)))) == gone
    icon = page(f"<p><a href=/mole><i class=icon></i><span class='{name}'>a wall of stones</span></a></p>")
    assert "wall" in icon.text(shown(icon, (1,)))
