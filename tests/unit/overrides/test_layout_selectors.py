"""Selectors that are read off pages with their main content, and what other programs get of them."""

import importlib

from lxml import html as lxml_html
from lxml.cssselect import CSSSelector
from parsel import Selector

from sitecrawl.dom.page import Page
from sitecrawl.overrides.layout_selectors import LayoutSelectors, layout_selectors
from sitecrawl.overrides.selector_formats import FORMATS, ExportedLayout, css, site_patterns, web_poet
from sitecrawl.overrides.selectors import compile_selector

WORDS = "The river rose over the market and the old bridge in the night of the storm, as all who saw it say. " * 3


def html(number, *, region="main post-content", headline_inside=True):
    headline = f"<h1>Report {number}</h1>"
    return (
        f"<html><body><div class=menu><a href='/'>Home</a></div>{'' if headline_inside else headline}"
        f"<div class='{region}' id=post-{number}>{headline if headline_inside else ''}<p>{number} {WORDS}</p>"
        f"<div class='share box'>Tell your friends of it, by mail or on the usual networks</div><p>{WORDS}</p>"
        "</div><div class=foot>All rights reserved</div></body></html>"
    )


def page(number, *, kept=("h1", "p"), **how):
    """Return a page with the rows of its main content."""
    made = Page.from_html(html(number, **how), f"https://example.org/{number}")
    return made, tuple(row for row, tag in enumerate(made.flat.tag) if tag in kept)


def selected(selectors, source):
    """The reference: the result of lxml and cssselect alone."""
    root = lxml_html.document_fromstring(source)
    out = [element for one in selectors.exclude for element in CSSSelector(one)(root)]
    found = next((some for one in selectors.content if (some := CSSSelector(one)(root))), [])
    for element in out:
        element.drop_tree()
    beside = [element for one in selectors.beside for element in CSSSelector(one)(root)]
    return " ".join(" ".join(element.text_content().split()) for element in (*beside, *found))


def test_the_region_is_selected_and_what_is_left_out_in_it_is_named():
    made = layout_selectors([page(number) for number in range(8)])
    assert made.score > 0.99
    assert len(made.content) == 1
    assert made.exclude
    found = selected(made, html(99))
    assert found.startswith("Report 99")
    assert "Tell your friends" not in found
    assert "Home" not in found
    assert "rights" not in found
    assert "post-0" not in " ".join(made.content)  # an id with a number is of one page


def test_a_headline_outside_comes_first():
    made = layout_selectors([page(number, headline_inside=False) for number in range(8)])
    assert made.beside
    assert selected(made, html(99, headline_inside=False)).startswith("Report 99")


def test_pages_with_other_regions_have_selectors_of_their_own():
    body = {
        "post": "<p class=lead>Read the letter of the week, now in its third year</p><div class=post><p>{0} "
        + WORDS
        + "</p></div>",
        "entry": "<ul><li>Home<li>News</ul><i>By the editors</i><div class=entry><p>{0} "
        + WORDS
        + "</p></div><b>More of it</b>",
    }
    pages = [kept_page(n, body["post" if n % 2 else "entry"].format(n), ("river",)) for n in range(12)]
    made = layout_selectors(pages)
    assert {"div.post", "div.entry"} <= set(made.content)
    for one in body.values():
        assert selected(made, f"<html><body>{one.format(99)}</body></html>").startswith("99 The river")


def kept_page(number, body, keep):
    """Return a page with the rows of the innermost elements that contain one of these words."""
    made = Page.from_html(f"<html><body>{body}</body></html>", f"https://example.org/{number}")
    flat = made.flat
    rows = [row for row, text in enumerate(flat.text) if any(word in text for word in keep)]
    return made, tuple(dict.fromkeys(flat.parent[row] for row in rows))


def test_a_class_selects_elements_with_further_classes_too():
    tabs = (
        "<div id=tabs><div class='pane fade show'>{0} " + WORDS + "</div><div class='pane fade'>Weight 50 g</div></div>"
    )
    pages = [kept_page(number, tabs.format(number), ("river",)) for number in range(8)]
    found = selected(layout_selectors(pages), f"<html><body>{tabs.format(99)}</body></html>")
    assert found.startswith("99 The river")
    assert "Weight" not in found


def test_furniture_without_a_name_is_known_by_its_place():
    body = (
        "<h1>Subject</h1><p>From: someone</p><p>{0} "
        + WORDS
        + "</p><p>{0} more. "
        + WORDS
        + "</p><p>Made by a program</p>"
    )
    pages = [kept_page(number, body.format(number), ("river",)) for number in range(8)]
    made = layout_selectors(pages)
    found = selected(made, f"<html><body>{body.format(99)}</body></html>")
    assert found.count("99") == 2
    assert "From" not in found
    assert "program" not in found
    assert made.score > 0.95


def test_a_region_that_is_furniture_itself_may_be_named():
    body = "<main id=main><div class=title>{0} by the editors of it</div><div>{0} " + WORDS + "</div></main>"
    pages = [kept_page(number, body.format(number), ("river",)) for number in range(8)]
    found = selected(layout_selectors(pages), f"<html><body>{body.format(99)}</body></html>")
    assert "The river" in found
    assert "editors" not in found


def test_what_stands_beside_the_region_is_selected_with_it():
    lead = "<div class=hero><p>In short: the river rose and fell within one night, {0}</p></div>"
    body = "<nav>Home and more, and a menu of many words about it</nav>" + lead
    body += (
        "<div class=list><p>"
        + "Other reports of the week. " * 30
        + "</p></div><div class=wrap><p>{0} "
        + WORDS
        + "</p></div>"
    )
    pages = [kept_page(number, body.format(number), ("river",)) for number in range(8)]
    found = selected(layout_selectors(pages), f"<html><body>{body.format(99)}</body></html>")
    assert "In short" in found
    assert "The river rose" in found
    assert "Other reports" not in found


def test_pages_that_no_selector_reaches_get_a_plain_one():
    pages = [kept_page(n, f"<div id=box><div class=post><p>{n} {WORDS}</p></div></div>", ("river",)) for n in range(12)]
    odd = kept_page(99, f"<div id=box><p>99 {WORDS}</p></div>", ("river",))
    made = layout_selectors([*pages, odd])
    assert "The river" in selected(made, f"<html><body><div id=box><p>100 {WORDS}</p></div></body></html>")


def test_listings_decide_only_between_equals():
    pages = [
        kept_page(n, f"<div class=post><div class=text><p>{n} {WORDS}</p></div></div>", ("river",)) for n in range(8)
    ]
    cards = "".join(f"<div class=card><p>{n} {WORDS}</p></div>" for n in range(3))
    listings = [kept_page(n, f"<div class=post>{cards}</div>", ("river",)) for n in range(30, 32)]
    made = layout_selectors(pages, listings)
    assert made.score == layout_selectors(pages).score == 1.0
    assert selected(made, f"<html><body><div class=post>{cards}</div></body></html>").count("The river") == 9


def test_pages_without_content_have_none():
    assert layout_selectors([]) is None
    assert layout_selectors([page(1, kept=())]) is None


LAYOUT = ExportedLayout(
    2,
    ("article (80% sure, from 32 pages)", 'content in div.main */ """'),
    LayoutSelectors(("div.main",), ("div.share", "ul > li.ad"), ("h1",), 0.98),
    ("https://example.org/1",),
)


def test_css_has_one_selector_a_line():
    lines = css("example.org", [LAYOUT]).splitlines()
    assert [line for line in lines if not line.startswith("/*")] == [
        "content: div.main",
        "beside: h1",
        "exclude: div.share",
        "exclude: ul > li.ad",
    ]
    assert all(line.count("*/") == 1 for line in lines if line.startswith("/*"))


def test_site_patterns_select_the_same():
    lines = site_patterns("example.org", [LAYOUT]).splitlines()
    directives = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    assert [name for name, _, _ in directives] == ["title", "body", "strip", "strip", "test_url"]
    root = lxml_html.document_fromstring(
        "<div class='a main'><ul><li class='ad x'>1</ul></div><div class=share>2</div>"
    )
    body, strip, other = (compile_selector(value).elements(root) for _, _, value in directives[1:4])
    assert [one.get("class") for one in (*body, *strip, *other)] == ["a main", "share", "ad x"]


def test_a_page_object_is_a_module_of_python():
    source = web_poet("www.example.org", [LAYOUT])
    assert "class WwwExampleOrgLayout2(_Layout):" in source
    assert "'div.share'," in source
    names = compile(source, "page_objects.py", "exec").co_names
    assert "WwwExampleOrgLayout2" in names


def test_a_page_object_reads_what_is_selected_twice_once(tmp_path, monkeypatch):
    layout = ExportedLayout(1, (), LayoutSelectors(("div.section",), ("b",)))
    (tmp_path / "web_poet.py").write_text(
        "class WebPage:\n    def css(self, one):\n        return self.selector.css(one)\n"
        "def field(method):\n    return property(method)\n"
        "def handle_urls(host):\n    return lambda made: made\n"
    )
    (tmp_path / "objects_of_it.py").write_text(web_poet("example.org", [layout]))
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("objects_of_it").ExampleOrgLayout1()
    made.selector = Selector(text="<div class=section>One<b>no</b><div class=section>Two</div></div>")
    assert made.text == "One\nTwo"


def test_every_format_writes_a_layout():
    for write in FORMATS.values():
        assert "div" in write("example.org", [LAYOUT])
