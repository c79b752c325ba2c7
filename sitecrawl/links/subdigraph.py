"""Finds pages that all link to each other: they share a menu, and so a template (page selection of TemEx)."""

from collections.abc import Collection, Hashable, Mapping
from typing import Final, TypeVar

GOAL: Final = 3
"""Pages of a complete subdigraph (default of the authors' public code)."""

P = TypeVar("P", bound=Hashable)


def complete_subdigraph(links: Mapping[P, Collection[P]], goal: int = GOAL) -> tuple[P, ...]:
    """Return pages that are pairwise linked in both directions, in load order.

    `links` maps each loaded page to the pages that it links to; its order is the load order, and it does not contain
    the key page. Pages are added one by one. The first set of `goal` pages is returned, or else the largest set (the
    first of equals), which may be a single page. The result is empty without pages, or for a goal below 1.

    Backtracks on an explicit stack. The worst case is pages ** (goal - 1); goals are small.
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
    """Return the first complete set of up to `goal` pages that contains the newest and beats `best`, or `best`."""
    chosen = [newest]
    frames = [(partners, 0)]  # for each chosen page: its possible successors, and how many were tried
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
