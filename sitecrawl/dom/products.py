"""Decides whether a page describes a product: by JSON-LD, by microdata, or by the type of Open Graph."""

from collections.abc import Iterable, Sequence
from typing import Final

from lxml.etree import _Element

from sitecrawl.dom.jsonld import Described

_PRODUCTS: Final = frozenset(("product", "productgroup", "productmodel", "individualproduct"))
_ARTICLES: Final = frozenset((
    "article", "newsarticle", "blogposting", "techarticle", "scholarlyarticle", "reportagenewsarticle",
    "analysisnewsarticle", "opinionnewsarticle", "backgroundnewsarticle", "reviewnewsarticle", "review", "howto",
))  # fmt: skip
"""Types of pages that may also describe the products that they are about."""


def describes_product(
    described: Iterable[Described], properties: Iterable[tuple[str, str]], microdata: Sequence[_Element]
) -> bool:
    """Return whether structured data describes a product, and no article about it.

    `described` is the page's JSON-LD (`dom.jsonld`), `properties` are its `meta` elements, and `microdata` its elements
    with `itemprop`.
    """
    types = frozenset[str]().union(*(types for types, _ in described))
    kinds = {content.strip().lower() for name, content in properties if name == "og:type"}
    if not _ARTICLES.isdisjoint(types) or "article" in kinds:
        return False
    if not _PRODUCTS.isdisjoint(types) or any(kind.removeprefix("og:").startswith("product") for kind in kinds):
        return True
    return any(_is_product(element) for element in microdata)


def _is_product(element: _Element) -> bool:
    """Return whether a microdata property belongs to an item that is a product."""
    owner = next((one for one in element.iterancestors() if one.get("itemtype")), None)
    return owner is not None and (owner.get("itemtype") or "").rpartition("/")[2].strip().lower() in _PRODUCTS
