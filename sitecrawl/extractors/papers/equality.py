"""Defines equality of nodes, and counts the nodes of a key page on other pages (equal top-down mapping).

Source: "Main content extraction from heterogeneous webpages" (Alarte, Insa, Silva, Tamarit, 2018), Algorithm 1. The
equality of nodes is a parameter there. By section 3.2 the authors' own equality uses the number of children, the
relative position, and HTML attributes.

Two nodes are mapped if they and all their ancestors are equal. So a node is mapped if its path key is among those of
the other page. A path key is a hash of the compared properties of all nodes on the path. For a mapping one to one, the
node's number among its equal siblings is added: the k-th of them is mapped to the k-th.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self
from zlib import crc32

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import ELEMENT_LABELS, TEXT, chain
from sitecrawl.errors import ConfigError
from sitecrawl.templates.siblings import SiblingMapping

LABELS: Final = "labels"
TAG: Final = "tag"
SIBLINGS: Final = "siblings"
HINTS: Final = ("attributes", "children", "position")
EQUALITIES: Final = (
    f"labels or tag, with any of {', '.join(HINTS)} (tag+children+position), or siblings or siblings+texts"
)

WHOLE: Final = frozenset(("html", "body"))
"""Elements that are equal by their tag alone, as in the authors' public code: their attributes differ on each page."""


@dataclass(frozen=True, slots=True)
class Equality:
    """The rule for the equality of two nodes with equal parents."""

    base: str = LABELS
    """`labels`: tag and folded classes (`dom.labels`); `tag`; `siblings`: similar by the authors' public code
    (`templates.siblings`), which maps one to one."""
    attributes: bool = False
    """Whether class, id and href are compared as written; the columns have no other attributes."""
    children: bool = False
    """Whether the number of child nodes is compared."""
    position: bool = False
    """Whether the number of earlier siblings is compared, also for texts."""
    texts: bool = True
    """Whether the words of texts are compared; if off, their position, as in the public code."""
    one_to_one: bool = False
    """Whether a node of the other page is mapped at most once."""

    @classmethod
    def read(cls, name: str, *, one_to_one: bool = False) -> Self:
        """Return the equality of a name such as `tag+children`. Raises ConfigError for an unknown one."""
        base, *hints = name.split("+")
        allowed = {LABELS: HINTS, TAG: HINTS, SIBLINGS: ("texts",)}.get(base)
        if allowed is None or not set(hints) <= set(allowed):
            raise ConfigError(f"equality is {name!r}; give {EQUALITIES}")
        attributes, children, position = (hint in hints for hint in HINTS)
        return cls(base, attributes, children, position, base != SIBLINGS or "texts" in hints, one_to_one)

    def path_keys(self, flat: FlatDom) -> Sequence[int]:
        """Return the path key of each node: equal keys mean equal nodes with equal ancestors."""
        if self == PLAIN:
            return flat.path
        own = self._elements(flat)
        if self.position:
            own = _numbered(flat, own, [0] * len(flat))
        elif self.one_to_one:
            own = _numbered(flat, own, own)
        keys = [own[0]]
        for node in range(1, len(flat)):
            keys.append(chain(keys[flat.parent[node]], own[node]))
        return keys

    def _elements(self, flat: FlatDom) -> list[int]:
        """Return for each node the hash of its compared properties, without its path."""
        own = list(flat.label)
        children = _child_numbers(flat) if self.children else own
        links = {node: href for node, href, _ in flat.anchors} if self.attributes else {}
        for node, tag in enumerate(flat.tag):
            if tag == TEXT:
                continue
            if self.base == TAG or tag in WHOLE:
                own[node] = ELEMENT_LABELS[tag, ""]
            if tag in WHOLE:
                continue
            if self.attributes:
                given = f"{flat.names[node]}\0{links.get(node, '')}"
                own[node] = chain(own[node], crc32(given.encode("utf-8", "surrogatepass")))
            if self.children:
                own[node] = chain(own[node], children[node])
        return own


PLAIN: Final = Equality()
"""Equal path keys, as the stored template counts them."""


class Occurrences(NamedTuple):
    """The occurrences of the nodes of a key page on other pages."""

    counts: list[int]
    """For each node of the key page the number of pages that have it."""
    greedy: int
    """Number of child lists that `siblings` mapped in order, because they were too long to compare all pairs."""


def occurrences(key_page: FlatDom, pages: Sequence[FlatDom], equality: Equality = PLAIN) -> Occurrences:
    """Return the occurrences of the nodes of a key page on some pages (Web-ConEx, Algorithm 1).

    A node occurs once on a page, however many equal nodes the page has.
    """
    if equality.base == SIBLINGS:
        return _by_siblings(key_page, pages, texts=equality.texts)
    held = [frozenset(equality.path_keys(other)) for other in pages]
    return Occurrences([sum(key in keys for keys in held) for key in equality.path_keys(key_page)], 0)


def _by_siblings(key_page: FlatDom, pages: Sequence[FlatDom], *, texts: bool) -> Occurrences:
    counts, greedy = [0] * len(key_page), 0
    for other in pages:
        mapping = SiblingMapping(key_page, other)
        for node, mapped in enumerate(mapping.mapped_with_texts() if texts else mapping.mapped()):
            counts[node] += mapped
        greedy += mapping.greedy
    return Occurrences(counts, greedy)


def _child_numbers(flat: FlatDom) -> list[int]:
    numbers = [0] * len(flat)
    for node in range(1, len(flat)):
        numbers[flat.parent[node]] += 1
    return numbers


def _numbered(flat: FlatDom, own: list[int], alike: Sequence[int]) -> list[int]:
    """Return the values of `own`, each hashed with the number of earlier siblings with the same value in `alike`."""
    seen: dict[tuple[int, int], int] = {}
    numbered = []
    for node, value in enumerate(own):
        place = flat.parent[node], alike[node]
        number = seen.get(place, 0)
        seen[place] = number + 1
        numbered.append(value if flat.tag[node] in WHOLE else chain(value, number))
    return numbered
