"""Pages that link to each other share a menu, hence a template: page selection of TemEx (ALGORITHMS 3)."""

from collections.abc import Collection, Hashable, Mapping
from typing import Final, TypeVar

GOAL: Final = 3
"""Pages of a complete subdigraph (the public code's default)."""

P = TypeVar("P", bound=Hashable)


def complete_subdigraph(links: Mapping[P, Collection[P]], goal: int = GOAL) -> tuple[P, ...]:
    """Return pages that are pairwise linked in both directions, in load order.

    `links` maps each loaded page to the pages that it links to; its order is the load order, and the key page
    is not in it. Pages are taken one by one; the first set of `goal` pages found is returned, or else the
    largest (of equals, the first found), which may be a single page. Empty without pages, or for a goal below
    1.

    Backtracking on a stack; the time grows with pages ** (goal - 1) at worst, and goals are small.
    """
    if goal < 1:
        return ()
    pages = list(links)
    outgoing = [frozenset(links[page]) for page in pages]
    best: tuple[int, ...] = ()
    mutual: list[frozenset[int]] = []
    for newest, page in enumerate(pages):
        partners = [
            earlier for earlier in range(newest) if pages[earlier] in outgoing[newest] and page in outgoing[earlier]
        ]
        mutual.append(frozenset(partners))
        best = _largest_with(newest, partners, mutual, goal, best)
        if len(best) == goal:
            break
    return tuple(pages[position] for position in best)


def _largest_with(
    newest: int, partners: list[int], mutual: list[frozenset[int]], goal: int, best: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the first complete set of up to `goal` pages with the newest that beats `best`, or `best`."""
    chosen = [newest]
    frames = [(partners, 0)]  # for each chosen page: those that may follow it, and how many were tried
    while frames:
        if len(chosen) > len(best):
            best = tuple(sorted(chosen))
            if len(best) == goal:
                break
        candidates, tried = frames.pop()
        if len(chosen) + len(candidates) - tried <= len(best):
            chosen.pop()
            continue
        one = candidates[tried]
        frames.append((candidates, tried + 1))
        chosen.append(one)
        frames.append(([other for other in candidates[tried + 1 :] if one in mutual[other]], 0))
    return best
