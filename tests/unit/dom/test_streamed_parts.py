"""Late parts of streamed pages are read in their places."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, get_extractor

TEXT = "".join(f"<p>Paragraph {i} of the article is long enough to be prose, and it has a stop.</p>" for i in range(6))


def text(body):
    """Return the text of a page that ends with the scripts of a streamed one."""
    return Page.from_html(f"<html><body>{body}<script>$RC('B:0','S:0')</script></body></html>", "https://a.b/").text(
        (0,)
    )


def place(number=0, meanwhile="Loading <i>moles</i>"):
    return f'<!--$?--><template id="B:{number}"></template>{meanwhile}<!--/$-->'


def part(html, number=0):
    return f'<div hidden id="S:{number}">{html}</div>'


def test_a_late_part_is_read_in_its_place_and_what_is_shown_meanwhile_is_not():
    assert text(f"<main><p>Before</p>{place()}<p>After</p></main>{part('<p>Late</p>')}") == "Before\nLate\nAfter"
    assert text(f"<main>{place(0, '<p>Soon</p>')}</main><p>End</p>{part('Late')}") == "Late\nEnd"


def test_parts_inside_parts_are_read_in_any_order():
    inner, outer = part("<p>Deep</p>", 1), part(f"<p>High</p>{place(1)}<p>Low</p>")
    assert text(f"<main>{place()}</main>{outer}{inner}") == "High\nDeep\nLow"
    assert text(f"<main>{place()}</main>{inner}{outer}") == "High\nDeep\nLow"


def test_an_empty_place_and_places_inside_what_is_shown_meanwhile_are_known():
    assert text(f'<p>A</p><template id="P:a"></template><p>B</p>{part("<p>Late</p>", "a")}') == "A\nLate\nB"
    waiting = f"<p>Soon</p>{place(7)}<p>Soon too</p>"
    assert text(f"{place(0, waiting)}<p>After</p>{part('<p>Late</p>')}") == "Late\nAfter"
    assert text(f'<template id="B:0"></template><p>Other</p>{part("<p>Late</p>")}') == "Late\nOther"  # no comments


@pytest.mark.parametrize(
    "body",
    [
        f"<main>{place()}</main>",  # the part never came
        f"<main>{place()}</main>{part('<p>Late</p>', 3)}",
        f"<main>{place()}</main><div id=S:0 class=hidden><p>Late</p></div>",
        f"<div hidden id=S:0><p>Late</p>{place()}</div>",  # in itself
        f"<main>{place()}</main>{part('<p>Late</p>')} and more",
    ],
)
def test_other_pages_stay_as_they_are(body):
    assert "Loading" in text(body)


def test_a_text_that_comes_late_is_content():
    one = Page.from_html(f"<body><main>{place()}</main>{part(f'<h1>Snow</h1>{TEXT}')}</body>", "https://a.example/b")
    found = get_extractor("combined").extract(one)
    assert found.kind is Kind.CONTENT
    assert "Paragraph 5 of the article" in one.text(found.nodes)
    assert "Loading" not in one.text((0,))
