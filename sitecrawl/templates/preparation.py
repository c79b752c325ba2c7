"""The preparation phase of FastContentExtractor on a sample of pages, as published: ContentExtractor run once.

Source: S3, "FastContentExtractor", sections II and III (ALGORITHMS 7, 8). It compares all blocks of all pages; a crawl,
which sees pages one after the other, uses `templates.blocks` instead.
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
"""A block on at least so many pages, and so large a share of them, is not content [OWN: S3 says "many"]."""


def noise_threshold(pages: int) -> float:
    """Return the number of pages from which a block repeated among `pages` pages is not content."""
    return max(float(NOISE_PAGES), NOISE_SHARE * pages)


@dataclass(frozen=True, slots=True, eq=False)
class BlockTemplate:
    """What FastContentExtractor stores of a site: the set P and the blocks NC."""

    content_paths: frozenset[str]
    """Traversal paths on which content stands."""
    noise: FeatureIndex
    """Feature vectors of the blocks on these paths that are not content."""
    tags: frozenset[str] = BLOCK_TAGS
    """Tags that make an element a block."""


def block_pages(
    pages: Sequence[FlatDom], blocks: Sequence[AtomicBlocks], similarity: float = SIMILARITY
) -> list[list[int]]:
    """Return for each atomic block of each page the number of pages that hold a similar one, its own included."""
    index = FeatureIndex()
    vectors: list[Features] = []
    numbers: dict[bytes, int] = {}
    held_by: list[set[int]] = []
    found: list[list[int]] = []
    for page, (flat, parts) in enumerate(zip(pages, blocks, strict=True)):
        found.append([])
        for b in range(len(parts)):
            vector = parts.features(flat, b)
            number = numbers.setdefault(pack(vector), len(vectors))
            if number == len(vectors):
                index.add(vector)
                vectors.append(vector)
                held_by.append(set())
            held_by[number].add(page)
            found[-1].append(number)
    counts = [
        len(held_by[number].union(*(held_by[other] for other in index.similar(vector, similarity))))
        for number, vector in enumerate(vectors)
    ]
    return [[counts[number] for number in row] for row in found]


def prepare(
    pages: Sequence[FlatDom],
    theta: float | None = None,
    *,
    similarity: float = SIMILARITY,
    tags: frozenset[str] = BLOCK_TAGS,
) -> BlockTemplate:
    """Run ContentExtractor on sample pages (S3 takes 20 to 30) and return what to store of the site.

    A block is content when fewer than `theta` pages hold a similar one; None is `noise_threshold`.
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
