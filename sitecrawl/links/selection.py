"""Which links of a key page to take first: near in the URL hierarchy, far apart in the DOM.

Source: Web-ConEx (S1), page selection by hyperlink distance and DOM distance; details from the authors'
public code (ALGORITHMS 3). The first n links in this order are the key page's n-SET.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.links.anchors import Anchor

SAMPLE_SIZE: Final = 4
"""Pages of an n-SET (S1, section 5: n = 4)."""

MAX_GROUP: Final = 500
"""Links of one hyperlink distance that are ordered by DOM distance; the others follow in document order
(ALGORITHMS 3)."""

Order: TypeAlias = Literal["seed", "hybex"]
"""Order of the hyperlink distances: `seed` 0, +1, -1, +2, ... (S1: closest to zero; between +1 and -1 it does
not say); `hybex` 0, 1, 2, ..., -1, -2, ... (the public code)."""


class RankedAnchor(NamedTuple):
    """An anchor and its place in the order of a page."""

    anchor: Anchor
    rank: int
    """From 0."""
    hyperlink_distance: int
    dom_distance: int | None
    """Least DOM distance to the anchors of its group that come before; None for the first one, and where the
    order does not depend on it."""


def hyperlink_distance(key_url: str, target_url: str) -> int:
    """Return the directory levels from the key page to a target.

    0 in the same directory, positive below it, negative for the levels to climb; what lies below the common
    ancestor of two branches does not count. Takes URLs, or paths that begin with a slash.
    Source: S1 section 2.1 and the public code (ALGORITHMS 3).
    """
    return _levels(_ancestors(_directory(key_url)), _directory(target_url))


@lru_cache(maxsize=20_000)
def _directory(url: str) -> str:
    """Return a URL's path up to and with the last slash; the query and its slashes are no part of it."""
    path = url.partition("#")[0].partition("?")[0]
    begin = path.find("://")
    begin = path.find("/", begin + 3) if begin >= 0 else 0
    return path[begin : path.rfind("/") + 1] if begin >= 0 else "/"


def _ancestors(key: str) -> list[str]:
    """Return a directory and those above it, nearest first."""
    found = [key or "/"]
    while len(key) > 1:
        key = key[: key.rfind("/", 0, -1) + 1]
        found.append(key)
    return found


def _levels(above: list[str], target: str) -> int:
    """Return the levels from a directory, given with those above it, to another one."""
    for climbed, directory in enumerate(above):
        if target.startswith(directory):
            return -climbed if climbed else target.count("/") - directory.count("/")
    return 1 - len(above)


def dom_distance(flat: FlatDom, i: int, j: int) -> int:
    """Return the tree edges between two nodes of a page, through their lowest common ancestor."""
    first, second = (i, j) if i < j else (j, i)
    above = first
    while flat.end[above] <= second:
        above = flat.parent[above]
    return flat.depth[i] + flat.depth[j] - 2 * flat.depth[above]


def rank_all(page: Page, anchors: Sequence[Anchor], order: Order = "seed") -> list[RankedAnchor]:
    """Return all anchors in the published order; quadratic in the links of one hyperlink distance."""
    return [ranked for ranked, _ in _ranking(page, anchors, _groups(page.url, anchors, order))]


def select(page: Page, anchors: Sequence[Anchor], size: int = SAMPLE_SIZE, order: Order = "seed") -> list[RankedAnchor]:
    """Return the n-SET of a page: the first `size` anchors of `rank_all`, without ranking the others."""
    return [ranked for ranked, _ in islice(_ranking(page, anchors, _groups(page.url, anchors, order)), max(0, size))]


def rank(page: Page, anchors: Sequence[Anchor], size: int = SAMPLE_SIZE, order: Order = "seed") -> list[RankedAnchor]:
    """Return all anchors: the n-SET exactly, then the others by hyperlink distance and document order.

    The cheap order for a crawl, where only the n-SET needs to be exact.
    """
    ranked: list[RankedAnchor] = []
    taken = set()
    groups = _groups(page.url, anchors, order)
    for one, place in islice(_ranking(page, anchors, groups), max(0, size)):
        ranked.append(one)
        taken.add(place)
    for distance, places in groups:
        for place in places:
            if place not in taken:
                # the constructor of a NamedTuple is a function in Python
                ranked.append(tuple.__new__(RankedAnchor, (anchors[place], len(ranked), distance, None)))
    return ranked


def _ranking(
    page: Page, anchors: Sequence[Anchor], groups: list[tuple[int, list[int]]]
) -> Iterator[tuple[RankedAnchor, int]]:
    """Yield the anchors in the published order, each with its place in `anchors`."""
    count = 0
    for distance, places in groups:
        nodes = [anchors[place].node for place in places[:MAX_GROUP]]
        for pick, apart in _farthest_first(page.flat, nodes):
            yield RankedAnchor(anchors[places[pick]], count, distance, apart), places[pick]
            count += 1
        for place in places[MAX_GROUP:]:
            yield RankedAnchor(anchors[place], count, distance, None), place
            count += 1


def _groups(key_url: str, anchors: Sequence[Anchor], order: Order) -> list[tuple[int, list[int]]]:
    """Return (hyperlink distance, places in `anchors`): distances in order, places in document order."""
    above = _ancestors(_directory(key_url))
    groups: dict[int, list[int]] = {}
    distances: dict[str, int] = {}
    for place, anchor in enumerate(anchors):
        directory = _directory(anchor.url)
        distance = distances.get(directory)
        if distance is None:
            distance = distances[directory] = _levels(above, directory)
        groups.setdefault(distance, []).append(place)
    if order == "hybex":
        return sorted(groups.items(), key=lambda group: (group[0] < 0, abs(group[0])))
    return sorted(groups.items(), key=lambda group: (abs(group[0]), group[0] < 0))


def _farthest_first(flat: FlatDom, nodes: list[int]) -> Iterator[tuple[int, int | None]]:
    """Yield positions in `nodes` farthest first, each with its least distance to those before.

    `nodes` are rows in document order. The first pick is the first of them; then the one whose least distance
    to the picked ones is largest, ties to the earliest. One pick costs O(links + depth): seen from the
    pick, the common ancestors only rise to either side.
    """
    if not nodes:
        return
    yield 0, None
    left = list(range(1, len(nodes)))
    nearest = [len(flat)] * len(nodes)
    pick = 0
    while left:
        _approach(flat, nodes, pick, nearest)
        pick = max(left, key=nearest.__getitem__)  # the first of equals
        left.remove(pick)
        yield pick, nearest[pick]


def _approach(flat: FlatDom, nodes: list[int], pick: int, nearest: list[int]) -> None:
    """Lower each least distance to that from the pick."""
    parent, depth, end = flat.parent, flat.depth, flat.end
    node = nodes[pick]
    above, stop, offset = node, end[node], -depth[node]
    for k in range(pick + 1, len(nodes)):
        other = nodes[k]
        if stop <= other:
            while stop <= other:
                above = parent[above]
                stop = end[above]
            offset = depth[node] - 2 * depth[above]
        distance = offset + depth[other]
        if distance < nearest[k]:
            nearest[k] = distance
    above, offset = node, -depth[node]
    for k in range(pick - 1, -1, -1):
        other = nodes[k]
        if above > other:
            while above > other:
                above = parent[above]
            offset = depth[node] - 2 * depth[above]
        distance = offset + depth[other]
        if distance < nearest[k]:
            nearest[k] = distance
