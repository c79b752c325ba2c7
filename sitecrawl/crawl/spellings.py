"""Two spellings of one URL, of which one host may not answer: `http://www.example.org/x` and `http://example.org/x`.

Both have one `url_key`, and what is found first is asked for. Where that fails for its host's trouble, the page is
asked for once more in the same crawl, as another page spells it.
"""

from dataclasses import dataclass, field
from typing import Final

MOST: Final = 100_000
"""URLs on other origins than the start URL's that are remembered, some 10 MB. Own choice."""


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL that can be fetched."""
    return "/".join(url.split("/", 3)[:3])


@dataclass(slots=True)
class Spellings:
    """The URLs of one crawl that stand on another origin than the start URL, and how else they were spelt."""

    home: str
    """The origin of the start URL."""
    _first: dict[int, str] = field(default_factory=dict)
    """The origin of what is asked for, where it is not the home."""
    _other: dict[int, str] = field(default_factory=dict)
    """The same pages in another spelling, on the home if one was seen there."""
    _failed: dict[int, str] = field(default_factory=dict)
    """Why what is asked for failed, where its host is to blame."""
    _tried: set[int] = field(default_factory=set)
    """Pages that were asked for in another spelling."""

    def found(self, url_key: int, url: str) -> None:
        """Note a URL that is to be asked for."""
        if url.startswith(f"{self.home}/") or url_key in self._tried:
            return
        if len(self._first) < MOST:
            self._first[url_key] = origin_of(url)

    def seen(self, url_key: int, url: str) -> None:
        """Note that a page links to a known URL."""
        first = self._first.get(url_key)
        if first is None or url.startswith(f"{first}/"):
            return
        if url_key not in self._other or url.startswith(f"{self.home}/"):
            self._other[url_key] = url

    def failed(self, url_key: int, why: str) -> None:
        """Note that a URL failed for its host's trouble."""
        if url_key in self._first:
            self._failed[url_key] = why

    def take(self) -> list[tuple[int, str, str]]:
        """Take out the pages that failed and were seen in another spelling: key, that spelling, why they failed.

        None comes twice in a run.
        """
        ready = [(key, self._other[key], why) for key, why in self._failed.items() if key in self._other]
        for key, _, _ in ready:
            for known in (self._first, self._other, self._failed):
                known.pop(key)
            self._tried.add(key)
        return ready
