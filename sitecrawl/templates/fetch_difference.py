"""The difference between two fetches of one page, block by block.

A block of a fetch *differs* if the other fetch has no block with its text on its path; it *counts* (as a counter) if
only its numbers differ; otherwise it *stands*. Three kinds of keys identify places: the path key; the tag path, since
many sites give the elements around an article class names of its topics, so that its path key is unique; and the names
of the element alone, in any place. Pure: no SQL, no clock. [OWN]

Over 300 lines: one comparison with its result types.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate, islice
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, block_text, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, chain, text_label
from sitecrawl.dom.places import place
from sitecrawl.dom.text import printable
from sitecrawl.templates.folded_numbers import LETTER, folded
from sitecrawl.templates.tag_paths import tag_path_keys, tag_paths

STANDS: Final = 0.25
"""Minimum share of the characters of each fetch that must be in the other one; else these are two different pages."""
MOSTLY: Final = 0.75
"""Minimum of the same share for which differing blocks are listed one by one, since they are not the main text."""
ROWS: Final = 20_000
"""Maximum nodes of a page that is compared."""
MANY: Final = 64
"""Maximum elements identified by their number among siblings, and maximum lines, that a difference records."""
PATHS: Final = 300
"""Maximum paths of a difference; of more, those with the most differing elements are kept."""
STOOD: Final = 3_000
"""Maximum paths without a difference that are recorded."""
TEXTS: Final = 500
"""Maximum differing blocks that are listed one by one."""
LINE: Final = 120
"""Maximum characters kept of a line with numbers, and of a name of a place."""
NAMES: Final = 3
"""Start value of the hash chain of name keys; also the `sort` of name keys."""


class PathDifference(NamedTuple):
    """Counts of the elements on one path that differ between two fetches of a page, summed over both fetches."""

    path: int
    """Path key, tag path key or name key."""
    parent: int
    """Path key or tag path key of the parent of one of these elements; 0 for a name key."""
    within: int
    """A narrower key of one of these elements: its path key for a tag path, its tag path for names; else `path`."""
    sort: int
    """Sort of the key: 1 a path key, 2 a tag path, 3 names; 0 a tag path of an element without names."""
    place: str
    differs: int
    """Number of elements whose whole text differs."""
    counts: int
    """Number of blocks of which only the numbers differ."""
    stands: int
    """Number of other elements with text."""


class NumberedPlace(NamedTuple):
    """A differing element, identified by its number among its siblings."""

    key: int
    path: int
    """Tag path key."""
    place: str
    siblings: int
    """Number of element children of its parent."""


class CountingLine(NamedTuple):
    """A block that differs only in its numbers."""

    key: int
    """Key of its path and its folded text (`line_key`)."""
    path: int
    """Tag path key."""
    text: str
    """The folded text."""


@dataclass(frozen=True, slots=True)
class FetchDifference:
    """The difference between two fetches of one page."""

    paths: tuple[PathDifference, ...] = ()
    """Paths with a difference."""
    stood: Mapping[int, int] = field(default_factory=dict, hash=False)
    """Number of elements with text on each other path."""
    numbered: tuple[NumberedPlace, ...] = ()
    lines: tuple[CountingLine, ...] = ()
    texts: frozenset[int] = frozenset()
    """Keys of the differing blocks of the first fetch (`text_key`); empty if too much differs."""

    def known(self) -> frozenset[int]:
        """Return the keys of all paths that were compared."""
        return frozenset(self.stood).union(one.path for one in self.paths)

    def at(self, path: int) -> PathDifference | None:
        """Return the difference of the elements on a path; None if the page has none."""
        for one in self.paths:
            if one.path == path:
                return one
        return PathDifference(path, 0, 0, 0, "", 0, 0, self.stood[path]) if path in self.stood else None


def name_key(flat: FlatDom, row: int) -> int:
    """Return the key of an element by its tag and names (classes and id), without its path."""
    return chain(NAMES, flat.label[row])


def text_key(flat: FlatDom, blocks: Blocks, block: int) -> int:
    """Return the key of a block's text on its path."""
    return chain(flat.path[blocks.container[block]], text_label(block_text(flat, blocks, block)))


def line_key(path: int, text: str) -> int:
    """Return the key of a folded text on a path."""
    return chain(path, text_label(text))


def numbered_key(path: int, number: int) -> int:
    """Return the key of an element by its path and its number among its siblings, from 1."""
    return chain(chain(path, 1), number)


class _State(Enum):
    STANDS = "stands"
    COUNTS = "counts"
    DIFFERS = "differs"


class _Fetch:
    """The blocks of one fetch."""

    def __init__(self, flat: FlatDom) -> None:
        self.flat, self.blocks, self.tag_paths = flat, text_blocks(flat), tag_paths(flat)
        self.texts = [
            (flat.path[container], block_text(flat, self.blocks, block))
            for block, container in enumerate(self.blocks.container)
        ]
        self.known = frozenset(self.texts)
        self.states: list[_State] = []

    def compare(self, other: "_Fetch") -> None:
        """Set the state of each block by comparison with the other fetch."""
        fold = {(path, folded(text)) for path, text in other.known - self.known}
        for path, text in self.texts:
            if (path, text) in other.known:
                self.states.append(_State.STANDS)
            elif (path, folded(text)) in fold and LETTER.search(text):
                self.states.append(_State.COUNTS)
            else:
                self.states.append(_State.DIFFERS)

    def keys(self, row: int) -> tuple[int, ...]:
        """Return the keys of an element: path key, tag path key, and name key if it has names."""
        flat = self.flat
        return (flat.path[row], self.tag_paths[row], *((name_key(flat, row),) if flat.names[row] else ()))

    @property
    def standing(self) -> float:
        """Return the share of the characters in blocks that did not change, or changed only in numbers."""
        chars = self.blocks.chars
        stood = sum(count for count, state in zip(chars, self.states, strict=True) if state is not _State.DIFFERS)
        return stood / max(sum(chars), 1)

    def elements(self) -> Iterator[tuple[int, bool]]:
        """Yield (row, whether its whole text differs) of each element with text."""
        flat, first = self.flat, self.blocks.first
        sums = [0, *accumulate(state is _State.DIFFERS for state in self.states)]
        seen: set[int] = set()
        for container in self.blocks.container:
            row = container
            while row >= 0 and row not in seen:
                seen.add(row)
                begin, stop = bisect_left(first, row), bisect_left(first, flat.end[row])
                yield row, sums[stop] - sums[begin] == stop - begin
                row = flat.parent[row]


class _Comparison:
    """The counts by path over both fetches."""

    def __init__(self) -> None:
        self.counts: dict[int, list[int]] = {}
        """[differing elements, blocks that count, standing elements] by path."""
        self.names: dict[int, tuple[int, int, int, str]] = {}
        self.numbered: dict[int, NumberedPlace] = {}
        self.lines: dict[int, CountingLine] = {}

    def add(self, fetch: _Fetch) -> None:
        flat, whole = fetch.flat, set[int]()
        for row, differs in fetch.elements():
            for path in fetch.keys(row):
                self.counts.setdefault(path, [0, 0, 0])[0 if differs else 2] += 1
            if differs:
                whole.add(row)
                self._name(fetch, row)
        outermost = (row for row in sorted(whole) if flat.parent[row] >= 0 and flat.parent[row] not in whole)
        for row in islice(outermost, MANY):  # limited, since each one costs a pass over its siblings
            found = _numbered(flat, row, fetch.tag_paths[row])
            self.numbered.setdefault(found.key, found)
        for container, (_, text), state in zip(fetch.blocks.container, fetch.texts, fetch.states, strict=True):
            if state is _State.COUNTS:
                for path in fetch.keys(container):
                    counts = self.counts[path]
                    counts[1], counts[2] = counts[1] + 1, max(counts[2] - 1, 0)
                self._name(fetch, container)
                line, path = folded(text), fetch.tag_paths[container]
                key = line_key(path, line)
                self.lines.setdefault(key, CountingLine(key, path, printable(line[:LINE])))

    def _name(self, fetch: _Fetch, row: int) -> None:
        flat, tags = fetch.flat, fetch.tag_paths
        path, tag_path, parent, name = flat.path[row], tags[row], flat.parent[row], _name(flat, row)
        above = (flat.path[parent], tags[parent]) if parent >= 0 else (0, 0)
        self.names.setdefault(path, (above[0], path, 1, name))
        self.names.setdefault(tag_path, (above[1], path, 2 if flat.names[row] else 0, name))
        if flat.names[row]:
            self.names.setdefault(name_key(flat, row), (0, tag_path, 3, name.rpartition(" > ")[2]))

    def result(self, texts: frozenset[int]) -> FetchDifference:
        rows = sorted(self.counts.items(), key=lambda one: (-one[1][0] - one[1][1], -one[1][2], one[0]))
        differ = [(path, row) for path, row in rows if row[0] or row[1]]
        stood = [(path, row[2]) for path, row in rows if not row[0] and not row[1]]
        return FetchDifference(
            tuple(sorted(PathDifference(path, *self.names[path], *row) for path, row in differ[:PATHS])),
            dict(sorted(stood[:STOOD])),
            tuple(sorted(self.numbered.values())[:MANY]),
            tuple(sorted(self.lines.values())[:MANY]),
            texts,
        )


def difference(first: FlatDom, second: FlatDom) -> FetchDifference | None:
    """Return the difference of two fetches of a page; None if so much differs that the main text may have changed.

    The result is also None for pages with more than ROWS nodes. If both fetches have the same body, pass the same
    columns twice, which saves the comparison.
    """
    if max(len(first), len(second)) > ROWS:
        return None
    if first is second:
        return _no_difference(first)
    one, other = _Fetch(first), _Fetch(second)
    one.compare(other)
    other.compare(one)
    if min(one.standing, other.standing) < STANDS:
        return None
    made = _Comparison()
    made.add(one)
    made.add(other)
    out = (block for block, state in enumerate(one.states) if state is _State.DIFFERS)
    own = frozenset(text_key(first, one.blocks, block) for block in islice(out, TEXTS + 1))
    return made.result(own if one.standing >= MOSTLY and len(own) <= TEXTS else frozenset())


def _no_difference(flat: FlatDom) -> FetchDifference | None:
    """Return the empty difference of a page and its copy, without comparing texts."""
    blocks = text_blocks(flat)
    if not sum(blocks.chars):
        return None  # like two pages without any common text
    elements = _with_text(flat, blocks)
    path, example = flat.path, {flat.path[row]: row for row in elements}
    tags, stood = tag_path_keys(flat, example), Counter(map(path.__getitem__, elements))
    named = Counter(path[row] for row in elements if flat.names[row])
    for one, count in list(stood.items()):
        stood[tags[one]] += count
        if named[one]:
            stood[name_key(flat, example[one])] += named[one]
    rows = sorted(((path, 2 * count) for path, count in stood.items()), key=lambda one: (-one[1], one[0]))
    return FetchDifference((), dict(sorted(rows[:STOOD])))


def _with_text(flat: FlatDom, blocks: Blocks) -> set[int]:
    """Return the rows of the elements with text."""
    found: set[int] = set()
    for container in blocks.container:
        row = container
        while row >= 0 and row not in found:
            found.add(row)
            row = flat.parent[row]
    return found


def _numbered(flat: FlatDom, row: int, path: int) -> NumberedPlace:
    """Return the place of an element by its number among its siblings."""
    parent, number, siblings = flat.parent[row], 0, 0
    child = parent + 1
    while child < flat.end[parent]:
        if flat.tag[child] != TEXT:
            siblings += 1
            number += child <= row
        child = flat.end[child]
    return NumberedPlace(numbered_key(path, number), path, _name(flat, row), siblings)


def _name(flat: FlatDom, row: int) -> str:
    return printable(place(flat, row))[-LINE:]
