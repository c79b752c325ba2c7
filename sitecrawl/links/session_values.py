"""Finds session ids under unknown parameter names, by the pages that earlier crawls read.

A site may write another session id into its links at each visit of its start page: then each crawl would find all its
pages anew, as duplicates. A parameter holds session ids if its values look like hashes, and if enough URLs were read
with several values of it, of which one alone gave main content of its own, or the URL without the parameter did. From
then on a page is requested by that URL only; if none gave content, with the first value. Own method. Names that are
known are in `links.parameters`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sitecrawl.links.closed_trap import TRAP
from sitecrawl.links.parameters import looks_like_hash
from sitecrawl.links.urls import identity
from sitecrawl.links.variants import hash_of

PAGES: Final = 8
"""URLs that must have been read with several values, of which one alone gave main content. Own choice."""
MAX_URLS: Final = 200_000
"""Maximum URLs, without the value, that are remembered."""


@dataclass(slots=True)
class _Values:
    """The values of one parameter with which an otherwise equal URL was read."""

    kept: int = 0
    """Hash of the URL with the value that is requested; 0 for none yet."""
    read: int = 0
    """Number of values with which it was read."""
    own: int = 0
    """Number of these that gave main content that no other page has."""


class SessionValues:
    """The session ids of one site."""

    def __init__(self, start_url: str = "") -> None:
        """Know no session ids before `learn` is called. `start_url` is always allowed."""
        self.start_url = start_url
        self.names: frozenset[str] = frozenset()
        """Names of the parameters that hold session ids."""
        self._urls: dict[tuple[str, int], _Values] = {}

    def learn(self, outcomes: Collection[tuple[str, bool | None]]) -> None:
        """Decide which parameters hold session ids.

        `outcomes` are all known URLs in the order of discovery, each with whether its page holds main content that no
        other page has, None for a URL without a page.
        """
        for url, own in outcomes:
            if own is None:
                continue
            for key in _places(url):
                if len(self._urls) >= MAX_URLS and key not in self._urls:
                    continue
                one = self._urls.setdefault(key, _Values())
                one.kept = hash_of(identity(url)) if own or not one.kept else one.kept
                one.read += 1
                one.own += own
        self._find_bare(outcomes)
        several: dict[str, int] = {}
        for (name, _), one in self._urls.items():
            several[name] = several.get(name, 0) + (one.own == 1 and one.read > 1)
        varied = {name for (name, _), one in self._urls.items() if one.own > 1}
        self.names = frozenset(name for name, urls in several.items() if urls >= PAGES and name not in varied)
        self._urls = {key: one for key, one in self._urls.items() if key[0] in self.names}

    def _find_bare(self, outcomes: Collection[tuple[str, bool | None]]) -> None:
        """Note the URLs without the parameter whose pages have the content that all values repeat."""
        wanted: dict[int, list[_Values]] = {}
        for (_, place), one in self._urls.items():
            if not one.own and one.read > 1:
                wanted.setdefault(place, []).append(one)
        if not wanted:
            return
        for url, own in outcomes:
            for one in wanted.get(_bare(identity(url)), ()) if own else ():
                one.kept, one.own = hash_of(identity(url)), 1

    def refusal(self, url: str) -> str | None:
        """Return the reason why a URL is not requested, or None if it may be.

        Of a URL that is not known yet the first value that is asked for may be requested.
        """
        if not self.names or "?" not in url or url == self.start_url:
            return None
        for key in _places(url):
            if key[0] in self.names:
                one, asked = self._urls.setdefault(key, _Values()), hash_of(identity(url))
                one.kept = one.kept or asked
                if one.kept != asked:
                    return (
                        f"{TRAP}: the values of {key[0]!r:.60} are session ids; each page is requested with one of them"
                    )
        return None


def _bare(page: str) -> int:
    """Return the hash of a page, equal to the one that `_places` returns for the page with one more parameter."""
    return hash_of(page if "?" in page else f"{page}?")


def _places(url: str) -> list[tuple[str, int]]:
    """Return, for each parameter whose value looks like a hash, its name and the hash of the URL without it."""
    if "?" not in url:
        return []
    path, _, query = identity(url).partition("?")
    pairs = query.split("&")
    found = []
    for number, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        if looks_like_hash(value):
            found.append((name, hash_of(f"{path}?{'&'.join(pairs[:number] + pairs[number + 1 :])}")))
    return found
