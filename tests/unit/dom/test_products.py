import pytest

from sitecrawl.dom.page import Page


def is_product(head="", body=""):
    return Page.from_html(
        f"<html><head>{head}</head><body>{body}<p>A bottle</p></body></html>", "https://example.org/"
    ).is_product


def jsonld(*types):
    things = ", ".join(f'{{"@type": "{name}"}}' for name in types)
    return f'<script type="application/ld+json">[{things}]</script>'


@pytest.mark.parametrize("types", [("Product",), ("http://schema.org/ProductGroup",), ("WebPage", "IndividualProduct")])
def test_json_ld_describes_a_product(types):
    assert is_product(jsonld(*types))


@pytest.mark.parametrize("types", [(), ("WebPage",), ("Product", "Article"), ("Review", "Product")])
def test_json_ld_describes_none_or_an_article_about_it(types):
    assert not is_product(jsonld(*types))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("product", True), ("og:product", True), ("product.item", True), ("website", False), ("article", False)],
)
def test_the_type_of_open_graph(kind, expected):
    assert is_product(f'<meta property="og:type" content="{kind}">') is expected


def test_an_article_by_open_graph_is_no_product():
    assert not is_product(f'<meta property="og:type" content="article">{jsonld("Product")}')


def test_microdata_describes_a_product_by_its_own_properties():
    product = "<div itemscope itemtype='https://schema.org/Product'><b itemprop=name>Bottle</b></div>"
    assert is_product(body=product)
    assert not is_product(body=product.replace("Product", "Place"))
    assert not is_product(body="<b itemprop=name>Bottle</b>")


def test_a_page_without_its_tree_knows_whether_it_is_a_product():
    page = Page.from_html(
        f"<html><head>{jsonld('Product')}</head><body><p>A bottle</p></body></html>", "https://e.org/"
    )
    page.release(lambda: "")
    assert page.is_product
