import pytest
from lxml import etree

from sitecrawl.dom.head import empty_head
from sitecrawl.dom.page import Page, parse_html

URL = "https://example.org/"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<title>T</title><main><p>One</p></main>", "One"),
        (
            "<title>T</title><script>x</script><main><p>One<div>two</div></main> three <footer>four</footer>",
            "One two three four",
        ),
        (
            "<html><head><title>T</title><header>One</header><main>two</main><p>three<body class=k>four",
            "One two three four",
        ),
        ("<title>T</title><x-card>One</x-card><style>p{}</style><article>two</article>", "One two"),
        ("<html><head><title>T</title></head><main>One</main></html>", "One"),
    ],
)
def test_a_page_without_body_tag_is_whole(html, text):
    page = Page.from_html(html, URL)
    assert page.title == "T"
    assert page.text((0,)).split() == text.split()
    assert [child.tag for child in page.root] == ["head", "body"]


def test_its_content_is_extracted_and_its_links_are_found():
    page = Page.from_html(
        f"<title>T</title><main><h1>Head</h1><p>{'Some words. ' * 30}<a href=/x>x</a></p></main>", URL
    )
    assert [href for _, href, _ in page.flat.anchors] == ["/x"]
    assert len(page.flat) > 5


@pytest.mark.parametrize(
    "html",
    [
        "<head><title>T</title><!-- c --><meta name=a><link rel=x></head><body>One <main>two</main></body>",
        "<p>One",
        "<svg><title>x</title></svg>",
        "<frameset><frame></frameset>",
        "",
    ],
)
def test_other_pages_stay_as_they_are(html):
    root = parse_html(html or "<html></html>")
    before = etree.tostring(root)
    empty_head(root)
    assert etree.tostring(root) == before
    empty_head(root)
    assert etree.tostring(root) == before
