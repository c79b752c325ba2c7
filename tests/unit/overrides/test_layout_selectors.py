"""Selectors that are read off pages with their main content, and what other programs get of them."""

from lxml import html as lxml_html
from lxml.cssselect import CSSSelector

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
    """What lxml and cssselect alone make of it."""
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
    pages = [page(number) for number in range(6)] + [page(number, region="entry") for number in range(6, 12)]
    made = layout_selectors(pages)
    assert len(made.content) == 2
    for region in ("main post-content", "entry"):
        assert "The river" in selected(made, html(99, region=region))


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


def test_every_format_writes_a_layout():
    for write in FORMATS.values():
        assert "div" in write("example.org", [LAYOUT])
