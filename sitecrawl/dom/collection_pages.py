"""Decides whether a page states that it is a collection of other pages, as archives and search results do."""

from collections.abc import Iterable
from typing import Final

from sitecrawl.dom.jsonld import Described

_COLLECTIONS: Final = frozenset(("collectionpage", "searchresultspage"))
"""Types of schema.org, in lower case."""


def states_collection(described: Iterable[Described]) -> bool:
    """Return whether the page's JSON-LD, `described` (`dom.jsonld`), says that the page is a collection."""
    return any(not _COLLECTIONS.isdisjoint(types) for types, _ in described)
