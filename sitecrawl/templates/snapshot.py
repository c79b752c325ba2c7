"""Published templates: the kept rows of a growing one, and the deltas that bring storage to the same state."""

from sitecrawl.templates.changes import NodeChange, StyleChange, TemplateChanges
from sitecrawl.templates.trie import SiteTemplate, TemplateNode

KEPT_STYLES = 16
"""Most frequent presentation styles of a node that are stored (ARCHITECTURE 6)."""


class Publisher:
    """Compares what a growing template would keep with what was published last."""

    def __init__(self) -> None:
        self._nodes: dict[int, NodeChange] = {}
        self._styles: dict[tuple[int, int], int] = {}
        self._pages = 0

    def publish(
        self, template: SiteTemplate, version: int, novelty: float, stable_since: int | None
    ) -> TemplateChanges:
        """Return the deltas since the last publication; merged one after the other they give the kept rows."""
        kept = template.kept()
        nodes, styles = [], []
        now: dict[int, NodeChange] = {}
        styles_now: dict[tuple[int, int], int] = {}
        for node in kept:
            counts = now[node.key] = node.counts()
            delta = _difference(counts, self._nodes.get(node.key))
            if delta is not None:
                nodes.append(delta)
            for style, pages in _frequent_styles(node):
                styles_now[node.key, style] = pages
                added = pages - self._styles.get((node.key, style), 0)
                if added:
                    styles.append(StyleChange(node.key, style, added))
        changes = TemplateChanges(
            version=version,
            pages=template.pages_seen - self._pages,
            novelty=novelty,
            stable_since=stable_since,
            nodes=tuple(nodes),
            styles=tuple(styles),
            dropped=tuple(key for key in self._nodes if key not in now),
        )
        self._nodes, self._styles, self._pages = now, styles_now, template.pages_seen
        return changes

    def restore(self, stored: TemplateChanges) -> None:
        """Take a stored template as what was published last."""
        self._nodes = {node.key: node for node in stored.nodes}
        self._styles = {(style.node, style.style): style.pages for style in stored.styles}
        self._pages = stored.pages


def merge(template: SiteTemplate, changes: TemplateChanges) -> None:
    """Add published changes to a template."""
    template.add(changes.pages, changes.nodes)
    for style in changes.styles:
        node = template.nodes.get(style.node)
        if node is not None:
            if not node.style_pages:
                node.style = style.style
            node.add_style(style.style, style.pages)
    for key in changes.dropped:
        template.nodes.pop(key, None)
    template.version = changes.version


def snapshot(template: SiteTemplate, version: int) -> SiteTemplate:
    """Return the kept rows as an independent template: what storage would give back."""
    copy = SiteTemplate(window=template.window, min_share=template.min_share, max_nodes=template.max_nodes)
    merge(copy, Publisher().publish(template, version, 0.0, None))
    return copy


def _difference(now: NodeChange, before: NodeChange | None) -> NodeChange | None:
    if before is None:
        return now
    if now.pages == before.pages and now.nodes == before.nodes:
        return None
    return now._replace(
        pages=now.pages - before.pages,
        nodes=now.nodes - before.nodes,
        variants=now.variants - before.variants,
        chars=now.chars - before.chars,
        link_chars=now.link_chars - before.link_chars,
    )


def _frequent_styles(node: TemplateNode) -> list[tuple[int, int]]:
    return sorted(node.styles.items(), key=lambda item: (-item[1], item[0]))[:KEPT_STYLES]
