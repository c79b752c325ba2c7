"""Finds the entries of a page: sibling elements that look alike and contain kept blocks, such as teasers and posts.

A list of teasers, an archive and a forum thread all repeat one kind of element. They differ in the targets of the
entries (a teaser links to its page) and in the number of such elements on other pages of the site: a thread has about
as many as other threads, while an archive has many and an article page one.
"""

from bisect import bisect_left
from collections import Counter
from math import log1p
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.statistics import SiteStatistics

LEVELS: Final = 6
"""Number of ancestors of a block that may be its entry."""
HERE: Final = ("#", "javascript:", "mailto:", "tel:", "data:")
"""Prefixes of links that lead to no other page."""

ENTRY_NAMES: Final = (
    "entry_share",
    "entries",
    "entry_own",
    "entry_first",
    "entry_excess",
    "entry_chars",
    "entry_own_share",
    "path_excess",
    "path_usual",
)
"""Names of the features: share of the kept characters in entries, number of entries (log), share of entries with a link
that no other entry has, share of distinct first links, ratio of their number to that on the site's average page (log),
mean characters (log), product of the first and third; ratio of the number of blocks on the kept paths to that on the
average page (log), and share of the site's pages that have those paths."""


class Kept(NamedTuple):
    """Rows of a page with the kept blocks below them, and which of them may be entries."""

    blocks: dict[int, int]
    chars: dict[int, int]
    alike: dict[tuple[int, int], list[int]]
    """Rows with two or more kept blocks, by parent and path."""


def kept_below(flat: FlatDom, blocks: Blocks, kept: list[int]) -> Kept:
    """Return, for up to `LEVELS` ancestors of each kept block, how many blocks and characters they contain.

    An entry contains at least two kept blocks: a teaser has a heading and a text, while a paragraph is a single block.
    """
    number: dict[int, int] = {}
    chars: dict[int, int] = {}
    parent, path = flat.parent, flat.path
    containers = Counter[int](map(blocks.container.__getitem__, kept))
    sizes = dict.fromkeys(containers, 0)
    for i in kept:
        sizes[blocks.container[i]] += blocks.chars[i]
    for container, count in containers.items():
        row, size = container, sizes[container]
        for _ in range(LEVELS):
            if row in number:
                number[row] += count
                chars[row] += size
            else:
                number[row], chars[row] = count, size
            row = parent[row]
            if row < 0:
                break
    alike: dict[tuple[int, int], list[int]] = {}
    for row, count in number.items():
        if count > 1 and parent[row] >= 0:
            alike.setdefault((parent[row], path[row]), []).append(row)
    return Kept(number, chars, alike)


def repeats(flat: FlatDom, blocks: Blocks, kept: list[int], below: Kept) -> list[int]:
    """Return for each kept block the largest number of similar siblings among its ancestors."""
    number = {row: len(rows) for rows in below.alike.values() for row in rows}
    parent = flat.parent
    most: dict[int, int] = {}  # by container
    for container in set(map(blocks.container.__getitem__, kept)):
        row, best = container, 0
        for _ in range(LEVELS):
            if row < 0:
                break
            count = number.get(row, 0)
            best = count if count > best else best
            row = parent[row]
        most[container] = best
    return [most[blocks.container[i]] for i in kept]


def entry_figures(
    flat: FlatDom, blocks: Blocks, kept: list[int], below: Kept, site: SiteStatistics | None
) -> list[float]:
    """Return the features in the order of `ENTRY_NAMES`, for the kind of entry with the most kept characters."""
    total = max(sum(blocks.chars[i] for i in kept), 1)
    most: tuple[int, int, tuple[int, int]] | None = None
    for key, rows in below.alike.items():
        if len(rows) > 1:
            found = (sum(below.chars[row] for row in rows), len(rows), key)
            most = max(most, found) if most is not None else found
    if most is None:
        return [0.0] * 7 + _path_figures(flat, blocks, kept, total, site)
    chars, count, key = most
    own, first = targets(flat, below.alike[key])
    share = chars / total
    excess = _excess(count, key[1], site)
    entries = [share, log1p(count), own, first, excess, log1p(chars / count), share * own]
    return entries + _path_figures(flat, blocks, kept, total, site)


def targets(flat: FlatDom, rows: list[int]) -> tuple[float, float]:
    """Return the share of entries with a link that no other entry has, and the distinct first links per entry."""
    places = [node for node, _, _ in flat.anchors]
    links: list[list[str]] = []
    for row in rows:
        found = [flat.anchors[j][1] for j in range(bisect_left(places, row), bisect_left(places, flat.end[row]))]
        links.append([href.partition("#")[0] for href in found if not href.lower().startswith(HERE)])
    holders = Counter(href for entry in links for href in set(entry))
    own = sum(any(holders[href] == 1 for href in entry) for entry in links)
    return own / len(rows), len({entry[0] for entry in links if entry}) / len(rows)


def _excess(count: int, path: int, site: SiteStatistics | None) -> float:
    found = site.paths.get(path) if site is not None else None
    return log1p(count) - log1p(found.nodes / found.pages) if found is not None else 0.0


def _path_figures(
    flat: FlatDom, blocks: Blocks, kept: list[int], total: int, site: SiteStatistics | None
) -> list[float]:
    if site is None:
        return [0.0, 0.0]
    paths = [flat.path[blocks.container[i]] for i in kept]
    number = Counter(paths)
    excess = {path: _excess(count, path, site) for path, count in number.items()}
    pages = max(site.pages, 1)
    usual = {path: found.pages / pages if (found := site.paths.get(path)) is not None else 0.0 for path in number}
    more = often = 0.0
    for i, path in zip(kept, paths, strict=True):
        more += blocks.chars[i] * excess[path]
        often += blocks.chars[i] * usual[path]
    return [more / total, often / total]
