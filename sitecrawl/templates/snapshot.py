"""Published templates: snapshots of a growing template, and the deltas that bring storage to the same state."""

from collections.abc import Mapping
from typing import Final

from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import BlockChange, NodeChange, PathChange, StyleChange, TemplateChanges
from sitecrawl.templates.importance import composites
from sitecrawl.templates.trie import IMPORTANCE, Composite, SiteTemplate, TemplateNode

KEPT_STYLES: Final = 16
"""Maximum presentation styles stored per node: the first ones that reach two pages."""


class Publisher:
    """Keeps the last publication, and computes the deltas from it to the current state of a growing template."""

    def __init__(self) -> None:
        self._nodes: dict[int, NodeChange] = {}
        self._styles: dict[int, dict[int, int]] = {}
        self._paths: dict[int, PathChange] = {}
        self._blocks: dict[tuple[int, int], BlockChange] = {}
        self._pages = 0
        self._version = 0

    def publish(
        self,
        template: SiteTemplate,
        version: int,
        novelty: float,
        stable_since: int | None,
        blocks: BlockStore | None = None,
    ) -> TemplateChanges:
        """Return the deltas since the last publication; all deltas merged give the kept rows.

        Rows of `blocks` that are no longer kept get the negative of their published counts; those of `template` are
        listed in `dropped`.
        """
        kept = template.kept()
        now = {node.key: node.counts() for node in kept}
        importance = composites(template)
        styles = {node.key: self._kept_styles(node) | self._composite(node, importance) for node in kept}
        paths, rows = blocks.totals() if blocks is not None else (self._paths, self._blocks)
        changes = TemplateChanges(
            version=version,
            pages=template.pages_seen - self._pages,
            novelty=novelty,
            stable_since=stable_since,
            nodes=tuple(delta for key, row in now.items() if (delta := _node_delta(row, self._nodes.get(key)))),
            styles=tuple(
                StyleChange(key, style, delta)
                for key, pages in styles.items()
                for style, delta in _count_deltas(pages, self._styles.get(key, {}))
            ),
            paths=_path_deltas(paths, self._paths),
            blocks=_block_deltas(rows, self._blocks),
            dropped=tuple(key for key in self._nodes if key not in now),
        )
        self._nodes, self._styles, self._paths, self._blocks = now, styles, paths, rows
        self._pages, self._version = template.pages_seen, version
        return changes

    def _kept_styles(self, node: TemplateNode) -> dict[int, int]:
        """Return the number of pages of each style to store: styles stored before, then the most frequent others."""
        styles, before = node.styles, self._styles.get(node.key, {})
        if len(styles) <= 1 and not before:
            return {style: pages for style, pages in styles.items() if pages > 1}
        kept = {style: styles[style] for style in before if style in styles}
        others = sorted(
            (style for style, pages in styles.items() if pages > 1 and style not in kept),
            key=lambda style: (-styles[style], style),
        )
        return kept | {style: styles[style] for style in others[: max(KEPT_STYLES - len(kept), 0)]}

    def _composite(self, node: TemplateNode, composites: Mapping[int, Composite]) -> dict[int, int]:
        """Return the importance to store: that of the first publication, since later ones have fewer rows."""
        before = self._styles.get(node.key, {}).get(IMPORTANCE)
        if before is None and node.key in composites:
            before = composites[node.key].packed()
        return {} if before is None else {IMPORTANCE: before}

    def restore(self, stored: TemplateChanges) -> None:
        """Set a stored template as the last publication."""
        self._nodes = {node.key: node for node in stored.nodes}
        self._styles = {}
        for style in stored.styles:
            self._styles.setdefault(style.node, {})[style.style] = style.pages
        self._paths = {path.key: path for path in stored.paths}
        self._blocks = {(block.path, block.block): block for block in stored.blocks}
        self._pages, self._version = stored.pages, stored.version

    def stored(self) -> TemplateChanges:
        """Return all publications so far as one change: what storage would return."""
        return TemplateChanges(
            version=self._version,
            pages=self._pages,
            novelty=0.0,
            stable_since=None,
            nodes=tuple(self._nodes.values()),
            styles=tuple(
                StyleChange(key, style, pages) for key, row in self._styles.items() for style, pages in row.items()
            ),
            paths=tuple(self._paths.values()),
            blocks=tuple(self._blocks.values()),
        )


def merge(template: SiteTemplate, changes: TemplateChanges) -> None:
    """Add published changes to a template."""
    template.add(changes.pages, changes.nodes)
    for style in changes.styles:
        node = template.nodes.get(style.node)
        if node is not None:
            if not node.style_pages and style.style != IMPORTANCE:
                node.style = style.style
            node.add_style(style.style, style.pages)
    for key in changes.dropped:
        template.nodes.pop(key, None)
    template.version = max(template.version, changes.version)


def merge_blocks(blocks: BlockStore, changes: TemplateChanges) -> None:
    """Add published changes to the counts of blocks."""
    blocks.add(changes.pages, changes.paths, changes.blocks)


def snapshot(template: SiteTemplate, version: int) -> SiteTemplate:
    """Return the kept rows as an independent template: what storage would return after this publication."""
    copy = template.empty()
    merge(copy, Publisher().publish(template, version, 0.0, None))
    return copy


def _node_delta(now: NodeChange, before: NodeChange | None) -> NodeChange | None:
    """Return the counts added to a node; None if only the number of its last page changed."""
    if before is None:
        return now if any(now[4:9]) else None
    key, parent, depth, label, pages, nodes, variants, chars, link_chars, last_page = now
    _, _, _, _, pages_then, nodes_then, variants_then, chars_then, link_chars_then, _ = before
    if now[4:9] == before[4:9]:
        return None
    return NodeChange(
        key,
        parent,
        depth,
        label,
        pages - pages_then,
        nodes - nodes_then,
        variants - variants_then,
        chars - chars_then,
        link_chars - link_chars_then,
        last_page,
    )


def _count_deltas(now: dict[int, int], before: dict[int, int]) -> list[tuple[int, int]]:
    if now == before:
        return []
    deltas = [(key, now.get(key, 0) - before.get(key, 0)) for key in now | before]
    return [(key, delta) for key, delta in deltas if delta]


def _path_deltas(now: dict[int, PathChange], before: dict[int, PathChange]) -> tuple[PathChange, ...]:
    deltas = []
    for key, row in (before | now).items():
        new, old = now.get(key), before.get(key)
        content = (new.content_pages if new else 0) - (old.content_pages if old else 0)
        noise = (new.noise_pages if new else 0) - (old.noise_pages if old else 0)
        if content or noise:
            deltas.append(PathChange(key, row.path, content, noise))
    return tuple(deltas)


def _block_deltas(
    now: dict[tuple[int, int], BlockChange], before: dict[tuple[int, int], BlockChange]
) -> tuple[BlockChange, ...]:
    deltas = []
    for key, row in (before | now).items():
        new, old = now.get(key), before.get(key)
        pages = (new.pages if new else 0) - (old.pages if old else 0)
        if pages:
            deltas.append(row._replace(pages=pages))
    return tuple(deltas)
