"""Volatile places of a layout: they differ between two fetches of a page while its main text stays the same.

Rotating advertisements and teasers, view counters and the like have another text at each request. They are neither
content nor a change of the page. A single fetch does not show which texts these are, and between two visits an edit
looks the same. So a few pages of each layout are fetched twice within one crawl. A place that differs on several of
these pages is volatile:

- an element whose text differs entirely is left out, if nearly all elements on its path, or all with its names, differ
  entirely;
- if its path is shared with unchanged texts, it is left out by its number among its siblings, if it differs on every
  page;
- a line that differs only in numbers stays in the text, and these numbers do not count in digests.

Pure: no SQL, no clock, and the same differences in any order give the same result. [OWN]
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.places import place
from sitecrawl.dom.text import printable
from sitecrawl.templates.fetch_difference import (
    LINE,
    NAMES,
    CountingLine,
    FetchDifference,
    PathDifference,
    line_key,
    name_key,
    numbered_key,
    text_key,
)
from sitecrawl.templates.folded_numbers import LETTER, folded
from sitecrawl.templates.tag_paths import tag_paths

TWICE: Final = 2
"""Number of pages on which a place must differ."""
SIBLINGS: Final = 3
"""The same number for a place that is identified only by its number among its siblings."""
ANYWHERE: Final = 4
"""Number of pages on which elements with the same names, or lines, must differ to be volatile in other places too,
unless they do so in two places."""
DIFFERS: Final = 0.75
"""Share of the elements on a path that must differ on a page: one of several rotating teasers may appear twice."""
TAGS: Final = 2
"""`PathDifference.sort` of tag paths; that of names is `NAMES`."""
MIXED: Final = 0.25
"""Maximum ratio of the pages where some elements on a path differ, but fewer than DIFFERS, to those where DIFFERS do;
above it, other texts share the path."""


class VolatilePlace(NamedTuple):
    """A place that is volatile for a layout."""

    key: int
    place: str
    differs: int
    """Number of pages on which it differs between two fetches."""
    pages: int
    """Number of pages fetched twice that have it."""
    siblings: int = 0
    """Smallest number of siblings with which it was seen; 0 for a place that is not identified by its number."""

    def line(self) -> str:
        """Return the evidence in words."""
        return f"differs between two fetches on {self.differs} of {self.pages} pages"


Places = Mapping[int, VolatilePlace]


@dataclass(frozen=True, slots=True)
class VolatileBlocks:
    """The volatile places of a layout, by their keys. False in a boolean context if there are none."""

    paths: Places = field(default_factory=dict, hash=False)
    """Elements that are left out, by path key, tag path or names."""
    numbered: Places = field(default_factory=dict, hash=False)
    """Elements that are left out, by tag path and number among their siblings."""
    numbers: Places = field(default_factory=dict, hash=False)
    """Elements with blocks whose numbers do not count, by path key, tag path or names."""
    lines: Places = field(default_factory=dict, hash=False)
    """Blocks whose numbers do not count, by tag path and folded text, or by text alone."""
    texts: frozenset[int] = frozenset()
    """For a single page: keys of its blocks that its own second fetch did not have (`text_key`)."""
    refused: bool = False
    """Whether places were found and are not left out, since they hold most of the main content."""

    def __bool__(self) -> bool:
        return bool(self.paths or self.numbered or self.numbers or self.lines or self.texts or self.refused)

    def with_texts(self, texts: frozenset[int]) -> "VolatileBlocks":
        """Return a copy for one page, with the keys of its blocks that its second fetch did not have."""
        return replace(self, texts=texts) if texts and not self.refused else self

    def leaving_nothing_out(self) -> "VolatileBlocks":
        """Return a copy that leaves no element out of the main content; numbers still do not count."""
        return VolatileBlocks(numbers=self.numbers, lines=self.lines, refused=True)

    def rows(self) -> list[VolatilePlace]:
        """Return all places, first those of elements that are left out."""
        sorts = (self.paths, self.numbered, self.numbers, self.lines)
        return [one for sort in sorts for one in sorted(sort.values(), key=lambda one: (one.place, one.key))]

    def reasons(self, flat: FlatDom, blocks: Blocks) -> list[VolatilePlace | None]:
        """Return for each block of a page the volatile place for which it is left out; None for blocks that stay."""
        if not (self.paths or self.numbered or self.texts):
            return [None] * len(blocks)
        found = self._rows(flat)
        reasons = [found[container] for container in blocks.container]
        if self.texts:
            for block, container in enumerate(blocks.container):
                if reasons[block] is None and text_key(flat, blocks, block) in self.texts:
                    reasons[block] = VolatilePlace(0, place(flat, container), 1, 1)
        return reasons

    def _rows(self, flat: FlatDom) -> list[VolatilePlace | None]:
        """Return the volatile place of each row: its own, or that of an ancestor."""
        found: list[VolatilePlace | None] = []
        tags = tag_paths(flat)
        numbers, siblings = _numbers(flat) if self.numbered else ([], {})
        for row, (tag, path, parent) in enumerate(zip(flat.tag, flat.path, flat.parent, strict=True)):
            above = found[parent] if parent >= 0 else None
            own = None
            if above is None and tag != TEXT:
                own = self.paths.get(path) or self.paths.get(tags[row]) or self.paths.get(name_key(flat, row))
            if numbers and above is None and own is None:
                numbered = self.numbered.get(numbered_key(tags[row], numbers[row]))
                own = numbered if numbered is not None and siblings[parent] >= numbered.siblings else None
            found.append(above or own)
        return found

    def counting(self, flat: FlatDom, blocks: Blocks) -> frozenset[str]:
        """Return the folded texts of the blocks of a page whose numbers do not count."""
        if not (self.numbers or self.lines):
            return frozenset()
        found, tags = set(), tag_paths(flat)
        for block, container in enumerate(blocks.container):
            path, text = tags[container], folded(block_text(flat, blocks, block))
            known = {path, flat.path[container], name_key(flat, container)} & self.numbers.keys()
            if (known or line_key(path, text) in self.lines or line_key(0, text) in self.lines) and LETTER.search(text):
                found.add(printable(text))
        return frozenset(found)


def volatile(differences: Sequence[FetchDifference]) -> VolatileBlocks:
    """Return the volatile places of a layout; `differences` has one entry for each page that was fetched twice."""
    found: dict[int, _Candidate] = {}
    for row in differences:
        for named in row.paths:
            if named.sort:
                found.setdefault(named.path, _Candidate(named.path, named.sort)).add(named)
    lines = _lines(differences)
    every = {path: one for path, held in found.items() if (one := _left_out(held, differences)) is not None}
    out = {path: one for path, one in _broadest(every, found).items() if found[path].parents.isdisjoint(every)}
    others = {path: one for path, one in found.items() if path not in out}
    counting = {path: one for path, held in others.items() if (one := _counts(held, differences, lines)) is not None}
    numbers = _broadest(counting, found)
    return VolatileBlocks(out, _numbered(differences, frozenset(out)), numbers, lines)


class _Candidate:
    """A key with a difference, and its counts over all pages."""

    def __init__(self, path: int, sort: int) -> None:
        self.path, self.sort = path, sort
        self.name = ""
        self.parents: set[int] = set()
        self.within: set[int] = set()

    def add(self, difference: PathDifference) -> None:
        self.name = min(self.name or difference.place, difference.place)
        self.parents.add(difference.parent)
        self.within.add(difference.within)

    def generalises(self, differs: int, pages: int) -> bool:
        """Return whether its key may be used: names only if they differ in two places, or on all of ANYWHERE pages."""
        return self.sort < NAMES or len(self.within) >= TWICE or differs == pages >= ANYWHERE


def _broadest(places: Places, found: Mapping[int, _Candidate]) -> dict[int, VolatilePlace]:
    """Return volatile places without those that a place with a broader key implies.

    Of an equivalent path key and tag path, the path key is kept.
    """
    held = dict(places)
    for path in [path for path in held if found[path].sort == TAGS and found[path].within <= held.keys()]:
        del held[path]
    named = [found[path].within for path in held if found[path].sort == NAMES]
    tags = {path for paths in named for path in paths}
    implied = tags | {path for tag_path in tags if tag_path in found for path in found[tag_path].within}
    return {path: one for path, one in held.items() if path not in implied}


def _lines(differences: Sequence[FetchDifference]) -> dict[int, VolatilePlace]:
    """Return the folded texts whose numbers do not count: on one tag path, or with enough evidence anywhere."""
    lines = _repeated(differences, lambda row: [(one.key, one.text, one.path) for one in row.lines], TWICE)
    paths: dict[str, set[int]] = {}
    for row in differences:
        for one in row.lines:
            paths.setdefault(one.text, set()).add(one.path)
    for text, known in paths.items():
        pages = sum(any(one.text == text for one in row.lines) for row in differences)
        if (len(known) >= TWICE or pages >= ANYWHERE) and len(text) < LINE:  # longer texts were cut
            for path in known:
                lines.pop(line_key(path, text), None)
            lines[line_key(0, text)] = VolatilePlace(line_key(0, text), text, pages, pages)
    return lines


def _numbered(differences: Sequence[FetchDifference], out: frozenset[int]) -> dict[int, VolatilePlace]:
    """Return the elements to leave out by their number among their siblings; `out` are keys left out already."""
    found = _repeated(differences, lambda row: [(one.key, one.place, one.path) for one in row.numbered], SIBLINGS)
    siblings: dict[int, int] = {}
    covered = set()
    for row in differences:
        places = {one.place for one in row.paths if one.path in out}
        for one in row.numbered:
            siblings[one.key] = min(siblings.get(one.key, one.siblings), one.siblings)
            if one.place in places or one.place.rpartition(" > ")[2] in places:
                covered.add(one.key)
    return {
        key: one._replace(siblings=siblings[key])
        for key, one in found.items()
        if key not in covered and one.differs == one.pages
    }


def _left_out(candidate: _Candidate, differences: Sequence[FetchDifference]) -> VolatilePlace | None:
    """Return the volatile place if the elements with a key must be left out; None if they stay."""
    rows = [found for row in differences if (found := row.at(candidate.path)) is not None]
    shares = [one.differs / max(one.differs + one.counts + one.stands, 1) for one in rows]
    differs = sum(share >= DIFFERS for share in shares)
    mixed = sum(0 < share < DIFFERS for share in shares)
    if differs < TWICE or mixed > MIXED * differs or 2 * differs < len(shares):
        return None
    if not candidate.generalises(differs, len(shares)):
        return None
    return VolatilePlace(candidate.path, candidate.name, differs, len(shares))


def _counts(candidate: _Candidate, differences: Sequence[FetchDifference], lines: Places) -> VolatilePlace | None:
    """Return the volatile place if numbers in elements with a key do not count; None if they do, or `lines` suffice."""
    rows = [(row, found) for row in differences if (found := row.at(candidate.path)) is not None]
    counting = [(row, one) for row, one in rows if one.counts]
    uncovered = sum(any(_uncovered(line, candidate, row, lines) for line in row.lines) for row, _ in counting)
    mixed = sum(one.differs + one.counts < DIFFERS * (one.differs + one.counts + one.stands) for _, one in counting)
    generalises = candidate.generalises(len(counting), len(rows))
    if not generalises or uncovered < TWICE or mixed > MIXED * len(counting):
        return None
    return VolatilePlace(candidate.path, candidate.name, len(counting), len(rows))


def _uncovered(line: CountingLine, candidate: _Candidate, row: FetchDifference, lines: Places) -> bool:
    """Return whether a line is in an element with the candidate's key and is not in `lines`."""
    if line.key in lines or line_key(0, line.text) in lines:
        return False
    if line.path == candidate.path or line.path in candidate.within:
        return True
    return any(one.path == line.path and one.within == candidate.path for one in row.paths)


def _repeated(
    differences: Sequence[FetchDifference],
    places: Callable[[FetchDifference], Iterable[tuple[int, str, int]]],
    least: int,
) -> dict[int, VolatilePlace]:
    """Return the places, yielded as (key, name, path), that are on `least` or more pages."""
    held: dict[int, list[tuple[str, int]]] = {}
    for row in differences:
        for key, name, path in places(row):
            held.setdefault(key, []).append((name, path))
    found = {}
    for key, named in held.items():
        name, path = min(named)
        if len(named) >= least:
            pages = sum(row.at(path) is not None for row in differences)
            found[key] = VolatilePlace(key, name, len(named), pages)
    return found


def _numbers(flat: FlatDom) -> tuple[list[int], dict[int, int]]:
    """Return the number of each element among its siblings, 0 for texts, and the element children by row."""
    numbers: list[int] = []
    children: dict[int, int] = {}
    for tag, parent in zip(flat.tag, flat.parent, strict=True):
        if tag != TEXT:
            children[parent] = children.get(parent, 0) + 1
        numbers.append(children[parent] if tag != TEXT else 0)
    return numbers, children
