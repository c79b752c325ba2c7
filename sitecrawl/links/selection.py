"""Orders the links of a key page: near in the URL hierarchy first, then far apart in the DOM.

Source: Web-ConEx (S1), page selection by hyperlink distance and DOM distance; details from the authors' public code.
The first n links in this order are the key page's n-SET.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.links.anchors import Anchor

SAMPLE_SIZE: Final = 4
"""Number of pages of an n-SET (S1, section 5: n = 4)."""

MAX_GROUP: Final = 500
"""Maximum links of one hyperlink distance that are ordered by DOM distance; the rest follow in document order."""

MAX_DISTANCE: Final = 100
"""Hyperlink distance from which pages count as equally far when they are requested [OWN]."""

Order: TypeAlias = Literal["seed", "hybex"]
"""Order of the hyperlink distances. `seed`: 0, +1, -1, +2, ... (S1: closest to zero; it leaves open which of +1 and -1
is first); `hybex`: 0, 1, 2, ..., -1, -2, ... (the public code)."""


class RankedAnchor(NamedTuple):
    """An anchor and its rank on a page."""

    anchor: Anchor
    rank: int
    """Counted from 0."""
    hyperlink_distance: int
    dom_distance: int | None
    """Smallest DOM distance to the earlier anchors of its group; None for the first one, and where the order does not
    depend on it."""


def hyperlink_distance(key_url: str, target_url: str) -> int:
    """Return the hyperlink distance: directory levels from the key page to a target.

    It is 0 in the same directory, positive below it, and negative above it: the number of levels up to the common
    ancestor, whatever follows below. Takes URLs, or paths that begin with a slash. Source: S1 section 2.1 and the
    authors' public code.
    """
    return _levels(_ancestors(_directory(key_url)), _directory(target_url))


def distance_rank(distance: int, order: Order = "seed") -> int:
    """Return the rank of a hyperlink distance: the number of distances before it in an order."""
    levels = min(abs(distance), MAX_DISTANCE)
    if order == "hybex":
        return levels if distance >= 0 else MAX_DISTANCE + levels
    return 2 * levels - (distance > 0)


@lru_cache(LIMIT)
def _directory(url: str) -> str:
    """Return a URL's path up to and including the last slash; slashes in the query do not count."""
    path = url.partition("#")[0].partition("?")[0]
    begin = path.find("://")
    begin = path.find("/", begin + 3) if begin >= 0 else 0
    return path[begin : path.rfind("/") + 1] if begin >= 0 else "/"


def _ancestors(key: str) -> list[str]:
    """Return a directory and its ancestors, nearest first."""
    found = [key or "/"]
    while len(key) > 1:
        key = key[: key.rfind("/", 0, -1) + 1]
        found.append(key)
    return found


def _levels(above: list[str], target: str) -> int:
    """Return the levels from a directory, given with its ancestors, to another one."""
    for climbed, directory in enumerate(above):
        if target.startswith(directory):
            return -climbed if climbed else target.count("/") - directory.count("/")
    return 1 - len(above)


def dom_distance(flat: FlatDom, i: int, j: int) -> int:
    """Return the DOM distance: tree edges between two nodes through their lowest common ancestor."""
    first, second = (i, j) if i < j else (j, i)
    above = first
    while flat.end[above] <= second:
        above = flat.parent[above]
    return flat.depth[i] + flat.depth[j] - 2 * flat.depth[above]


def ranking(page: Page, anchors: Sequence[Anchor], order: Order = "seed") -> Iterator[RankedAnchor]:
    """Yield all anchors in the published order; each one costs a step per link with the same hyperlink distance."""
    return (ranked for ranked, _ in _ranking(page, anchors, _groups(page.url, anchors, order)))


def rank_all(page: Page, anchors: Sequence[Anchor], order: Order = "seed") -> list[RankedAnchor]:
    """Return all anchors in the published order; quadratic in the number of links with one hyperlink distance."""
    return list(ranking(page, anchors, order))


def select(page: Page, anchors: Sequence[Anchor], size: int = SAMPLE_SIZE, order: Order = "seed") -> list[RankedAnchor]:
    """Return the n-SET of a page: the first `size` anchors of `rank_all`, without ranking the others."""
    return [ranked for ranked, _ in islice(_ranking(page, anchors, _groups(page.url, anchors, order)), max(0, size))]


def rank(page: Page, anchors: Sequence[Anchor], size: int = SAMPLE_SIZE, order: Order = "seed") -> list[RankedAnchor]:
    """Return all anchors: the exact n-SET, then the others by hyperlink distance and document order.

    This order is cheap enough for a crawl, where only the n-SET needs to be exact.
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
                # `tuple.__new__`, because the constructor of a NamedTuple is a slow Python function
                ranked.append(tuple.__new__(RankedAnchor, (anchors[place], len(ranked), distance, None)))
    return ranked


def _ranking(
    page: Page, anchors: Sequence[Anchor], groups: list[tuple[int, list[int]]]
) -> Iterator[tuple[RankedAnchor, int]]:
    """Yield the anchors in the published order, each with its position in `anchors`."""
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
    """Return (hyperlink distance, positions in `anchors`): distances in order, positions in document order."""
    above = _ancestors(_directory(key_url))
    groups: dict[int, list[int]] = {}
    distances: dict[str, int] = {}
    for place, anchor in enumerate(anchors):
        directory = _directory(anchor.url)
        distance = distances.get(directory)
        if distance is None:
            distance = distances[directory] = _levels(above, directory)
        groups.setdefault(distance, []).append(place)
    return sorted(groups.items(), key=lambda group: (distance_rank(group[0], order), abs(group[0]), group[0] < 0))


def _farthest_first(flat: FlatDom, nodes: list[int]) -> Iterator[tuple[int, int | None]]:
    """Yield positions in `nodes`, farthest first, each with its smallest distance to the earlier ones.

    `nodes` are rows in document order. The first pick is the first node. Each next pick is the node with the largest
    smallest distance to the earlier picks; ties go to the earliest. A pick costs O(links + depth), since the common
    ancestors with the pick only move up on the way to either side of it.
    """
    if not nodes:
        return
    yield 0, None
    left = list(range(1, len(nodes)))
    nearest = [len(flat)] * len(nodes)
    pick = 0
    while left:
        _approach(flat, nodes, pick, nearest)
        pick = max(left, key=nearest.__getitem__)  # max() returns the first of equals
        left.remove(pick)
        yield pick, nearest[pick]


def _approach(flat: FlatDom, nodes: list[int], pick: int, nearest: list[int]) -> None:
    """Update the smallest distance of each node with its distance to the new pick."""
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
