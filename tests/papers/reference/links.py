"""Web-ConEx, section 2.1: hyperlink distance, DOM distance, and the order of links that both give."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile
from urllib.parse import urlsplit

from .tree import Node


def hyperlink_distance(key_url: str, target_url: str) -> int:
    """Return the levels from the folder of the key page down to that of the target, or, negative, those to climb."""
    key, target = _folders(key_url), _folders(target_url)
    common = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(key, target, strict=False))))
    return common - len(key) if common < len(key) else len(target) - common


def _folders(url: str) -> list[str]:
    return urlsplit(url).path.split("/")[1:-1]


def dom_distance(one: Node, other: Node) -> int:
    """Return the steps from one node to the nearest common ancestor and on to the other."""
    above = {node: steps for steps, node in enumerate([one, *one.ancestors()])}
    return next(steps + above[node] for steps, node in enumerate([other, *other.ancestors()]) if node in above)


def ordered(key_url: str, links: Sequence[tuple[str, Node]], order: str = "seed") -> list[int]:
    """Return the numbers of links, given in document order, in the order of selection.

    The distances closest to zero are first, +1 before -1, or in the authors' public code (`hybex`) 0, 1, 2, and then the
    negative ones. Of one distance the first link is first; each next one is the link that is farthest in the DOM from
    those that were taken.
    """
    groups = defaultdict(list)
    for number, (url, _) in enumerate(links):
        groups[hyperlink_distance(key_url, url)].append(number)

    def rank(distance: int) -> tuple[bool, int, bool]:
        return order == "hybex" and distance < 0, abs(distance), distance < 0

    found = []
    for distance in sorted(groups, key=rank):
        left = groups[distance]
        found.append(left.pop(0))
        nearest = {number: dom_distance(links[number][1], links[found[-1]][1]) for number in left}
        while left:
            taken = max(left, key=lambda number: (nearest[number], -number))
            left.remove(taken)
            found.append(taken)
            for number in left:
                nearest[number] = min(nearest[number], dom_distance(links[number][1], links[taken][1]))
    return found
