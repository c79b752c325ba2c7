"""Remembers two spellings of one URL on different hosts: `http://www.example.org/x` and `http://example.org/x`.

Both have the same `url_key`, and the first one found is requested. If that fails because of its host, the page is
requested once more in the same crawl with the other spelling.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

MOST: Final = 100_000
"""Maximum remembered URLs whose origin differs from the start URL's, about 10 MB. Own choice."""


def origin_of(url: str) -> str:
    """Return scheme, host and port of a fetchable URL."""
    return "/".join(url.split("/", 3)[:3])


class Respelling(NamedTuple):
    """A failed page that is requested with another spelling of its URL."""

    url_key: int
    url: str
    """The other spelling."""
    why: str
    """The reason of the failure."""


@dataclass(slots=True)
class Spellings:
    """The URLs of one crawl whose origin differs from the start URL's, and their other spellings."""

    home: str
    """The origin of the start URL."""
    _first: dict[int, str] = field(default_factory=dict)
    """Origin of the requested URL by URL key, if it is not `home`."""
    _other: dict[int, str] = field(default_factory=dict)
    """Another spelling of the URL by URL key, preferably one on `home`."""
    _failed: dict[int, str] = field(default_factory=dict)
    """Reason of a failed request by URL key, if the failure concerns the host."""
    _tried: set[int] = field(default_factory=set)
    """Pages that were requested with another spelling."""

    def found(self, url_key: int, url: str) -> None:
        """Record a URL that is to be requested."""
        if url.startswith(f"{self.home}/") or url_key in self._tried:
            return
        if len(self._first) < MOST:
            self._first[url_key] = origin_of(url)

    def seen(self, url_key: int, url: str) -> None:
        """Record that a page links to a known URL."""
        first = self._first.get(url_key)
        if first is None or url.startswith(f"{first}/"):
            return
        if url_key not in self._other or url.startswith(f"{self.home}/"):
            self._other[url_key] = url

    def failed(self, url_key: int, why: str) -> None:
        """Record that a URL failed because of its host."""
        if url_key in self._first:
            self._failed[url_key] = why

    def take(self) -> list[Respelling]:
        """Return and remove the failed pages with another spelling.

        Each page is returned at most once per run.
        """
        ready = [Respelling(key, self._other[key], why) for key, why in self._failed.items() if key in self._other]
        for key, *_ in ready:
            for known in (self._first, self._other, self._failed):
                known.pop(key)
            self._tried.add(key)
        return ready
