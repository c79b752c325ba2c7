"""Drops the customer reviews of the product that a page offers: reviews are comments, however many there are.

Reviews are recognised by the class names of their boxes. On other pages a review is the content: an article that tests
a product, or the quotes of customers of a service. So the rule applies only if the structured data describes a product
and no article, and the URL is not that of a page of reviews. Pure in the page. [OWN]
"""

import re
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_boxes import BOXES, beside_headline, is_beside_text, outside

_NAME: Final = re.compile(
    r"(?:[a-z]{1,20}-+){0,3}(?:customer|product|user)?reviews?(?:-+[a-z]{1,20}){0,3}", re.IGNORECASE
)
"""Whole names, with "-" for "_": `reviews`, `product-reviews`, `individual-review__text`."""
_ASKED: Final = re.compile(r"/(?:[a-z]{1,20}-){0,2}reviews?(?:/|$)", re.IGNORECASE)
"""Matches a path segment of URLs of pages of reviews."""


def without_customer_reviews(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without customer reviews of a product."""
    flat = page.flat
    index = vocabulary(flat).names
    review_names = [names for names in index if _names_review(names)]
    if not review_names or not page.is_product or _ASKED.search(page.url.partition("?")[0]):
        return kept
    boxes = [row for row in rows_with(index, review_names, range(len(flat))) if flat.tag[row] in BOXES]
    found = outside(flat, blocks, kept, beside_headline(flat, boxes))
    return found if is_beside_text(blocks, found) else kept


def _names_review(names: str) -> bool:
    """Return whether one of the class names of an element is that of reviews."""
    if "review" not in names.lower():
        return False
    return any(_NAME.fullmatch(name.replace("_", "-")) for name in names.split())
