"""Customers' reviews of a product are dropped; a review that is the subject of its page stays."""

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.customer_reviews import without_customer_reviews
from sitecrawl.extractors.combined.furniture_boxes import BESIDE

PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "Bottle"}</script>'
ARTICLE = '<script type="application/ld+json">[{"@type": "Product"}, {"@type": "Article"}]</script>'
TEXT = f"<p>{'m' * BESIDE}</p>"


def kept(body, *, head=PRODUCT, url="https://example.org/bottle"):
    """Return the number of blocks of a page that are kept if all were."""
    page = Page.from_html(f"<html><head>{head}</head><body>{body}</body></html>", url)
    blocks = text_blocks(page.flat)
    return sum(without_customer_reviews(page, blocks, [True] * len(blocks)))


@pytest.mark.parametrize(
    "names",
    [
        "class=reviews",
        "id=product-reviews",
        "class=individual-review__text",
        "class='card customer_reviews'",
        "class=ProductReviews",
    ],
)
def test_boxes_with_these_names_are_dropped(names):
    assert kept(f"<main>{TEXT}<div {names}><p>It is a good bottle.</p><p>It leaks.</p></div></main>") == 1


@pytest.mark.parametrize(
    "names", ["class=preview", "class=reviewed-by-experts-of-the-house", "class=description", "class=reviewer"]
)
def test_other_names_say_nothing(names):
    assert kept(f"<main>{TEXT}<div {names}><p>It is a good bottle.</p></div></main>") == 2


REVIEWS = "<div class=reviews><p>It is a good bottle.</p></div>"


@pytest.mark.parametrize("head", ["", ARTICLE], ids=["no-data", "article-about-a-product"])
def test_without_a_product_a_review_is_content(head):
    assert kept(f"<main>{TEXT}{REVIEWS}</main>", head=head) == 2


@pytest.mark.parametrize(
    ("address", "left"), [("bottle/reviews", 2), ("bottle/product-reviews/?page=2", 2), ("reviewed-bottle", 1)]
)
def test_a_page_that_is_asked_for_the_reviews_keeps_them(address, left):
    assert kept(f"<main>{TEXT}{REVIEWS}</main>", url=f"https://example.org/{address}") == left


def test_a_page_with_nothing_but_reviews_keeps_them():
    assert kept(f"<main>{TEXT[:-5]}</p>{REVIEWS}</main>") == 2


def test_a_box_around_the_headline_is_the_page():
    assert kept(f"<main class=review><h1>Bottle</h1>{TEXT}{REVIEWS}</main>") == 2


def test_a_word_in_a_line_is_no_box():
    assert kept(f"<main>{TEXT}<p>It has <span class=reviews>many reviews</span>.</p></main>") == 2
