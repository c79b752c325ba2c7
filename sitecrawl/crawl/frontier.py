"""Which URLs of the site are known, with the engine, or settled; and how many more may be asked for.

The frontier itself is the `page` table. This is its shadow in memory: keys only, 63-bit integers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from sitecrawl.links.discovered import Discovered
from sitecrawl.links.selection import RankedAnchor

SAMPLE_PRIORITY: Final = 1000
"""Pages of an n-SET are asked for before all others: the template needs them (DECISIONS 5)."""
LINK_PRIORITY: Final = 500
SITEMAP_PRIORITY: Final = 100
"""URLs known from a sitemap alone come after those found on pages, whose distances are known."""


@dataclass(slots=True)
class Frontier:
    """The URLs of one crawl; every key is in exactly one state: known, taken (with the engine) or settled."""

    window: int
    """Most requests that are with the engine at once; the others wait in SQL."""
    max_pages: int = 0
    """Most pages to fetch in this crawl; 0 for no limit."""
    max_depth: int = 0
    """Most links between the start URL and a page; 0 for no limit."""
    known: set[int] = field(default_factory=set)
    taken: set[int] = field(default_factory=set)
    settled: set[int] = field(default_factory=set)
    postponed: set[int] = field(default_factory=set)
    """Known URLs that could not be asked for now: they are left to the next run."""
    stopped: str = ""
    """Why nothing more is asked for in this run; empty while it goes on."""
    seen: set[int] = field(default_factory=set)
    """URLs that a page of this crawl links to."""
    pages: int = 0
    """Pages found in this crawl, with a body or a 304."""
    discovery: int = 0
    """Sequence number of the last URL found."""

    @property
    def room(self) -> int:
        """How many requests may be added now."""
        if self.stopped:
            return 0
        room = self.window - len(self.taken)
        if self.max_pages:
            room = min(room, self.max_pages - self.pages - len(self.taken))
        return max(0, room)

    @property
    def full(self) -> bool:
        """Whether `max_pages` is reached."""
        return bool(self.max_pages) and self.pages >= self.max_pages

    @property
    def left(self) -> int:
        """URLs that are known and not settled."""
        return len(self.known) - len(self.settled)

    def find(self, ranked: Iterable[RankedAnchor], depth: int, size: int) -> list[Discovered]:
        """Return those ranked anchors of a page at `depth` - 1 that are new; they are known from now on.

        The first `size` anchors are the page's n-SET.
        """
        if self.max_depth and depth > self.max_depth:
            return []
        found = []
        for anchor, rank, hyperlink_distance, dom_distance in ranked:
            if anchor.url_key in self.known:
                continue
            self.known.add(anchor.url_key)
            self.discovery += 1
            if rank < size:
                priority = SAMPLE_PRIORITY - depth
            else:
                priority = LINK_PRIORITY - min(abs(hyperlink_distance), 50) - depth
            found.append(
                Discovered(
                    url_key=anchor.url_key,
                    url=anchor.url,
                    depth=depth,
                    hyperlink_distance=hyperlink_distance,
                    dom_distance=dom_distance,
                    priority=priority,
                    discovery=self.discovery,
                )
            )
        return found

    def add(self, url_key: int, url: str, depth: int, priority: int) -> Discovered | None:
        """Return a URL that no page links to (a start URL, a sitemap's) as a discovery, unless it is known."""
        if url_key in self.known:
            return None
        self.known.add(url_key)
        self.discovery += 1
        return Discovered(
            url_key=url_key,
            url=url,
            depth=depth,
            hyperlink_distance=None,
            dom_distance=None,
            priority=priority,
            discovery=self.discovery,
        )

    def take(self, url_key: int) -> bool:
        """Hand a URL to the engine; False when it is there already, settled, or there is no room."""
        if url_key in self.taken or url_key in self.settled or url_key in self.postponed or not self.room:
            return False
        self.taken.add(url_key)
        return True

    def postpone(self, url_key: int) -> None:
        """Note that a URL could not be asked for now; it is as if it had not been taken."""
        self.taken.discard(url_key)
        self.postponed.add(url_key)

    def settle(self, url_key: int, *, page: bool = False) -> bool:
        """Note that a URL came to an end; False when it had come to one before."""
        self.taken.discard(url_key)
        self.known.add(url_key)
        if url_key in self.settled:
            return False
        self.settled.add(url_key)
        self.pages += page
        return True
