"""The preparation phase of FastContentExtractor on a sample of pages, as published: ContentExtractor run once.

Source: S3, "FastContentExtractor", sections II and III. It compares all blocks of all pages; a crawl, which sees pages
one after the other, uses `templates.blocks` instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sitecrawl.dom.atomic import (
    BLOCK_TAGS,
    SIMILARITY,
    AtomicBlocks,
    FeatureIndex,
    Features,
    TraversalPaths,
    atomic_blocks,
    pack,
)
from sitecrawl.dom.flat import FlatDom

NOISE_PAGES: Final = 2
NOISE_SHARE: Final = 0.2
"""A block on at least NOISE_PAGES pages, and on this share of them, is not content [OWN: S3 says "many"]."""


def noise_threshold(pages: int) -> float:
    """Return the number of pages from which a block repeated among `pages` pages is not content."""
    return max(float(NOISE_PAGES), NOISE_SHARE * pages)


@dataclass(frozen=True, slots=True, eq=False)
class BlockTemplate:
    """The stored data of FastContentExtractor for a site: the set P and the blocks NC."""

    content_paths: frozenset[str]
    """Traversal paths with content."""
    noise: FeatureIndex
    """Feature vectors of the blocks on these paths that are not content."""
    tags: frozenset[str] = BLOCK_TAGS
    """Tags that make an element a block."""


class BlockPages:
    """The atomic blocks of a sample, searchable for pages with a similar block."""

    def __init__(self, similarity: float = SIMILARITY) -> None:
        self.similarity = similarity
        self.pages = 0
        self._index = FeatureIndex()
        self._numbers: dict[bytes, int] = {}
        """Number in the index of each distinct packed vector."""
        self._held_by: list[set[int]] = []

    @property
    def vectors(self) -> int:
        """Number of distinct feature vectors, with which a block is compared."""
        return len(self._held_by)

    def add(self, flat: FlatDom, blocks: AtomicBlocks) -> None:
        """Add a page with its blocks."""
        for b in range(len(blocks)):
            vector = blocks.features(flat, b)
            number = self._numbers.setdefault(pack(vector), len(self._held_by))
            if number == len(self._held_by):
                self._index.add(vector)
                self._held_by.append(set())
            self._held_by[number].add(self.pages)
        self.pages += 1

    def holding(self, vector: Features) -> set[int]:
        """Return the numbers of the pages, from 0, with a block that has this vector or a similar one."""
        number = self._numbers.get(pack(vector))
        found = set() if number is None else set(self._held_by[number])
        return found.union(*(self._held_by[other] for other in self._index.similar(vector, self.similarity)))


def block_pages(
    pages: Sequence[FlatDom], blocks: Sequence[AtomicBlocks], similarity: float = SIMILARITY
) -> list[list[int]]:
    """Return for each atomic block of each page the number of pages with a similar one, its own included."""
    sample = BlockPages(similarity)
    for flat, parts in zip(pages, blocks, strict=True):
        sample.add(flat, parts)
    counts: dict[bytes, int] = {}
    found: list[list[int]] = []
    for flat, parts in zip(pages, blocks, strict=True):
        vectors = [parts.features(flat, b) for b in range(len(parts))]
        for vector in vectors:
            if (packed := pack(vector)) not in counts:
                counts[packed] = len(sample.holding(vector))
        found.append([counts[pack(vector)] for vector in vectors])
    return found


def prepare(
    pages: Sequence[FlatDom],
    theta: float | None = None,
    *,
    similarity: float = SIMILARITY,
    tags: frozenset[str] = BLOCK_TAGS,
) -> BlockTemplate:
    """Run ContentExtractor on sample pages (S3 takes 20 to 30) and return the data to store for the site.

    A block is content if fewer than `theta` pages have a similar one; None means `noise_threshold`.
    """
    least = noise_threshold(len(pages)) if theta is None else theta
    blocks = [atomic_blocks(flat, tags) for flat in pages]
    paths = TraversalPaths()
    content: set[str] = set()
    noise: dict[str, dict[bytes, Features]] = {}
    for flat, parts, counts in zip(pages, blocks, block_pages(pages, blocks, similarity), strict=True):
        for b, count in enumerate(counts):
            path = paths.of(flat, parts.node[b])
            if count < least:
                content.add(path)
            else:
                vector = parts.features(flat, b)
                noise.setdefault(path, {})[pack(vector)] = vector
    kept = {packed: vector for path in sorted(content) for packed, vector in noise.get(path, {}).items()}
    return BlockTemplate(frozenset(content), FeatureIndex(kept.values()), tags)
