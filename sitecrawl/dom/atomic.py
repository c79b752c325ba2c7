"""Atomic blocks of ContentExtractor and FastContentExtractor, their traversal paths and feature vectors.

Sources: S3, "FastContentExtractor", sections II and III; S. Debnath et al. 2005. A block is an element with one of a
few tags. Its atomic block is its content without the blocks inside it.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final
from zlib import crc32

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, chain
from sitecrawl.dom.path_values import PathValues
from sitecrawl.twins import twin

BLOCK_TAGS: Final = frozenset(("table", "tr", "hr", "ul", "p", "span", "div"))
"""The block tags of S3, section II."""
_HTML5: Final = (
    "address article aside blockquote dd details dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header li main"
    " nav ol pre section summary td th"
)
HTML5_BLOCK_TAGS: Final = BLOCK_TAGS.union(_HTML5.split())
"""The block tags of S3, and further ones of current pages [OWN]."""
SIMILARITY: Final = 0.9
"""Two blocks are similar if the cosine of their feature vectors is greater (S3, section II)."""
MAX_FEATURES: Final = 256
"""Maximum features kept of one block, the most frequent ones [OWN]: a stored row has at most 2 KiB."""

_ROUNDING: Final = 1e-9
_LAST_DIGITS: Final = 1e-14
"""Relative rounding error of a product of two lengths: a cosine equal to the similarity must not count as greater."""

LINKS: Final = 1
IMAGES: Final = 2
"""Features that count elements; every other feature is the crc32 of a term."""

Features = Mapping[int, int]
"""Counts by feature."""


@dataclass(frozen=True, slots=True, eq=False)
class AtomicBlocks:
    """The non-empty atomic blocks of a page as columns, in document order of their elements."""

    node: list[int]
    """Row of the block's element."""
    texts: list[list[int]]
    """Rows of the block's own texts."""
    links: list[int]
    """Number of own links (`a` and `area` with an address)."""
    images: list[int]
    """Number of own images."""
    keys: list[int]
    """63-bit fingerprints: blocks with equal texts and counts have equal keys and features."""

    def __len__(self) -> int:
        return len(self.node)

    def innermost_first(self, flat: FlatDom) -> list[int]:
        """Return block numbers in the order of ContentExtractor: inner blocks before their container."""
        return sorted(range(len(self)), key=lambda b: (flat.end[self.node[b]], -self.node[b]))

    def features(self, flat: FlatDom, number: int) -> Features:
        """Return the feature vector of a block."""
        return features(flat, self.texts[number], self.links[number], self.images[number])


@twin("sitecrawl.dom._flat")
def atomic_blocks(flat: FlatDom, tags: frozenset[str] = BLOCK_TAGS) -> AtomicBlocks:
    """Return the atomic blocks of a page in one pass, without those that have neither text, link nor image."""
    tag, parent = flat.tag, flat.parent
    owner = [-1] * len(tag)
    nodes: list[int] = []
    texts: list[list[int]] = []
    images: list[int] = []
    for i, name in enumerate(tag):
        if name in tags:
            owner[i] = len(nodes)
            nodes.append(i)
            texts.append([])
            images.append(0)
            continue
        own = owner[i] = owner[parent[i]] if i else -1
        if own >= 0:
            if name == TEXT:
                texts[own].append(i)
            elif name == "img":
                images[own] += 1
    links = [0] * len(nodes)
    for node, _, _ in flat.anchors:
        if owner[node] >= 0:
            links[owner[node]] += 1
    full = [b for b in range(len(nodes)) if texts[b] or links[b] or images[b]]
    return AtomicBlocks(
        [nodes[b] for b in full],
        [texts[b] for b in full],
        [links[b] for b in full],
        [images[b] for b in full],
        [_key(flat.label, texts[b], links[b], images[b]) for b in full],
    )


def _key(label: list[int], texts: list[int], links: int, images: int) -> int:
    key = links << 20 ^ images
    for i in texts:
        key = chain(key, label[i])
    return chain(key, len(texts))


class TraversalPaths(PathValues[str]):
    """Traversal paths: the tags from the root, `HTML.BODY.DIV.P` (S3, section III).

    `tbody` is left out: browsers insert it where the page has none, and lxml does not.
    """

    ROOT = ""

    def below(self, above: str, tag: str) -> str:
        """Return the path of an element from the path of its parent and its own tag."""
        if tag == "tbody":
            return above
        return f"{above}.{tag.upper()}" if above else tag.upper()


class PathKeys(PathValues[int]):
    """Fingerprints (`path_key`) of traversal paths."""

    ROOT = 0

    def below(self, above: int, tag: str) -> int:
        """Return the fingerprint of an element's path from that of its parent and its own tag."""
        return above if tag == "tbody" else path_key(tag.upper(), above)


def path_key(path: str, above: int = 0) -> int:
    """Return the 63-bit fingerprint of a traversal path that continues the path with the fingerprint `above`."""
    key = above
    for tag in path.split("."):
        key = chain(key, crc32(tag.encode("utf-8", "surrogatepass")))
    return key


def features(flat: FlatDom, texts: Iterable[int], links: int, images: int) -> Features:
    """Return the counts of terms, links and images. Terms are counted per text node, in lower case.

    S3 counts scripts as well, which are not nodes here.
    """
    terms = [term for i in texts for term in flat.text[i].lower().split()]
    counts = Counter(crc32(term.encode("utf-8", "surrogatepass")) for term in terms)
    if links:
        counts[LINKS] += links
    if images:
        counts[IMAGES] += images
    if len(counts) <= MAX_FEATURES:
        return counts
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_FEATURES])


def norm(vector: Features) -> float:
    """Return the Euclidean length of a feature vector."""
    return sqrt(sum(count * count for count in vector.values()))


def cosine(one: Features, other: Features) -> float:
    """Return the cosine of two feature vectors, 0..1; 0 if either is empty."""
    dot = sum(count * other.get(feature, 0) for feature, count in one.items())
    return dot / (norm(one) * norm(other)) if dot else 0.0


def pack(vector: Features) -> bytes:
    """Return a feature vector as bytes: features in rising order, then their counts, 4 bytes each, little endian."""
    order = sorted(vector)
    return b"".join(
        value.to_bytes(4, "little") for value in (*order, *(min(vector[feature], 0xFFFFFFFF) for feature in order))
    )


def unpack(packed: bytes) -> Features:
    """Return the feature vector packed by `pack`. Raises ValueError for other bytes."""
    if len(packed) % 8:
        raise ValueError(f"{len(packed)} bytes are not a feature vector")
    values = [int.from_bytes(packed[i : i + 4], "little") for i in range(0, len(packed), 4)]
    half = len(values) // 2
    return dict(zip(values[:half], values[half:], strict=True))


class FeatureIndex:
    """An index of feature vectors that finds similar ones without comparing each.

    Features are looked up from the rarest on. Once the length of the remaining features is below the similarity, a
    vector that shares only remaining features cannot be similar, so no further candidates are added.
    """

    def __init__(self, vectors: Iterable[Features] = ()) -> None:
        self._vectors: list[Features] = []
        self._norms = array("d")
        self._found: dict[int, list[int]] = {}
        for vector in vectors:
            self.add(vector)

    def __len__(self) -> int:
        return len(self._norms)

    def add(self, vector: Features) -> int:
        """Add a vector; return its number."""
        number = len(self._norms)
        self._vectors.append(vector)
        self._norms.append(norm(vector))
        for feature in vector:
            self._found.setdefault(feature, []).append(number)
        return number

    def similar(self, vector: Features, similarity: float = SIMILARITY) -> list[int]:
        """Return the numbers of the vectors whose cosine with this one is greater than `similarity`."""
        vectors, norms = self._vectors, self._norms
        left = sum(count * count for count in vector.values())
        least = similarity * sqrt(left)
        dots: dict[int, int] = {}
        for feature in sorted(vector, key=lambda feature: len(self._found.get(feature, ()))):
            count = vector[feature]
            missing = least - sqrt(left) * (1 + _ROUNDING)
            if missing < 0:
                for number in self._found.get(feature, ()):
                    dots[number] = dots.get(number, 0) + count * vectors[number][feature]
            else:
                dots = {
                    number: dot + count * vectors[number].get(feature, 0)
                    for number, dot in dots.items()
                    if dot >= missing * norms[number]
                }
            left -= count * count
        least *= 1 + _LAST_DIGITS
        return sorted(number for number, dot in dots.items() if dot > least * norms[number])
