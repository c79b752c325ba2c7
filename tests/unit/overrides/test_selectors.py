import pytest

from sitecrawl.dom.page import Page
from sitecrawl.overrides.selectors import compile_selector

HTML = (
    "<title>T | Site</title><meta property=og:title content='The  \x01title'>"
    "<div id=a class='post big'><h1> The <b>head</b> </h1><p>x</div><div class=post><p>y"
)


def root():
    return Page.from_html(HTML, "https://e.example/").root


@pytest.mark.parametrize(
    ("selector", "tags"),
    [
        ("div.post > p", ["p", "p"]),
        ("css: #a", ["div"]),
        ("h1, p", ["h1", "p", "p"]),
        ("//div[@id='a']/p", ["p"]),
        ("(//p)[2]", ["p"]),
        ("./body/div", ["div", "div"]),
        ("xpath: id('a')", ["div"]),
        ("//div[contains(concat(' ', @class, ' '), ' post ')]", ["div", "div"]),
        ("//p[not(ancestor::div[@id])] | //h1", ["h1", "p"]),
        ("//p[position() = last() and 4 div 2 = 2]", ["p", "p"]),
        ("//p[. = 'f(x) $y re:z']", []),
        ("video", []),
    ],
)
def test_css_and_xpath(selector, tags):
    assert [one.tag for one in compile_selector(selector).elements(root())] == tags


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("h1", "The head"),
        ("//meta[@property='og:title']/@content", "The title"),
        ('meta[property="og:title"]::attr(content)', "The title"),
        ("xpath: substring-before(//title, ' |')", "T"),
        ("h2", None),
        ("//@nothing", None),
    ],
)
def test_the_first_text_of_a_title_selector(selector, text):
    assert compile_selector(selector, elements=False).first_text(root()) == text


@pytest.mark.parametrize(
    ("selector", "wrong"),
    [
        ("div[", "is not a valid CSS selector"),
        ("//div[", "is not a valid XPath selector"),
        ("//div[contains(@class)]", "is not a valid XPath selector"),
        ("//div[php:function('x')]", "no function php:function()"),
        ("//p[@id='no'][lower-case(.) = 'a']", "no function lower-case()"),
        ("//svg:rect", "prefix svg:"),
        ("svg|rect", "prefix svg:"),
        ("//p[. = $x]", "variables"),
        ("//p/text()", "no elements"),
        ("//a/@href", "no elements"),
        ("//a/attribute::href", "no elements"),
        ("p::text", "no elements"),
        ("(1 + 1)", "no elements"),
        ("  ", "empty"),
        ("css:", "empty"),
    ],
)
def test_what_cannot_be_used_is_said(selector, wrong):
    with pytest.raises(ValueError) as error:
        compile_selector(selector)
    assert wrong in str(error.value)


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("time", "2026-02-03T10:00Z"),
        ("//time/@datetime", "2026-02-03T10:00Z"),
        ("meta[property=date]", "2026-02-01"),
        (".posted", "Posted on 3 February 2026"),
        ("p:not(.posted), .posted", "Posted on 3 February 2026"),
        (".none", None),
    ],
)
def test_the_first_date_of_a_selector(selector, text):
    page = Page.from_html(
        "<meta property=date content=2026-02-01><p> </p><p class=posted>Posted on\n<b>3 February</b> 2026</p>"
        "<time datetime=2026-02-03T10:00Z>yesterday</time>",
        "https://e.example/",
    )
    assert compile_selector(selector, elements=False).first_date(page.root) == text


def test_a_title_is_no_number():
    with pytest.raises(ValueError, match="a number or a truth value"):
        compile_selector("xpath:count(//h1)", elements=False)
