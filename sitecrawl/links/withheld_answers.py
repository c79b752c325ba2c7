"""Finds query parameters whose pages all ask to be left alone, such as `action=edit` on every page of a wiki.

Pages that say `noindex` and `nofollow` give neither a text nor a link, however many there are. A parameter with its
value on the whole site (`do=diff`), or a parameter of one path whose values are numbers (`oldid=57`), is closed if
enough such pages were read, and no other page with it. The names say nothing. Other pages must have been read too.
"""

from collections import OrderedDict
from typing import Final
from urllib.parse import unquote_plus

from sitecrawl.links.closed_parameters import ClosedParameters
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.urls import identity
from sitecrawl.links.variants import PLACE_LENGTH, hash_of

PAGES: Final = 8
"""Pages after which a parameter is closed, if at least as many others were read. Own choice."""
MAX_GROUPS: Final = 10_000
"""Maximum parameters remembered by one crawl; the one read least recently is forgotten first."""


class WithheldAnswers(ClosedParameters):
    """Closes the query parameters of one site whose pages all say `noindex` and `nofollow`."""

    def __init__(self, start_url: str = "") -> None:
        """Begin without pages. `start_url` is always allowed."""
        super().__init__(start_url)
        self._groups: OrderedDict[int, set[int] | None] = OrderedDict()
        """Hashes of the pages that ask to be left alone, by key of the parameter; None once another page had it."""
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
        """Note a page with a parameter; return the parameter if that closes it."""
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
    """Return the key and the readable name of each parameter of a URL: with its value, or a number with the path."""
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
