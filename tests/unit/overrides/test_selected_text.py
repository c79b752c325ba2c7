"""The text of what a person's selector meets on a page."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.overrides.selected_text import selected_texts
from sitecrawl.overrides.selectors import compile_selector

PAGE = Page.from_html(
    "<html><head><title>The  harbour</title></head><body><main><h1>Boats</h1><p>One <b>boat</b>.</p><p>Two\nboats.</p>"
    "<ul><li>red<li>blue</ul></main><p class=empty></p><a href=/more>More</a></body></html>",
    "https://example.org/",
)


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        ("main > p", ["One boat.", "Two boats."]),
        ("main", ["Boats\nOne boat.\nTwo boats.\n- red\n- blue"]),
        ("ul, ul li", ["- red\n- blue", "- red", "- blue"]),
        ("h1::text", ["Boats"]),
        ("a::attr(href)", ["/more"]),
        ("title", ["The harbour"]),
        ("//li[2]", ["- blue"]),
        ("xpath:string(//h1)", ["Boats"]),
        (".empty, .none", []),
    ],
)
def test_each_selected_place_gives_its_text(selector, texts):
    assert selected_texts(PAGE, compile_selector(selector, elements=False)) == texts
