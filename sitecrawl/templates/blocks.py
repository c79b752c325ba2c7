"""Counts the atomic blocks of a site page by page, for FastContentExtractor during a crawl.

The published method compares every block with every other one and needs all pages at once (`templates.preparation`).
Here blocks with equal texts count as similar, and the blocks of a page are classified when the page leaves a window of
recent pages, after later pages have shown which blocks repeat [OWN]. Counts are rows that can be added, like those of
the trie.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from sitecrawl.dom.atomic import (
    BLOCK_TAGS,
    FeatureIndex,
    PathKeys,
    TraversalPaths,
    atomic_blocks,
    pack,
    unpack,
)
from sitecrawl.dom.flat import FlatDom
from sitecrawl.templates.changes import BlockChange, PathChange
from sitecrawl.templates.preparation import BlockTemplate, noise_threshold
from sitecrawl.templates.trie import MAX_NODES, MIN_SHARE, WINDOW

_UNKNOWN: Final = b""


class PathRow:
    """Counts of one traversal path."""

    __slots__ = ("content_pages", "last_page", "noise_pages", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.content_pages = 0
        """Number of pages on which a block with this path was content; a page may count as content and noise."""
        self.noise_pages = 0
        self.last_page = 0


class BlockRow:
    """Counts of one block on one traversal path."""

    __slots__ = ("features", "key", "last_page", "pages")

    def __init__(self, key: int) -> None:
        self.key = key
        """Fingerprint of the block."""
        self.pages = 0
        self.features = _UNKNOWN
        """Packed feature vector; set when the block is found on a second page."""
        self.last_page = 0


_Found = dict[int, list[BlockRow]]
"""The blocks of one page by the key of their traversal path; rows of pages in the window are never dropped."""


class BlockStore:
    """Counts by traversal path and block; grows with `learn`, and is bounded like `SiteTemplate`."""

    def __init__(
        self,
        *,
        window: int = WINDOW,
        min_share: float = MIN_SHARE,
        max_blocks: int = MAX_NODES,
        tags: frozenset[str] = BLOCK_TAGS,
    ) -> None:
        self.window = window
        self.min_share = min_share
        self.max_blocks = max_blocks
        self.tags = tags
        self.pages_seen = 0
        self.paths: dict[int, PathRow] = {}
        self.blocks: dict[tuple[int, int], BlockRow] = {}
        self._recent: deque[_Found] = deque()
        self._names = TraversalPaths()
        self._keys = PathKeys()
        self._template: BlockTemplate | None = None

    def learn(self, flat: FlatDom) -> None:
        """Count a page; a block counts once however often the page repeats it."""
        page = self.pages_seen = self.pages_seen + 1
        self._template = None
        parts = atomic_blocks(flat, self.tags)
        found: _Found = {}
        keys_by_node, path_of, blocks = self._keys, flat.path, self.blocks
        # a page repeats most of its blocks, and of equal blocks the last one is as good as the first
        numbers = {pair: b for b, pair in enumerate(zip(map(path_of.__getitem__, parts.node), parts.keys, strict=True))}
        for (node_path, key), b in numbers.items():
            path = keys_by_node.get(node_path)
            if path is None:
                path = keys_by_node.of(flat, parts.node[b])
            rows = found.get(path)
            if rows is None:
                rows = found[path] = self._open(path, flat, parts.node[b])
            row = blocks.get((path, key))
            if row is None:
                row = blocks[path, key] = BlockRow(key)
            elif row.last_page == page:
                continue
            elif not row.features:
                row.features = pack(parts.features(flat, b))
            rows.append(row)
            row.pages += 1
            row.last_page = page
        self._recent.append(found)
        if len(self._recent) > self.window:
            self._settle(self._recent.popleft())
        if page % self.window == 0:
            self.prune()

    def _open(self, path: int, flat: FlatDom, node: int) -> list[BlockRow]:
        """Count a path that is new on the current page; return its list of blocks."""
        row = self.paths.get(path)
        if row is None:
            row = self.paths[path] = PathRow(self._names.of(flat, node))
        row.last_page = self.pages_seen
        return []

    def _judged(self, found: _Found) -> Iterable[tuple[int, bool, bool]]:
        """Yield (path, has content, has noise) for a page, by the current counts."""
        least = noise_threshold(self.pages_seen)
        for path, rows in found.items():
            if len(rows) == 1:
                noise = rows[0].pages >= least
                yield path, not noise, noise
            else:
                pages = [row.pages for row in rows]
                yield path, min(pages) < least, max(pages) >= least

    def _settle(self, found: _Found) -> None:
        """Count the paths of a page that leaves the window, and drop its blocks that no other page had."""
        for path, content, noise in self._judged(found):
            row = self.paths.get(path)
            if row is not None:
                row.content_pages += content
                row.noise_pages += noise
        for path, rows in found.items():
            for block in rows:
                if block.pages == 1:
                    self.blocks.pop((path, block.key), None)

    @property
    def least_pages(self) -> float:
        """Minimum number of pages of a row that is kept."""
        return max(2.0, self.min_share * self.pages_seen)

    def prune(self) -> None:
        """Drop rows outside the window that are on too few pages, or too many rows."""
        least, oldest = self.least_pages, self.pages_seen - self.window
        outside = [key for key, row in self.blocks.items() if row.last_page <= oldest]
        kept = sorted((key for key in outside if self.blocks[key].pages >= least), key=self._rank)[: self.max_blocks]
        for key in set(outside).difference(kept):
            del self.blocks[key]
        for path, row in list(self.paths.items()):
            if row.last_page <= oldest and max(row.content_pages, row.noise_pages) < least:
                del self.paths[path]

    def _rank(self, key: tuple[int, int]) -> tuple[int, int, int]:
        return -self.blocks[key].pages, *key

    def totals(self) -> tuple[dict[int, PathChange], dict[tuple[int, int], BlockChange]]:
        """Return the rows to keep with all their counts; pages in the window are classified by the current counts."""
        least = self.least_pages
        counts = {key: [row.content_pages, row.noise_pages] for key, row in self.paths.items()}
        for found in self._recent:
            for path, content, noise in self._judged(found):
                if path in counts:
                    counts[path][0] += content
                    counts[path][1] += noise
        paths = {
            key: PathChange(key, self.paths[key].path, content, noise)
            for key, (content, noise) in counts.items()
            if max(content, noise) >= least
        }
        keys = [key for key, row in self.blocks.items() if row.pages >= least and key[0] in paths]
        blocks = {
            key: BlockChange(*key, self.blocks[key].pages, self.blocks[key].features)
            for key in sorted(keys, key=self._rank)[: self.max_blocks]
        }
        return paths, blocks

    def add(self, pages: int, paths: Iterable[PathChange], blocks: Iterable[BlockChange]) -> None:
        """Add counts that were learned elsewhere; rows with zero counts are dropped."""
        self.pages_seen += pages
        self._template = None
        for change in paths:
            path = self.paths.setdefault(change.key, PathRow(change.path))
            path.content_pages += change.content_pages
            path.noise_pages += change.noise_pages
            if max(path.content_pages, path.noise_pages) <= 0:
                del self.paths[change.key]
        for added in blocks:
            block = self.blocks.setdefault((added.path, added.block), BlockRow(added.block))
            block.pages += added.pages
            block.features = block.features or added.features
            if block.pages <= 0:
                del self.blocks[added.path, added.block]

    def empty(self) -> "BlockStore":
        """Return an empty store with the same limits."""
        return BlockStore(window=self.window, min_share=self.min_share, max_blocks=self.max_blocks, tags=self.tags)

    def clear(self) -> None:
        """Forget everything learned."""
        self.pages_seen = 0
        self.paths.clear()
        self.blocks.clear()
        self._recent.clear()
        self._template = None

    @property
    def template(self) -> BlockTemplate:
        """Return the data of FastContentExtractor: paths on which content repeats, and the noise on them."""
        if self._template is None:
            paths, blocks = self.totals()
            least, noisy = self.least_pages, noise_threshold(self.pages_seen)
            content = {key: row.path for key, row in paths.items() if row.content_pages >= least}
            noise = {
                change.features: None
                for (path, _), change in blocks.items()
                if path in content and change.pages >= noisy
            }
            self._template = BlockTemplate(frozenset(content.values()), FeatureIndex(map(unpack, noise)), self.tags)
        return self._template
