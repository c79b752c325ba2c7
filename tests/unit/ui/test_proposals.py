import pytest

from sitecrawl.dom.page import Page
from sitecrawl.ui.proposals import element_of, joined_selector, propose, steps
from tests.unit.ui.conftest import article


def page(number):
    return Page.from_html(article(number), f"https://example.org/{number}")


def row_of(page, tag, name):
    return next(
        i
        for i, (one, names) in enumerate(zip(page.flat.tag, page.flat.names, strict=True))
        if one == tag and names == name
    )


OTHERS = [page(number) for number in range(2, 8)]


def test_the_best_selector_meets_all_pages_once_and_is_short():
    first = page(1)
    best = propose(first, row_of(first, "div", "body"), OTHERS, several=False)[0]
    assert (best.selector, best.met, best.pages, best.single) == ("div.body", 7, 7, 7)


def test_a_selector_of_one_page_alone_comes_last():
    first = Page.from_html("<body><div class=post id=post-4711><p>A text of words</div>", "https://example.org/1")
    others = [Page.from_html(f"<body><div class=post id=post-{n}><p>Words", f"https://example.org/{n}") for n in (5, 6)]
    found = [one.selector for one in propose(first, 2, others, several=False)]
    assert found[0] == "div.post"
    assert found.index("div.post") < found.index("div#post-4711")


def test_an_element_without_names_is_found_by_its_place():
    first = Page.from_html(
        "<body><div><p>One</p><p>Two</p></div><div id=a><b>x</b><p>Three</p></div>", "https://e.org/1"
    )
    rows = [i for i, tag in enumerate(first.flat.tag) if tag == "p"]
    assert propose(first, rows[1], [], several=False)[0].selector == "body > div:nth-of-type(1) > p:nth-of-type(2)"
    assert propose(first, rows[2], [], several=False)[0].selector == "div#a > p"


def test_what_is_left_out_may_be_several_elements_and_holds_nothing_around():
    body = "<body><div class=box><div class=box id=in>x</div></div><p class=ad>1</p><p class=ad>2</p><p>3</p>"
    first = Page.from_html(body, "https://e.org/1")
    ad = row_of(first, "p", "ad")
    assert propose(first, ad, [], several=True)[0].selector == "p.ad"
    assert "p.ad" not in [one.selector for one in propose(first, ad, [], several=False)]
    inner = row_of(first, "div", "box in")
    assert "div.box" not in [one.selector for one in propose(first, inner, [], several=True)]


def test_what_is_left_out_is_named_itself_though_a_tag_meets_more_pages():
    bodies = ["<div id=c><p>Text</p><div class=ad>Buy</div></div>", "<div id=c><p>Text</p><div>A part</div></div>"]
    first, other = (Page.from_html(f"<body>{body}", "https://e.org/") for body in bodies)
    assert propose(first, row_of(first, "div", "ad"), [other], several=True)[0].selector == "div.ad"


def test_names_that_are_no_css_are_left_out():
    first = Page.from_html("<body><p class='1a a:b &lt;x&gt; ok' id='a b'>Text", "https://e.org/1")
    found = [one.selector for one in propose(first, 2, [], several=False)]
    assert found[0] == "p.ok" and all("a:b" not in one and "1a" not in one for one in found)


def test_the_steps_from_an_element_outwards():
    first = page(1)
    row = row_of(first, "div", "body")
    assert [(one.name, one.words > 100) for one in steps(first, row)] == [
        *(("div.body", True), ("div.main", True), ("div.page", True), ("body", True)),
    ]
    assert steps(first, first.flat.end[row] - 1)[0].name == "p"  # a text stands for its element


@pytest.mark.parametrize("row", [-1, 10**6])
def test_a_row_that_is_not_there(row):
    with pytest.raises(IndexError):
        element_of(page(1), row)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "p", "p"),
        ("p.a", "h2", "p.a, h2"),
        ("p.a, h2", "h2", "p.a, h2"),
        ("//p", "h2", "h2"),
        ("xpath: //p", "h2", "h2"),
    ],
)
def test_two_selectors_become_one(first, second, expected):
    assert joined_selector(first, second) == expected
