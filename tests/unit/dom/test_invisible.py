"""Permanently hidden parts of a page are not content; parts that a click unfolds are."""

import pytest

from sitecrawl.dom.invisible import invisible, shown
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.method import Combined

URL = "https://example.org/x"
SHOWN = "<p>The mole was built in three years, and the keeper lived in the house at its end until he was old.</p>" * 3


def page(html):
    return Page.from_html(f"<html><body><main>{SHOWN}{html}{SHOWN}</main></body></html>", URL)


def text(html):
    one = page(html)
    return one.text(shown(one, (1,)))


HIDDEN = {
    "a box": '<div style="display:none"><p>secret words</p></div>',
    "later in the style": '<p style="color: red; display : none">secret words</p>',
    "capitals": '<p style="DISPLAY:NONE">secret words</p>',
    "the attribute": "<p hidden>secret words</p>",
    "cookies that a button opens": '<button data-toggle="modal" data-target="#c">Cookies</button>'
    '<div id="c" class="cookie-panel" style="display:none"><p>secret words</p></div>',
    "a dialog": '<h3>Help</h3><div role="dialog" class="panel" hidden>secret words</div>',
    "search results": '<div id="search-results-container" style="display: none">secret words</div>',
    "a message of a form": '<form><button>Send</button><p class="form-ok" hidden>secret words</p></form>',
    "below the headline": '<h1>The mole</h1><div style="display:none">secret words</div>',
    "a word in a line": '<p>One <span style="display:none">secret words</span> two.</p>',
}
FOLDED = {
    "an accordion": '<div class="accordion-item"><h3><button aria-expanded="false" aria-controls="p1">When?</button></h3>'
    '<div id="p1" class="accordion-item__panel" role="region" hidden>open words</div></div>',
    "Bootstrap": '<a data-toggle="collapse" href="#one">Question</a><div id="one" style="display:none">open words</div>',
    "tabs": '<div role="tablist"><button role="tab" aria-controls="t2">Linux</button></div>'
    '<div role="tabpanel" id="t2" hidden>open words</div>',
    "a tab by its class": '<div class="tabItem_Ymn6" hidden>open words</div>',
    "an answer by its class": '<dl><dt>Question</dt><dd class="faq-answer" style="display: none;">open words</dd></dl>',
    "beside its heading": '<h3>How long did it take?</h3><div style="display:none"><p>open words</p></div>',
    "beside a button in a box": '<div><span role="button">More</span></div><!-- x --><div style="display:none">open words</div>',
    "details": '<details><summary>More</summary><div><div style="display:none">open words</div></div></details>',
    "found by searching": '<div hidden="until-found">open words</div>',
    "a caption": '<table><caption style="display:none">open words</caption><tr><td>1</td></tr></table>',
    "laid out by a script": '<div style="visibility: hidden">open words</div>',
    "for the eye only": '<div aria-hidden="true">open words</div>',
    "a word that only sounds so": '<p style="display:none-such; color: none">open words</p>',
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_never_shown_is_no_text(name):
    found = text(HIDDEN[name])
    assert "secret words" not in found
    assert found.count("The mole was built") == 6


@pytest.mark.parametrize("name", FOLDED)
def test_what_a_click_unfolds_is_text(name):
    assert "open words" in text(FOLDED[name])


def test_a_line_stays_one_line_without_its_hidden_words():
    one = page(HIDDEN["a word in a line"])
    nodes = shown(one, (1,))
    assert "One two." in one.text(nodes).splitlines()
    assert "secret" not in one.html(nodes)


def test_images_beside_hidden_words_stay():
    one = page('<figure><img src=/mole.png alt="The mole"><div hidden>secret words</div><b>At noon.</b></figure>')
    found = one.html(shown(one, (1,)))
    assert '<img src="https://example.org/mole.png"' in found
    assert "At noon." in found
    assert "secret" not in found
    (figure,) = (row for row, tag in enumerate(one.flat.tag) if tag == "figure")
    only = page("<figure><div hidden>secret words</div><span></span><img src=/mole.png></figure>")
    assert [only.flat.tag[row] for row in shown(only, (figure,))] == ["img"]


def test_a_page_that_a_script_shows_is_not_hidden():
    one = Page.from_html(f'<body style="display:none"><main>{SHOWN}</main></body>', URL)
    assert invisible(one) == []
    one = Page.from_html(f'<body><p>Loading</p><div id="app" style="display:none">{SHOWN}</div></body>', URL)
    assert invisible(one) == []


@pytest.mark.parametrize(("times", "name", "expected"), [(1, "", True), (1, "cookie-box", False), (0, "", False)])
def test_main_content_that_is_mostly_hidden_is_shown_by_a_script(times, name, expected):
    secret = f'<div class="{name}" style="display:none">{SHOWN * times}<p>secret words</p></div>'
    html = f"<body><nav>{'<p>A word of the menu.</p>' * 60}</nav><main><h1>Mole</h1>{secret}</main></body>"
    one = Page.from_html(html, URL)
    for part in ("main", "body"):  # most of a whole page is not hidden
        found = one.text(shown(one, (one.flat.tag.index(part),)))
        assert ("secret words" in found) == (expected and part == "main")


def test_several_hidden_parts_are_no_page_that_a_script_shows():
    preview = f'<div style="display:none">{SHOWN}<p>secret words</p></div>'
    menu = f"<nav>{'<p>A word of the menu.</p>' * 60}</nav>"
    one = Page.from_html(f"<body>{menu}<main><h1>Mole</h1>{SHOWN}{preview}{preview}</main></body>", URL)
    assert len(invisible(one)) == 2
    found = one.text(shown(one, (one.flat.tag.index("main"),)))
    assert "secret words" not in found
    assert found.count("The mole was built") == 3


def test_a_hidden_part_in_a_hidden_part_counts_once():
    one = page(
        '<div hidden><p>one</p><p style="display:none">two</p></div><svg hidden><text>x</text></svg><p hidden></p>'
    )
    (row,) = invisible(one)
    assert one.flat.tag[row] == "div"


def test_nodes_without_hidden_parts_stay_as_they_are():
    one = page('<div style="display:none">secret words</div>')
    rows = tuple(row for row, tag in enumerate(one.flat.tag) if tag == "p")
    assert shown(one, rows) == rows
    assert shown(one, ()) == ()


def test_the_production_method_keeps_no_hidden_text():
    hidden = (
        '<div style="color:#000;display:none"><p>These are secret words, which nobody has ever read there.</p></div>'
    )
    one = page(hidden)
    assert "secret words" not in one.text(Combined().extract(one).nodes)


PROSE = "<p>The mole was built in three years, and the keeper lived in the house at its end.</p>" * 5


def kept(html):
    one = Page.from_html(f"<html><body>{html}</body></html>", URL)
    return one.text(shown(one, tuple(row for row, tag in enumerate(one.flat.tag) if tag == "p")))


@pytest.mark.parametrize("name", ["cookie-box", "modal", "search-results"])
def test_a_box_that_opens_over_the_page_stays_hidden(name):
    menu = "<nav>" + "<a href=/a>Harbours and lighthouses of the coast</a> " * 20 + "</nav>"
    assert "keeper" not in kept(f'{menu}<div class="{name}" style="display:none">{PROSE}</div><p>Shown</p>')
