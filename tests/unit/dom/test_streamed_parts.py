"""Parts of a page that React streams behind it, in the places in which browsers show them."""

import time

import pytest
from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.streamed_parts import PARTS
from sitecrawl.extractors.base import Kind, get_extractor

RUNTIME = "<script>$RC=function(b,c,e){c=document.getElementById(c)};$RS=function(a,b){}</script>"
TEXT = "".join(f"<p>Paragraph {i} of the article is long enough to be prose, and it has a stop.</p>" for i in range(6))


def page(body):
    return Page.from_html(f"<html><head><title>Snow</title></head><body>{body}</body></html>", "https://a.example/b")


def place(number, waiting="<p>Loading</p>", kind="B"):
    return f'<!--$?--><template id="{kind}:{number}"></template>{waiting}<!--/$-->'


def part(number, content, call="C", target=None):
    other = target or f"{'P' if call == 'S' else 'B'}:{number}"
    ids = (f"S:{number}", other) if call == "S" else (other, f"S:{number}")
    return f'<div hidden id="S:{number}">{content}</div><script>$R{call}("{ids[0]}","{ids[1]}")</script>'


def lines(one):
    return one.text((0,)).split("\n")


def test_a_part_replaces_what_the_page_shows_until_it_comes():
    one = page(f"<main><h1>Snow</h1>{place(0)}<p>After</p></main>{RUNTIME}{part(0, '<p>First</p><p>Second</p>')}")
    assert lines(one) == ["Snow", "First", "Second", "After"]


def test_an_article_that_is_streamed_is_the_main_content():
    body = f"<header><a href=/>Home</a></header><main>{place(0)}</main><footer>Imprint</footer>{part(0, TEXT)}"
    one = page(body)
    found = get_extractor("combined").extract(one)
    assert found.kind is Kind.CONTENT
    assert one.text(found.nodes).split("\n")[0].startswith("Paragraph 0")
    assert "Paragraph 5" in one.text(found.nodes)


def test_a_part_inside_a_part_is_moved_in_the_order_of_the_calls():
    inner = part(1, "<p>Deep</p>", "S")
    outer = part(0, 'a<template id="P:1"></template>b')
    one = page(f"<main>{place(0)}</main>{RUNTIME}{inner.replace('<script>', '<i></i><script>')}{outer}")
    assert lines(one) == ["a", "Deep", "b"]


def test_links_of_a_part_are_where_it_is_shown():
    one = page(f"<main>{place(0)}<a href=/z>z</a></main>{part(0, '<a href=/a>a</a>')}")
    assert [href for _, href, _ in one.flat.anchors] == ["/a", "/z"]


def test_what_waits_inside_what_waits_goes_with_it():
    one = page(f"<main>{place(0, place(1, '<p>Inner</p>') + '<p>Outer</p>')}<p>After</p></main>{part(0, '<p>Now</p>')}")
    assert lines(one) == ["Now", "After"]


def test_text_beside_a_place_stays():
    one = page(f"<main>before{place(0, 'Loading')}after</main>behind{part(0, 'now')}end")
    assert lines(one) == ["beforenowafter", "behindend"]


def test_without_the_comment_that_ends_it_what_waits_stays():
    one = page(f'<main><template id="B:0"></template><p>Loading</p></main>{part(0, "<p>Now</p>")}')
    assert lines(one) == ["Now", "Loading"]


@pytest.mark.parametrize(("call", "prefix"), [("R", ""), ("C", "app-"), ("C", "_R_0_")])
def test_calls_with_style_sheets_and_ids_with_a_prefix_are_read(call, prefix):
    call_text = f'$R{call}("{prefix}B:0","{prefix}S:0",[["a.css"]])'
    one = page(
        f'<main><!--$?--><template id="{prefix}B:0"></template>Wait<!--/$--></main>'
        f'<div hidden id="{prefix}S:0"><p>Now</p></div><script>{call_text}</script>'
    )
    assert lines(one) == ["Now"]


def test_a_row_of_a_table_is_moved_without_the_table_that_carries_it():
    one = page(
        f"<table><tbody><tr><td>1</td></tr>{place(0, '<tr><td>Wait</td></tr>')}</tbody></table>"
        '<table hidden><tbody id="S:0"><tr><td>2</td></tr></tbody></table><script>$RC("B:0","S:0")</script>'
    )
    assert [flat for flat in lines(one) if flat] == ["1", "2"]


@pytest.mark.parametrize(
    "body",
    [
        f"<main>{place(0)}</main><div hidden id='S:1'><p>Now</p></div>",  # no call, and another number
        f"<main>{place(0)}</main><script>$RC('B:0','S:9')</script>",  # no part
        "<main><p>Loading</p></main><div hidden id='S:0'><p>Now</p></div><script>$RC('B:0','S:0')</script>",  # no place
        f"<main>{place(0)}</main><script>$RX('B:0','digest')</script>",  # the part failed
    ],
)
def test_a_part_that_no_script_moves_stays_where_it_is(body):
    assert "Loading" in lines(page(body))


def test_without_a_call_the_part_with_the_number_of_a_place_is_moved():
    body = f"<main>{place(10)}<template id=P:2></template></main>"
    one = page(f"{body}<div hidden id=S:10><p>Ten</p></div><div hidden id=S:2><p>Two</p></div>")
    assert lines(one) == ["Ten", "Two"]


def test_a_part_that_holds_its_own_place_is_left():
    one = page(part(0, f"<p>Round</p>{place(0)}"))
    assert "Round" in one.text((0,))


def test_a_part_is_moved_once():
    one = page(f"<main>{place(0)}{place(1)}</main>{part(0, '<p>Now</p>')}<script>$RC('B:1','S:0')</script>")
    assert lines(one) == ["Now", "Loading"]


def test_many_parts_and_places_take_little_time():
    count = 4 * PARTS
    places = "".join(f'<template id="B:{i:x}"></template>' for i in range(count))
    parts = "".join(
        f'<div hidden id="S:{i:x}">{i}</div><script>$RC("B:{i:x}","S:{i:x}")</script>' for i in range(count)
    )
    before = time.process_time()
    assert page(f"<main>{places}</main>{parts}").text((0,)).startswith("01234")
    assert time.process_time() - before < 5


def test_the_tree_stays_whole():
    one = page(f"<main>{place(0)}</main>{part(0, TEXT)}")
    assert etree.fromstring(etree.tostring(one.root)) is not None
    assert one.root.find(".//div[@hidden]") is None
