"""Finds query parameters whose pages all say `noindex` and `nofollow`, such as `action=edit` on every page of a wiki.

Such pages give neither a text nor a link, however many there are. A parameter is closed if enough of its pages say so
and none does not: a parameter with one value on the whole site (`do=diff`), or a parameter of one path with any numbers
as values (`oldid=57`). The names of the parameters are not used. Some pages without the two directives must have been
read as well, since a whole site may have them.
"""

from collections import OrderedDict
from typing import Final
from urllib.parse import unquote_plus

from sitecrawl.links.closed_parameters import ClosedParameters
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.urls import identity
from sitecrawl.links.variants import PLACE_LENGTH, hash_of

PAGES: Final = 8
"""Number of such pages after which a parameter is closed, if at least as many other pages were read. Own choice."""
MAX_GROUPS: Final = 10_000
"""Maximum parameters remembered by one crawl; the one read least recently is forgotten first."""


class WithheldAnswers(ClosedParameters):
    """Closes the query parameters of one site whose pages all say `noindex` and `nofollow`."""

    def __init__(self, start_url: str = "") -> None:
        """Begin without pages. `start_url` is always allowed."""
        super().__init__(start_url)
        self._groups: OrderedDict[int, set[int] | None] = OrderedDict()
        """Hashes of such pages, by key of the parameter; None once a page without the directives had the parameter."""
        self._others = 0
        """Number of other pages read."""

    def read(self, url: str, *, withheld: bool) -> list[Closed]:
        """Count a page; return the parameters that it closes. `withheld`: it says `noindex` and `nofollow`."""
        self._others += not withheld
        found = [self._note(key, place, url, withheld=withheld) for key, place in _parameters(url)]
        while len(self._groups) > MAX_GROUPS:
            self._groups.popitem(last=False)
        return [one for one in found if one is not None]

    def keys_of(self, url: str) -> list[int]:
        """Return the keys of the parameters of a URL."""
        return [key for key, _ in _parameters(url)]

    def _note(self, key: int, place: str, url: str, *, withheld: bool) -> Closed | None:
        """Count a page with a parameter; return the closed trap if that closes the parameter."""
        group = self._groups.setdefault(key, set())
        self._groups.move_to_end(key)
        if not withheld:
            self._groups[key] = None
            self.closed.pop(key, None)
            return None
        if group is None or key in self.closed:
            return None
        if len(group) < PAGES:
            group.add(hash_of(url))
        if len(group) < PAGES or self._others < PAGES:
            return None
        reason = f"a trap: {PAGES} pages or more with {place} say noindex and nofollow, and no other page with it"
        self.closed[key] = reason
        return Closed(key, ClosedKind.WITHHELD, place, reason)


def _parameters(url: str) -> list[tuple[int, str]]:
    """Return (key, readable name) of each parameter of a URL: with its value, or for a number with the path."""
    if "?" not in url:
        return []
    path, _, query = identity(url).partition("?")
    host, found = path.partition("/")[0], {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if value:
            place = f"{path}?{name}=" if value.isdecimal() else f"{host}?{pair}"
            found[hash_of(place) >> 1] = unquote_plus(place)[:PLACE_LENGTH]
    return list(found.items())
