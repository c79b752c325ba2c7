"""The template of a layout: one trie of counts by path key, text nodes included.

Two nodes are mapped by an equal top-down mapping if their path keys are equal, so occurrences are look-ups. Nearly all
keys are on one page only. Such rows are dropped when their page leaves a window of recent pages, and later all rows on
too small a share of the pages. So memory and the cost of a page stay constant however long a crawl lasts.

Over 300 lines: one data structure.
"""

import heapq
from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, label_name
from sitecrawl.dom.text import printable
from sitecrawl.templates.changes import NodeChange
from sitecrawl.twins import twin

WINDOW: Final = 32
MIN_SHARE: Final = 0.02
MAX_NODES: Final = 5_000
MAX_FRESH: Final = 150_000
"""Maximum rows created by the pages in the window, about 40 MB; above it the oldest page leaves the window."""
MAX_STYLES: Final = 64
"""Maximum presentation styles counted per node; styles on one page are dropped to make room for new ones."""
IMPORTANCE: Final = -1
"""Key among the presentation styles of a stored element under which its composite importance is kept (`Composite`)."""
_SCALE: Final = 100_000_000
TEXT_LABEL_LENGTH: Final = 60
ELEMENT_LABEL_LENGTH: Final = 120


class Composite(NamedTuple):
    """The importance of an element, computed from all pages before rows were dropped."""

    importance: float
    """Composite importance, 0..1."""
    clean: bool
    """Whether any element below was not noisy."""

    def packed(self) -> int:
        """Return the composite as one integer above 1; the importance is rounded to eight decimal places."""
        return 2 * round(self.importance * _SCALE) + self.clean + 2

    @classmethod
    def unpacked(cls, number: int) -> "Composite":
        """Return the composite from a number that `packed` returned."""
        return cls((number - 2) // 2 / _SCALE, bool(number % 2))


class TemplateNode:
    """Counts of one trie node: the fields of `NodeChange`, and the presentation styles of an element."""

    __slots__ = (
        "chars",
        "depth",
        "first_page",
        "key",
        "label",
        "last_page",
        "link_chars",
        "nodes",
        "other_styles",
        "page_style",
        "pages",
        "parent",
        "style",
        "style_pages",
        "variants",
    )

    def __init__(self, key: int, parent: int, depth: int, page: int, chars: int, link_chars: int, style: int) -> None:
        self.key = key
        self.parent = parent
        self.depth = depth
        self.label = ""
        self.pages = 1
        self.nodes = 1
        self.variants = 0
        self.chars = chars
        self.link_chars = link_chars
        self.first_page = self.last_page = page
        # Most nodes only ever have one style, which needs no dictionary.
        self.style = self.page_style = style
        self.style_pages = 1
        self.other_styles: dict[int, int] | None = None

    @classmethod
    def stored(cls, change: NodeChange) -> "TemplateNode":
        """Return a node without styles that has the counts of a change."""
        node = cls(change.key, change.parent, change.depth, 0, 0, 0, 0)
        node.pages = node.nodes = node.style_pages = 0
        node.add(change)
        return node

    @property
    def is_text(self) -> bool:
        """Whether the row is a text node."""
        return self.label.startswith('"')

    @property
    def styles(self) -> dict[int, int]:
        """Pages by presentation style (`FlatDom.style`, 0 for no element children); {} for a text node."""
        if self.is_text:
            return {}
        styles = {self.style: self.style_pages, **(self.other_styles or {})}
        return {style: pages for style, pages in styles.items() if pages > 0 and style != IMPORTANCE}

    @property
    def composite(self) -> Composite | None:
        """The importance of a stored element; None for a text, and if it was not stored."""
        number = (self.other_styles or {}).get(IMPORTANCE)
        return Composite.unpacked(number) if number else None

    def counts(self) -> NodeChange:
        """Return all counts as one change."""
        # `tuple.__new__`, because the constructor of a NamedTuple is a slow Python function
        return tuple.__new__(
            NodeChange,
            (
                self.key,
                self.parent,
                self.depth,
                self.label,
                self.pages,
                self.nodes,
                self.variants,
                self.chars,
                self.link_chars,
                self.last_page,
            ),
        )

    def add(self, change: NodeChange) -> None:
        """Add the deltas of a change."""
        self.label = self.label or change.label
        self.pages += change.pages
        self.nodes += change.nodes
        self.variants += change.variants
        self.chars += change.chars
        self.link_chars += change.link_chars
        self.last_page = max(self.last_page, change.last_page)

    def add_style(self, style: int, pages: int) -> None:
        """Count a presentation style on this many further pages."""
        if style == self.style:
            self.style_pages += pages
            return
        others = self.other_styles
        if others is None:
            others = self.other_styles = {}
        elif len(others) >= MAX_STYLES and style not in others:
            others = self.other_styles = {key: count for key, count in others.items() if count > 1}
            if len(others) >= MAX_STYLES and style != IMPORTANCE:
                return
        others[style] = others.get(style, 0) + pages


@twin("sitecrawl.templates._trie")
def count_page(flat: FlatDom, nodes: dict[int, TemplateNode], page: int) -> tuple[list[TemplateNode], int]:
    """Count a page in `nodes`; return the new nodes, and the number of known ones on the page."""
    created: list[TemplateNode] = []
    get, path, parent, depth = nodes.get, flat.path, flat.parent, flat.depth
    known = 0
    more_styles: set[tuple[int, int]] = set()
    columns = zip(path, flat.style, flat.chars, flat.link_chars, strict=True)
    for i, (key, style, chars, link_chars) in enumerate(columns):
        node = get(key)
        if node is None:
            above = path[parent[i]] if i else 0
            node = TemplateNode(key, above, depth[i], page, chars, link_chars, style)
            nodes[key] = node
            created.append(node)
            if i:
                nodes[above].variants += 1
            continue
        node.nodes += 1
        node.chars += chars
        if link_chars:
            node.link_chars += link_chars
        if node.last_page != page:
            node.last_page = page
            node.pages += 1
            known += 1
            node.page_style = style
            if style == node.style:
                node.style_pages += 1
            else:
                node.add_style(style, 1)
            if not node.label:
                node.label = label(flat, i)
        elif style != node.page_style and (key, style) not in more_styles:
            more_styles.add((key, style))
            node.add_style(style, 1)
    return created, known


class SiteTemplate:
    """The trie of a site. Grows with `learn`; a snapshot for extraction is made by `templates.snapshot`."""

    def __init__(
        self,
        *,
        window: int = WINDOW,
        min_share: float = MIN_SHARE,
        max_nodes: int = MAX_NODES,
        version: int = 0,
    ) -> None:
        self.window = window
        """Number of pages for which a key seen once is remembered."""
        self.min_share = min_share
        """Minimum share of the pages of a kept row, which must also be on two pages."""
        self.max_nodes = max_nodes
        """Maximum number of kept rows."""
        self.version = version
        self.pages_seen = 0
        self.nodes: dict[int, TemplateNode] = {}
        """Rows by path key, in the order in which they were first seen."""
        self._created: deque[list[TemplateNode]] = deque()
        self._in_window = 0

    def learn(self, flat: FlatDom) -> float:
        """Count a page; return the share of its distinct keys that were new, 0..1.

        A page counts once in `pages` and in each style, however many equal nodes it has (SET).
        """
        page = self.pages_seen = self.pages_seen + 1
        created, known = count_page(flat, self.nodes, page)
        self._created.append(created)
        self._in_window += len(created)
        self._forget()
        return len(created) / (len(created) + known)

    def _forget(self) -> None:
        """Drop the rows whose only page leaves the window; prune from time to time."""
        nodes = self.nodes
        while len(self._created) > self.window or (self._in_window > MAX_FRESH and len(self._created) > WINDOW):
            created = self._created.popleft()
            self._in_window -= len(created)
            for node in created:
                if node.pages == 1 and nodes.get(node.key) is node:
                    del nodes[node.key]
        if self.pages_seen % self.window == 0:
            self.prune()

    def prune(self) -> None:
        """Drop rows outside the window that are on too few pages, or too many rows.

        The ancestors of a row are on at least its pages, and were seen at least as recently, so they are never dropped
        before it.
        """
        least, oldest = self.least_pages, self.pages_seen - self.window
        outside = [node for node in self.nodes.values() if node.last_page <= oldest]
        kept = [node for node in outside if node.pages >= least]
        kept_keys = {node.key for node in _widest(kept, self.max_nodes)}
        for node in outside:
            if node.key not in kept_keys:
                del self.nodes[node.key]

    @property
    def least_pages(self) -> float:
        """Minimum number of pages of a kept row."""
        return max(2.0, self.min_share * self.pages_seen)

    def kept(self) -> list[TemplateNode]:
        """Return the kept rows in the order first seen: those of storage and snapshots."""
        least = self.least_pages
        kept = [node for node in self.nodes.values() if node.pages >= least]
        if len(kept) > self.max_nodes:
            keys = {node.key for node in _widest(kept, self.max_nodes)}
            kept = [node for node in kept if node.key in keys]
        return kept

    def empty(self) -> "SiteTemplate":
        """Return a template with the same limits that has learned nothing."""
        return SiteTemplate(window=self.window, min_share=self.min_share, max_nodes=self.max_nodes)

    def new_share(self, pages: int) -> float:
        """Return the share of the kept rows that were first seen on the last `pages` pages, 0..1."""
        kept = self.kept()
        since = self.pages_seen - pages
        return sum(node.first_page > since for node in kept) / len(kept) if kept else 1.0

    def clear(self) -> None:
        """Forget everything learned."""
        self.pages_seen = 0
        self.nodes.clear()
        self._created.clear()
        self._in_window = 0

    def add(self, pages: int, changes: Iterable[NodeChange]) -> None:
        """Add counts that were learned elsewhere, without their styles."""
        self.pages_seen += pages
        for change in changes:
            node = self.nodes.get(change.key)
            if node is None:
                node = self.nodes[change.key] = TemplateNode.stored(change)
            else:
                node.add(change)
            # Page numbers restart when a site is learned again.
            node.last_page = min(node.last_page, self.pages_seen)

    def occurrences(self, flat: FlatDom, learned: bool) -> list[int]:
        """Return on how many other pages each node of a page occurs (SET); `learned`: the page itself is counted."""
        get, own = self.nodes.get, int(learned)
        counts: list[int] = []
        for key in flat.path:
            node = get(key)
            counts.append(node.pages - own if node is not None else 0)
        return counts

    def shares(self, flat: FlatDom, learned: bool) -> list[float]:
        """Return the share of the other pages with a node's parent that have the node too, 0..1."""
        counts = self.occurrences(flat, learned)
        above = list(map(counts.__getitem__, flat.parent))
        above[0] = self.pages_seen - learned
        # A child has more pages than its parent only if another writer dropped the parent meanwhile.
        return [n / m if 0 < n <= m else float(n > 0) for n, m in zip(counts, above, strict=True)]


def _widest(nodes: list[TemplateNode], most: int) -> list[TemplateNode]:
    """Return the `most` rows on the most pages, parents before children."""
    if len(nodes) <= most:
        return nodes
    return heapq.nsmallest(most, nodes, key=lambda node: (-node.pages, node.depth, node.key))


def label(flat: FlatDom, row: int) -> str:
    """Return a short label of a node for people."""
    if flat.tag[row] == TEXT:
        return f'"{printable(" ".join(flat.text[row].split()))[:TEXT_LABEL_LENGTH]}"'
    return printable(label_name(flat.tag[row], flat.names[row]))[:ELEMENT_LABEL_LENGTH]
