"""Finds selectors for the elements of a page, and the elements that such a selector selects, on flat columns.

A selector is one compound such as `div.post`, or two with a combinator between them. They have the meaning of CSS:
`a.b` selects every `a` with that class, whatever other classes it has. [OWN]
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, element_rows, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page

MOST_CLASSES: Final = 8
"""Maximum classes of an element that are read, in alphabetical order."""
FARTHEST: Final = 3
"""Maximum number n of a positional pseudo-class, such as `:nth-of-type(n)`."""
NAMES_ABOVE: Final = 3
"""Maximum selectors of another element, the most specific ones, that are combined with a position or a sibling."""
ANCESTORS: Final = 2
"""Maximum ancestors with a class or id, above the parent, with which a selector may begin."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TOKEN: Final = re.compile(r"[^ \t\n\r\f]+")
TELLING: Final = frozenset(
    ("main", "article", "nav", "aside", "footer", "header", "form", "button", "select", "menu", "h1", "table")
)
"""Tags that identify their content without a class or id."""
WHOLE: Final = 5
"""Cost of a selector of the whole page, in parts of a selector."""
CHILD: Final = " > "
INSIDE: Final = " "
NEXT: Final = " + "
UNPARSED: Final = (("table", "tr"),)
"""Pairs of parent and child that occur only in source files: HTML 5 parsers insert a `tbody` between them."""


class Compound(NamedTuple):
    """A compound selector: the tag, id, classes and position of one element."""

    tag: str
    own: str = ""
    """The id of the element."""
    classes: tuple[str, ...] = ()
    place: str = ""
    """A pseudo-class for the position among the siblings with the same tag; empty for none."""

    @property
    def named(self) -> bool:
        """Whether it has an id or a class."""
        return bool(self.own or self.classes)

    def __str__(self) -> str:
        own = f"#{self.own}" if self.own else ""
        return self.tag + own + "".join(f".{one}" for one in self.classes) + self.place


class Selector(NamedTuple):
    """One compound, or two with a combinator."""

    last: Compound
    link: str = ""
    other: Compound | None = None

    @property
    def parts(self) -> tuple[Compound, ...]:
        """Its compounds."""
        return (self.last,) if self.other is None else (self.other, self.last)

    @property
    def named(self) -> bool:
        """Whether one of its compounds has an id or a class."""
        return any(part.named for part in self.parts)

    @property
    def cost(self) -> int:
        """The number of its parts beyond a single name, a measure of how hard it is to read; `WHOLE` for `body`."""
        if self == Selector(Compound("body")):
            return WHOLE
        parts = self.parts
        classes = sum(max(0, len(one.classes) + bool(one.own) - 1) for one in parts)
        places = sum(bool(one.place) for one in parts)
        return len(parts) - 1 + (self.link == NEXT) + classes + places + (len(parts) > 1 and not self.last.named)

    def __str__(self) -> str:
        return f"{self.other}{self.link}{self.last}" if self.other is not None else str(self.last)


class NamedRows:
    """The elements of a page with their selectors."""

    def __init__(self, page: Page) -> None:
        flat = self.flat = page.flat
        self._names: list[tuple[Compound, ...]] = [()] * len(flat)
        self._own = [""] * len(flat)
        self._classes: list[frozenset[str]] = [frozenset()] * len(flat)
        self._places: list[tuple[str, ...]] = [()] * len(flat)
        self._before = [-1] * len(flat)
        self._by_tag: dict[str, list[int]] = {}
        self._found: dict[Compound, list[int]] = {}
        self._read(page.root)

    def _read(self, root: _Element) -> None:
        rows = [row for row, tag in enumerate(self.flat.tag) if tag != TEXT]
        number: dict[_Element, int] = {}
        for row, element in zip(rows, elements(root), strict=True):
            number[element] = row
            tag, tokens = self.flat.tag[row], frozenset(_TOKEN.findall(element.get("class") or ""))
            self._own[row], self._classes[row] = element.get("id") or "", tokens
            self._names[row] = _names(tag, self._own[row], tokens)
            self._by_tag.setdefault(tag, []).append(row)
            before = next((one for one in element.itersiblings(preceding=True) if isinstance(one.tag, str)), None)
            self._before[row] = number.get(before, -1) if before is not None else -1
        for row in rows:
            self._count(row)

    def _count(self, above: int) -> None:
        """Record the positions of the children of an element among siblings with the same tag."""
        alike: dict[str, list[int]] = {}
        for row in element_rows(self.flat, above):
            alike.setdefault(self.flat.tag[row], []).append(row)
        for same in alike.values():
            for number, row in enumerate(same, 1):
                self._places[row] = tuple(_places(number, len(same) - number + 1))

    def names(self, row: int) -> tuple[Compound, ...]:
        """Return the compounds of a row: its id and classes, the most specific first, then its tag; () for a text."""
        return self._names[row]

    def selectors(self, row: int) -> Iterator[Selector]:
        """Yield selectors of a row: by its own names, by those of ancestors and the sibling before it, by position."""
        names, above = self._names[row], self.flat.parent[row]
        parents = self._names[above] if above > 0 else ()
        for name in names:
            yield Selector(name)
            yield from (Selector(name, CHILD, other) for other in parents if (other.tag, name.tag) not in UNPARSED)
        for ancestor in islice(self._named_above(above), ANCESTORS):
            for other in self._names[ancestor][:NAMES_ABOVE]:
                if other.named:
                    yield from (Selector(name, INSIDE, other) for name in names if name.named or name.tag in TELLING)
        if names and self._before[row] > 0:
            for other in self._names[self._before[row]][:NAMES_ABOVE]:
                yield from (Selector(name, NEXT, other) for name in {names[0], names[-1]})
        for place in self._places[row] if names else ():
            name = names[-1]._replace(place=place)
            near = parents[: NAMES_ABOVE - 1] + parents[-1:]
            yield from (Selector(name, CHILD, one) for one in near if (one.tag, name.tag) not in UNPARSED)

    def _named_above(self, row: int) -> Iterator[int]:
        while row > 0:
            row = self.flat.parent[row]
            if row > 0 and self._names[row] and self._names[row][0].named:
                yield row

    def parent(self, row: int) -> int:
        """Return the row of the parent, -1 for the root."""
        return self.flat.parent[row]

    def children(self, row: int) -> Iterator[int]:
        """Yield the rows of the child elements."""
        return element_rows(self.flat, row)

    def matches(self, selector: Selector) -> list[int]:
        """Return the rows that a selector selects, in document order."""
        found = self._rows(selector.last)
        if selector.other is None or not found:
            return found
        others = self._rows(selector.other)
        if selector.link == CHILD:
            beside, near = set(others), self.flat.parent
        elif selector.link == NEXT:
            beside, near = set(others), self._before
        else:
            return _inside(found, others, self.flat)
        return [row for row in found if near[row] in beside]

    def _rows(self, compound: Compound) -> list[int]:
        found = self._found.get(compound)
        if found is None:
            own, classes, place = compound.own, frozenset(compound.classes), compound.place
            found = self._found[compound] = [
                row
                for row in self._by_tag.get(compound.tag, ())
                if (not own or self._own[row] == own)
                and classes <= self._classes[row]
                and (not place or place in self._places[row])
            ]
        return found


def _names(tag: str, own: str, tokens: frozenset[str]) -> tuple[Compound, ...]:
    """Return the compounds of an element by id and classes, and last by tag; () if its tag is not valid in CSS."""
    if not _NAME.fullmatch(tag):
        return ()
    found = [Compound(tag, own)] if _NAME.fullmatch(own) else []
    classes = sorted(filter(_NAME.fullmatch, tokens))[:MOST_CLASSES]
    found += [Compound(tag, "", (one,)) for one in classes]
    if len(classes) > 1:
        found.append(Compound(tag, "", tuple(classes)))
    return (*found, Compound(tag))


def _places(number: int, from_end: int) -> Iterator[str]:
    """Yield the positional pseudo-classes of an element, counted from both ends."""
    if number <= FARTHEST:
        yield ":first-of-type" if number == 1 else f":nth-of-type({number})"
    if from_end <= FARTHEST:
        yield ":last-of-type" if from_end == 1 else f":nth-last-of-type({from_end})"


def _inside(rows: Sequence[int], others: Sequence[int], flat: FlatDom) -> list[int]:
    """Return those rows that are below one of the others."""
    tops = outermost(others, flat.end)
    found, number = [], 0
    for row in rows:
        while number < len(tops) and flat.end[tops[number]] <= row:
            number += 1
        if number < len(tops) and tops[number] < row:
            found.append(row)
    return found


def outermost(rows: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Return those rows that are inside no other row of the list, which is in document order."""
    found, end = [], 0
    for row in rows:
        if row >= end:
            found.append(row)
            end = ends[row]
    return found
