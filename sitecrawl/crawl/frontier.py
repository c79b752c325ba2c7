"""Which URLs of a site are known, with the engine, or settled; and how many more may be asked for.

The frontier itself is the `page` table. This is its shadow in memory: keys only, 63-bit integers. `known`, `settled`,
`seen` and `pages` say what is committed and nothing else; what a transaction is still to store is `claimed` or has
`arrived`.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from sitecrawl.crawl.counters import Numbers
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.selection import RankedAnchor

SAMPLE_PRIORITY: Final = 1000
"""Pages of an n-SET are asked for before all others: the template needs them (DECISIONS 5)."""
LINK_PRIORITY: Final = 500
SITEMAP_PRIORITY: Final = 100
"""URLs known from a sitemap alone come after those found on pages, whose distances are known."""


@dataclass(slots=True)
class Frontier:
    """The URLs of one crawl."""

    window: int
    """Most requests that are with the engine at once; the others wait in SQL."""
    max_pages: int = 0
    """Most pages to fetch in this crawl; 0 for no limit."""
    max_depth: int = 0
    """Most links between the start URL and a page; 0 for no limit."""
    known: set[int] = field(default_factory=set)
    """URLs that have a row in `page`."""
    settled: set[int] = field(default_factory=set)
    """URLs that this crawl has stored an outcome for."""
    seen: set[int] = field(default_factory=set)
    """URLs that a stored page of this crawl links to."""
    pages: int = 0
    """Pages stored in this crawl, with a body or a 304."""
    taken: set[int] = field(default_factory=set)
    """URLs that are with the engine."""
    arrived: dict[int, bool] = field(default_factory=dict)
    """URLs with an answer that is not stored yet, and whether it is a page."""
    claimed: set[int] = field(default_factory=set)
    """New URLs that were found and are not stored yet."""
    postponed: set[int] = field(default_factory=set)
    """Known URLs that are left to the next run."""
    stopped: str = ""
    """Why nothing more is asked for in this run; empty while it goes on."""
    discoveries: Numbers = field(default_factory=Numbers)
    """Sequence numbers of the URLs found."""
    _failed: set[int] = field(default_factory=set)

    @property
    def room(self) -> int:
        """How many requests may be added now."""
        if self.stopped:
            return 0
        room = self.window - len(self.taken)
        if self.max_pages:
            room = min(room, self.max_pages - self.pages - sum(self.arrived.values()) - len(self.taken))
        return max(0, room)

    @property
    def full(self) -> bool:
        """Whether `max_pages` is reached."""
        return bool(self.max_pages) and self.pages >= self.max_pages

    @property
    def left(self) -> int:
        """URLs that are known and not settled."""
        return len(self.known) - len(self.settled)

    def knows(self, url_key: int) -> bool:
        """Say whether a URL is stored, or about to be."""
        return url_key in self.known or url_key in self.claimed

    def is_asked(self, url_key: int) -> bool:
        """Say whether a URL is with the engine or has an outcome in this crawl."""
        return url_key in self.taken or url_key in self.arrived or url_key in self.settled

    def find(self, ranked: Iterable[RankedAnchor], depth: int, size: int) -> list[Discovered]:
        """Return those ranked anchors of a page at `depth` - 1 that are new; they are claimed from now on.

        The first `size` anchors are the page's n-SET.
        """
        if self.max_depth and depth > self.max_depth:
            return []
        found = []
        for anchor, rank, hyperlink_distance, dom_distance in ranked:
            if self.knows(anchor.url_key):
                continue
            self.claimed.add(anchor.url_key)
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
                    discovery=self.discoveries.next(),
                )
            )
        return found

    def add(self, url_key: int, url: str, depth: int, priority: int) -> Discovered | None:
        """Return a URL that no page links to (a start URL, a sitemap's) as a discovery, unless it is known.

        It is claimed from now on.
        """
        if self.knows(url_key):
            return None
        self.claimed.add(url_key)
        return Discovered(
            url_key=url_key,
            url=url,
            depth=depth,
            hyperlink_distance=None,
            dom_distance=None,
            priority=priority,
            discovery=self.discoveries.next(),
        )

    def stored(self, found: Iterable[Discovered]) -> None:
        """Note that claimed URLs are stored."""
        keys = {one.url_key for one in found}
        self.claimed -= keys
        self.known |= keys

    def release(self, found: Collection[Discovered]) -> None:
        """Note that claimed URLs could not be stored: whoever finds them next is the first."""
        for one in found:
            if one.url_key in self.claimed:
                self.claimed.discard(one.url_key)
                self.discoveries.give_back(one.discovery)

    def take(self, url_key: int) -> bool:
        """Hand a URL to the engine; False when it is there already, settled, postponed, or there is no room."""
        if self.is_asked(url_key) or url_key in self.postponed or not self.room:
            return False
        self.taken.add(url_key)
        return True

    def postpone(self, url_key: int) -> None:
        """Note that a URL could not be asked for now; it is as if it had not been taken."""
        self.taken.discard(url_key)
        self.postponed.add(url_key)

    def arrive(self, url_key: int, *, page: bool = False) -> bool:
        """Note that a URL has an answer, which is to be stored; False when it has one in this crawl already."""
        self.taken.discard(url_key)
        if url_key in self.settled or url_key in self.arrived:
            return False
        self.arrived[url_key] = page
        return True

    def settle(self, url_key: int) -> None:
        """Note that the outcome of a URL is stored."""
        self.pages += self.arrived.pop(url_key, False)
        self.known.add(url_key)
        self.settled.add(url_key)

    def give_back(self, url_key: int) -> None:
        """Note that the outcome of a URL could not be stored: it is asked for once more, then left to the next run."""
        self.arrived.pop(url_key, None)
        if url_key in self._failed:
            self.postponed.add(url_key)
        self._failed.add(url_key)
