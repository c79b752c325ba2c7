"""FastContentExtractor, detection phase: keeps blocks whose traversal path had content on the site's pages.

Source: S3, "FastContentExtractor", section III. The preparation phase runs once on a sample of the site's pages, as
published (`templates.preparation`), or its results are counted page by page while a crawl learns (`templates.blocks`).
"""

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from sitecrawl.dom.atomic import SIMILARITY, TraversalPaths, features
from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import Learned
from sitecrawl.templates.preparation import BlockTemplate, prepare

SAMPLE_PAGES: Final = 20
"""Number of pages from which the confidence is highest (S3, section IV: 20 to 30 pages per site)."""
SAMPLE_SIZE: Final = 25
"""Pages of the sample."""
PREPARATIONS: Final = ("published", "counted")


class ExtractedBlock(NamedTuple):
    """A block without the inner blocks that were cut out."""

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
    flat: FlatDom, template: BlockTemplate, extracted: Sequence[ExtractedBlock], similarity: float = SIMILARITY
) -> list[ExtractedBlock]:
    """Return the extracted blocks that are not similar to a stored noise block, in document order."""
    linked = {node for node, _, _ in flat.anchors}
    kept = []
    for block in extracted:
        texts = [i for i in block.rows if flat.tag[i] == TEXT]
        images = sum(flat.tag[i] == "img" for i in block.rows)
        links = len(linked.intersection(block.rows))
        if texts and not template.noise.similar(features(flat, texts, links, images), similarity):
            kept.append(block)
    return kept


@register
class FastCE:
    """Keeps the blocks on content paths that the site does not repeat."""

    name: ClassVar[str] = "fastce"

    def __init__(
        self,
        *,
        preparation: str = "published",
        size: int = SAMPLE_SIZE,
        with_page: bool = True,
        similarity: float = SIMILARITY,
    ) -> None:
        """Set the source of content paths, the pages of the sample, and the cosine above which blocks are similar.

        `published` compares all blocks of the sample with each other; `counted` uses the counts of the crawl, which is
        faster and needs no stored pages. `with_page` adds the page itself to a sample of fewer pages than in the paper,
        since it may be the only one with its paths. Raises ConfigError for an unknown preparation, for fewer than two
        pages, and for a similarity outside 0..1.
        """
        if preparation not in PREPARATIONS:
            raise ConfigError(f"fastce: preparation is {preparation!r}; give {' or '.join(PREPARATIONS)}")
        if size < 2:
            raise ConfigError(f"fastce: size is {size}; give 2 or more pages, the paper takes 20 to 30")
        if not 0 <= similarity <= 1:
            raise ConfigError(f"fastce: similarity is {similarity}; give 0..1, the paper takes {SIMILARITY}")
        self.counted = preparation == "counted"
        self.sample_size = 0 if self.counted else size
        self.with_page = with_page
        self.similarity = similarity
        self._paths = TraversalPaths()
        self._prepared = Learned(self._prepare)

    @property
    def needs(self) -> frozenset[Need]:
        """The sample of pages, or the counts of a crawl."""
        return frozenset((Need.BLOCKS if self.counted else Need.NEIGHBOURS,))

    def _prepare(self, pages: Sequence[FlatDom]) -> BlockTemplate:
        once = {flat.fingerprint: flat for flat in reversed(pages)}  # copies would make content look repeated
        return prepare(list(once.values()) if len(once) > 1 else (), similarity=self.similarity)

    def _template(self, page: Page, site: SiteContext | None) -> tuple[BlockTemplate | None, int]:
        """Return the result of the preparation, and the number of pages of the site that it used."""
        if site is None:
            return None, 0
        if self.counted:
            return (site.blocks.template, site.blocks.pages_seen) if site.blocks is not None else (None, 0)
        pages = tuple(site.neighbours)
        if not pages:
            return None, 0
        if self.with_page and len(pages) < SAMPLE_PAGES:
            return self._prepare((*pages, page.flat)), len(pages)
        return self._prepared.of(pages), len(pages)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the content blocks; confidence grows with the pages of the preparation."""
        template, pages = self._template(page, site)
        if template is None or not template.content_paths:
            return no_content(self.name)
        flat = page.flat
        extracted = extracted_blocks(flat, template, self._paths)
        blocks = content_blocks(flat, template, extracted, self.similarity)
        kept = [False] * len(flat)
        for block in blocks:
            for i in block.rows:
                kept[i] = flat.tag[i] == TEXT
        nodes = cover_texts(flat, kept)
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(pages),
            "paths": float(len(template.content_paths)),
            "noise": float(len(template.noise)),
            "blocks": float(len(extracted)),
            "content": float(len(blocks)),
        }
        return Extraction(nodes, self.name, min(1.0, pages / SAMPLE_PAGES), evidence=evidence)
