"""Tests of the rows that people look at."""

from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.templates.views import PathViewRow, path_rows, template_rows

from ..dom.trees import page

PAGE = "<div class=menu><a>Home</a></div><div class=main><p>Story {0}</p></div>"


def _template():
    template = SiteTemplate()
    for number in range(4):
        template.learn(page(PAGE.format(number) + "<hr>" * (number < 2)).flat)
    return snapshot(template, 1)


def _lines(*args, **options):
    return [(row.depth, row.label, row.pages) for row in template_rows(_template(), *args, **options)]


def test_rows_are_a_tree_with_the_most_frequent_children_first():
    main = [(2, "div.main", 4), (3, "p", 4)]
    menu = [(2, "div.menu", 4), (3, "a", 4), (4, '"Home"', 4)]
    assert _lines() == [(0, "html", 4), (1, "body", 4), *menu, *main, (2, "hr", 2)]


def test_rows_under_the_limits_are_left_out_with_what_is_below():
    assert (2, "hr", 2) not in _lines(0.6)
    assert (2, "hr", 2) not in _lines(min_pages=3)
    assert (2, "hr", 2) in _lines(0.5, 2)
    assert _lines(min_pages=5) == []


def test_shares_and_importances():
    rows = {row.label: row for row in template_rows(_template())}
    assert rows["hr"].share == 0.5
    assert rows["p"].share == rows["html"].share == 1.0
    assert rows["p"].importance == 1.0
    assert rows["a"].importance == 0.0
    assert 0 < rows["body"].importance < 1


def test_paths():
    blocks = BlockStore()
    for number in range(4):
        blocks.learn(page(PAGE.format(number) + f"<p>{number}</p>" * (number < 2)).flat)
    published = blocks.empty()
    paths, rows = blocks.totals()
    published.add(4, paths.values(), rows.values())
    expected = [
        PathViewRow("HTML.BODY.DIV", 0, 4, 0.0),
        PathViewRow("HTML.BODY.DIV.P", 4, 0, 1.0),
        PathViewRow("HTML.BODY.P", 2, 0, 0.5),
    ]
    assert list(path_rows(published)) == expected
    assert list(path_rows(published, 0.6)) == expected[1:2]
