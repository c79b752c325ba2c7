"""The state of a site's URLs (known, taken, settled) in memory, and how many more may be requested.

The frontier itself is the `page` table; this is its copy in memory, with 63-bit keys only. `known`, `settled`, `seen`
and `pages` hold only what is committed. URLs that a transaction has yet to store are `claimed`, or have `arrived`.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from sitecrawl.crawl.counters import Numbers
from sitecrawl.crawl.depth_limits import limit_of
from sitecrawl.crawl.key_sets import KeySet, KeyTable
from sitecrawl.crawl.spellings import Spellings
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.selection import Order, RankedAnchor, distance_rank

SAMPLE_PRIORITY: Final = 1000
"""Pages of an n-SET are requested before all others, since the template needs them."""
LINK_PRIORITY: Final = 500
SITEMAP_PRIORITY: Final = 100
"""URLs known only from a sitemap come after those found on pages, whose distances are known."""
NEAR: Final = 5
"""Pages more than 5 links away are requested level by level [OWN]."""
NEAR_SHARE: Final = 4
"""With a low depth limit, pages farther away than this part of it (1/4) are requested level by level too [OWN]."""


@dataclass(slots=True)
class Frontier:
    """The state of the URLs of one crawl; the sets hold URL keys."""

    window: int
    """Maximum requests in the engine at once; the others wait in SQL."""
    max_pages: int = 0
    """Maximum pages fetched in this crawl; 0 for no limit."""
    order: Order = "seed"
    """Order of the hyperlink distances in which links beyond the n-SETs are requested."""
    max_depth: int = 0
    """DEPTH_LIMIT: maximum links between the start URL and any page; 0 for no limit."""
    depth_step: int = 0
    """SITECRAWL_DEPTH_STEP: the part of the limit that each branch of the site has by itself; 0 for no limit."""
    near: int = 0
    """Maximum depth of the pages that are requested in the order of selection; 0 if there is no depth limit.

    Deeper pages follow level by level. So the depth with which a page is requested exceeds the length of the shortest
    path to it by less than `near`.
    """
    keys: KeyTable = field(default_factory=KeyTable)
    """The table of the sets that have a key of each page."""
    known: KeySet = field(init=False)
    """URLs with a row in `page`."""
    far: dict[int, int] = field(default_factory=dict)
    """Depth of each known URL that is deeper than `near` and has no outcome in this crawl yet."""
    settled: KeySet = field(init=False)
    """URLs whose outcome this crawl has stored."""
    seen: KeySet = field(init=False)
    """URLs linked from a stored page of this crawl."""
    pages: int = 0
    """Pages stored in this crawl, with a body or by a 304."""
    taken: set[int] = field(default_factory=set)
    """URLs that were handed to Scrapy's engine and have no response yet."""
    arrived: dict[int, bool] = field(default_factory=dict)
    """URLs with a response that is not stored yet, and whether it is a page."""
    claimed: set[int] = field(default_factory=set)
    """New URLs that are not stored yet."""
    postponed: set[int] = field(default_factory=set)
    """Known URLs that are left to the next run."""
    exhausted: bool = False
    """Whether nothing is left to fetch."""
    stopped: str = ""
    """Why this run sends no more requests; empty while it goes on."""
    discoveries: Numbers = field(default_factory=Numbers)
    """Sequence numbers of discovered URLs."""
    spellings: Spellings = field(default_factory=lambda: Spellings(""))
    """Other spellings of URLs whose host may not answer."""
    _promoted: set[int] = field(default_factory=set)
    _failed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.known, self.settled, self.seen = self.keys.new_set(), self.keys.new_set(), self.keys.new_set()

    @property
    def room(self) -> int:
        """Number of requests that may be added now."""
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
        """Number of known URLs that are not settled."""
        return len(self.known) - len(self.settled)

    def limit_depth(self, hard: int, step: int = 0) -> None:
        """Set DEPTH_LIMIT and SITECRAWL_DEPTH_STEP; 0 for none."""
        self.max_depth, self.depth_step = hard, step
        limit = self.depth_limit(0)
        self.near = min(NEAR, max(1, limit // NEAR_SHARE)) if limit else 0

    def depth_limit(self, depth: int) -> int:
        """Return the depth limit for the links of a page at `depth`; 0 for none."""
        return limit_of(self.max_depth, self.depth_step, depth)

    def is_too_deep(self, depth: int) -> bool:
        """Return whether a page at `depth` - 1 is at its depth limit, so that its links lead beyond it."""
        limit = self.depth_limit(depth - 1)
        return 0 < limit < depth

    def is_far(self, depth: int) -> bool:
        """Return whether pages at this depth are requested level by level."""
        return 0 < self.near < depth

    def link_priority(self, depth: int) -> int:
        """Return the priority of a page at `depth` that is in no n-SET, without regard to hyperlink distance."""
        return -depth if self.is_far(depth) else LINK_PRIORITY - depth

    def knows(self, url_key: int) -> bool:
        """Return whether a URL is stored or claimed."""
        return url_key in self.known or url_key in self.claimed

    def is_requested(self, url_key: int) -> bool:
        """Return whether a URL was given to the engine, or has an outcome in this crawl."""
        return url_key in self.taken or url_key in self.arrived or url_key in self.settled

    def find(self, ranked: Iterable[RankedAnchor], depth: int, size: int, *, raised: bool = False) -> list[Discovered]:
        """Claim the new URLs among the ranked anchors of a page at `depth` - 1, and return them.

        The first `size` anchors are the page's n-SET. With `raised` the depth limit was raised for this page.
        """
        if self.is_too_deep(depth) and not raised:
            return []
        found = []
        for anchor, rank, hyperlink_distance, dom_distance in ranked:
            if self.knows(anchor.url_key):
                self.spellings.seen(anchor.url_key, anchor.url)
                continue
            self.claimed.add(anchor.url_key)
            self.spellings.found(anchor.url_key, anchor.url)
            if self.is_far(depth):
                priority = self.link_priority(depth)
            elif rank < size:
                priority = SAMPLE_PRIORITY - depth
            else:
                priority = LINK_PRIORITY - distance_rank(hyperlink_distance, self.order) - depth
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

    def too_deep(self, ranked: Collection[RankedAnchor], depth: int) -> int:
        """Return how many of the ranked anchors of a page lead to unknown URLs beyond the depth limit."""
        if not self.is_too_deep(depth):
            return 0
        return sum(not self.knows(one.anchor.url_key) for one in ranked)

    def depth(self, url_key: int, depth: int) -> int:
        """Return the depth of a requested URL: `depth`, or less if a shorter path was found since the request."""
        return min(depth, self.far.get(url_key, depth))

    def farther(self, url_keys: Iterable[int], depth: int) -> list[int]:
        """Return those links of a page at `depth` - 1 for which only longer paths than `depth` are known."""
        return [key for key in url_keys if self.far.get(key, 0) > depth] if self.far else []

    def bring_near(self, url_keys: Iterable[int], depth: int) -> None:
        """Record that a shorter path to URLs is stored: `depth`."""
        self.far.update((key, depth) for key in url_keys if self.far.get(key, 0) > depth)

    def promote(self, members: Iterable[int]) -> list[int]:
        """Return the members of an n-SET that still wait in the database; each at most once in a crawl."""
        found = [
            key for key in members if key in self.known and key not in self._promoted and not self.is_requested(key)
        ]
        self._promoted.update(found)
        return found

    def add(self, url_key: int, url: str, depth: int, priority: int) -> Discovered | None:
        """Claim a URL that was not found on a page (the start URL, one of a sitemap); return None if it is known."""
        if self.knows(url_key):
            self.spellings.seen(url_key, url)
            return None
        self.claimed.add(url_key)
        self.spellings.found(url_key, url)
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
        """Record that claimed URLs are stored."""
        depths = {one.url_key: one.depth for one in found}
        self.claimed -= depths.keys()
        self.known.update(depths)
        self.far.update((key, depth) for key, depth in depths.items() if self.is_far(depth))

    def release(self, found: Collection[Discovered]) -> None:
        """Release claimed URLs that could not be stored; the next page that links to them claims them again."""
        for one in found:
            if one.url_key in self.claimed:
                self.claimed.discard(one.url_key)
                self.discoveries.give_back(one.discovery)

    def take(self, url_key: int) -> bool:
        """Mark a URL as handed to the engine; False if it was already, is settled or postponed, or there is no room."""
        if self.is_requested(url_key) or url_key in self.postponed or not self.room:
            return False
        self.taken.add(url_key)
        return True

    def postpone(self, url_key: int) -> None:
        """Postpone a taken URL that cannot be requested now."""
        self.taken.discard(url_key)
        self.postponed.add(url_key)

    def arrive(self, url_key: int, *, page: bool = False) -> bool:
        """Record a response that is to be stored; False if the URL already has one in this crawl."""
        self.taken.discard(url_key)
        if url_key in self.settled or url_key in self.arrived:
            return False
        self.arrived[url_key] = page
        return True

    def settle(self, url_key: int) -> None:
        """Record that the outcome of a URL is stored."""
        self.pages += self.arrived.pop(url_key, False)
        self.known.add(url_key)
        self.settled.add(url_key)
        self.far.pop(url_key, None)
        self._promoted.discard(url_key)

    def ask_again(self, url_key: int) -> None:
        """Record that a failed URL will be requested once more, in another spelling."""
        self.settled.discard(url_key)

    def give_back(self, url_key: int) -> None:
        """Record a failed store of a URL's outcome: it is requested once more, then left to the next run."""
        self.arrived.pop(url_key, None)
        if url_key in self._failed:
            self.postponed.add(url_key)
        self._failed.add(url_key)
