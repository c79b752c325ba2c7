"""The rows of a page by tag and by names."""

from sitecrawl.dom.vocabulary import rows_with, vocabulary

from .trees import page

HTML = "<div class='menu open'>a<p class=x>b</p></div><p class=x id=y>c</p><div class='menu open'><p>d</p></div>"


def test_rows_are_found_by_tag_and_by_whole_names():
    flat = page(HTML).flat
    tags, names = vocabulary(flat)
    assert {tag: [flat.tag[row] for row in rows] for tag, rows in tags.items()} == {
        "html": ["html"],
        "body": ["body"],
        "div": ["div"] * 2,
        "p": ["p"] * 3,
    }
    assert {name: [flat.tag[row] for row in rows] for name, rows in names.items()} == {
        "menu open": ["div", "div"],
        "x": ["p"],
        "x y": ["p"],
    }
    assert all(rows == sorted(rows) for rows in (*tags.values(), *names.values()))


def test_it_is_made_once():
    flat = page(HTML).flat
    assert vocabulary(flat) is vocabulary(flat)


def test_rows_of_several_values_are_in_document_order_and_within_bounds():
    flat = page(HTML).flat
    tags = vocabulary(flat).tags
    rows = [row for row, tag in enumerate(flat.tag) if tag in ("p", "div")]
    everywhere = range(len(flat))
    assert rows_with(tags, ("p", "div"), everywhere) == rows
    assert rows_with(tags, ("div", "p"), range(rows[1], rows[-1])) == rows[1:-1]
    assert rows_with(tags, ("table",), everywhere) == rows_with(tags, (), everywhere) == []
