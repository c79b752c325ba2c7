"""Remembers the first listing that linked to each page: a listing that leads to main content is no trap."""

from collections.abc import Iterable
from typing import Final

from sitecrawl.links.variants import Variant

MAX_NAMED: Final = 200_000
"""Maximum pages whose first listing is remembered (about 20 MB); the page linked longest ago is forgotten first."""


class Leads:
    """The pages that listings link to, each with the first listing that linked to it."""

    def __init__(self) -> None:
        self._named: dict[int, Variant] = {}

    def record(self, listing: Variant, links: Iterable[int]) -> None:
        """Record the links of a listing, as `url_key`s, except those that another listing had first."""
        for key in links:
            self._named.setdefault(key, listing)
        while len(self._named) > MAX_NAMED:
            del self._named[next(iter(self._named))]

    def take(self, url_key: int) -> Variant | None:
        """Remove and return the listing that first linked to a page; None if there is none."""
        return self._named.pop(url_key, None)
