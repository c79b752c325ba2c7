"""FastContentExtractor, detection phase: keeps blocks whose traversal path held content on the site's pages.

Source: S3, "FastContentExtractor", section III. The results of the preparation phase come from `templates.blocks`
during a crawl, and from `templates.preparation` for a sample of pages, as published.
"""

from typing import ClassVar, Final, NamedTuple

from sitecrawl.dom.atomic import SIMILARITY, TraversalPaths, features
from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.templates.preparation import BlockTemplate

SAMPLE_PAGES: Final = 20
"""Pages from which the stored blocks are fully trusted (S3, section IV: 20 to 30 pages per site)."""


class ExtractedBlock(NamedTuple):
    """A block without the parts that the rules cut out."""

    node: int
    rows: tuple[int, ...]
    """Rows of the block that were not cut out, elements and texts, in document order."""


def extracted_blocks(flat: FlatDom, template: BlockTemplate, paths: TraversalPaths) -> list[ExtractedBlock]:
    """Return the outermost blocks on content paths, in document order, before they are compared with noise.

    A block inside another is cut out if neither its path nor that of any block below it is a content path.
    """
    wanted = [name in template.tags and paths.of(flat, i) in template.content_paths for i, name in enumerate(flat.tag)]
    below = wanted.copy()
    for i in range(len(wanted) - 1, 0, -1):
        if below[i]:
            below[flat.parent[i]] = True
    found: list[ExtractedBlock] = []
    node = 0
    while node < len(wanted):
        if not wanted[node]:
            node += 1
            continue
        rows: list[int] = []
        i = node
        while i < flat.end[node]:
            if flat.tag[i] in template.tags and not below[i]:
                i = flat.end[i]
            else:
                rows.append(i)
                i += 1
        found.append(ExtractedBlock(node, tuple(rows)))
        node = flat.end[node]
    return found


def content_blocks(
    flat: FlatDom, template: BlockTemplate, paths: TraversalPaths, similarity: float = SIMILARITY
) -> list[ExtractedBlock]:
    """Return the extracted blocks that are not similar to a stored noise block, in document order."""
    linked = {node for node, _, _ in flat.anchors}
    kept = []
    for block in extracted_blocks(flat, template, paths):
        texts = [i for i in block.rows if flat.tag[i] == TEXT]
        images = sum(flat.tag[i] == "img" for i in block.rows)
        links = len(linked.intersection(block.rows))
        if texts and not template.noise.similar(features(flat, texts, links, images), similarity):
            kept.append(block)
    return kept


@register
class FastCE:
    """The blocks on content paths that the site does not repeat."""

    name: ClassVar[str] = "fastce"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.BLOCKS,))

    def __init__(self, *, similarity: float = SIMILARITY) -> None:
        """Set the cosine above which two blocks are similar. Raises ConfigError outside 0..1."""
        if not 0 <= similarity <= 1:
            raise ConfigError(f"fastce: similarity is {similarity}; give 0..1, the paper takes {SIMILARITY}")
        self.similarity = similarity
        self._paths = TraversalPaths()

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the content blocks; confidence grows with the pages that the blocks were learned from."""
        if site is None or site.blocks is None or not site.blocks.template.content_paths:
            return no_content(self.name)
        flat, template = page.flat, site.blocks.template
        blocks = content_blocks(flat, template, self._paths, self.similarity)
        kept = [False] * len(flat)
        for block in blocks:
            for i in block.rows:
                kept[i] = flat.tag[i] == TEXT
        nodes = cover_texts(flat, kept)
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(site.blocks.pages_seen),
            "paths": float(len(template.content_paths)),
            "noise": float(len(template.noise)),
            "blocks": float(len(blocks)),
        }
        return Extraction(nodes, self.name, min(1.0, site.blocks.pages_seen / SAMPLE_PAGES), evidence=evidence)
