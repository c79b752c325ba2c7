"""Which variant of a path was the first to link to a page: a listing that leads to main content is no trap."""

from collections.abc import Iterable
from typing import Final

from sitecrawl.links.variants import Variant

MAX_NAMED: Final = 200_000
"""Pages whose first listing is remembered (some 20 MB); the one named longest ago goes first."""


class Leads:
    """The pages that listings link to, each with the listing that was read first."""

    def __init__(self) -> None:
        self._named: dict[int, Variant] = {}

    def name(self, listing: Variant, links: Iterable[int]) -> None:
        """Note what a listing links to, as `url_key`s; pages that another listing named before stay with that one."""
        for key in links:
            self._named.setdefault(key, listing)
        while len(self._named) > MAX_NAMED:
            del self._named[next(iter(self._named))]

    def take(self, url_key: int) -> Variant | None:
        """Return the listing that linked to a page first, once; None when there is none."""
        return self._named.pop(url_key, None)
