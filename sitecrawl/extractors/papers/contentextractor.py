"""ContentExtractor: keeps the atomic blocks that few other pages of the site have.

Source: Debnath, Mitra, Pal, Giles, "Automatic identification of informative sections of web pages", IEEE TKDE 17(9),
2005, as summarised in S3, "FastContentExtractor", section II. A block is content if its inverse block document
frequency is high: few pages have a block whose feature vector has a cosine over 0.9 with its own.
"""

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, TypeAlias

from sitecrawl.dom.atomic import BLOCK_TAGS, HTML5_BLOCK_TAGS, SIMILARITY, AtomicBlocks, atomic_blocks
from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import Learned, without_copies
from sitecrawl.templates.preparation import BlockPages, noise_threshold

SAMPLE_PAGES: Final = 20
"""Number of pages from which the confidence is highest (S3, section IV: 20 to 30 pages per site)."""

BlockSet: TypeAlias = Literal["paper", "html5"]
"""Set of tags that form blocks: those of S3, or also newer tags of HTML5 (`dom.atomic`)."""


def published_order(flat: FlatDom, blocks: AtomicBlocks, numbers: Sequence[int]) -> list[str]:
    """Return the texts of blocks, given by number, in the paper's order: inner blocks before their container.

    S3, Figure 3, shows the defect: phrases that span blocks are split. `Extraction.nodes` are in document order.
    """
    wanted = set(numbers)
    order = (b for b in blocks.innermost_first(flat) if b in wanted)
    texts = (" ".join(" ".join(flat.text[i] for i in blocks.texts[b]).split()) for b in order)
    return [text for text in texts if text]


@register
class ContentExtractor:
    """Keeps the atomic blocks that are rare on the site."""

    name: ClassVar[str] = "contentextractor"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))
    sample_size: ClassVar[int] = 25

    def __init__(
        self, *, theta: float | None = None, similarity: float = SIMILARITY, blocks: BlockSet = "paper"
    ) -> None:
        """Set the number of pages from which a block is not content, and the cosine above which blocks are similar.

        None means `templates.preparation.noise_threshold`. Raises ConfigError for a theta of 1 or less, a similarity
        outside 0..1, or an unknown set of blocks.
        """
        if theta is not None and theta <= 1:
            raise ConfigError(f"contentextractor: theta is {theta}; give more than 1, as each block is on its own page")
        if not 0 <= similarity <= 1:
            raise ConfigError(f"contentextractor: similarity is {similarity}; give 0..1, the paper takes {SIMILARITY}")
        if blocks not in ("paper", "html5"):
            raise ConfigError(f"contentextractor: blocks is {blocks!r}; give paper or html5")
        self.theta = theta
        self.similarity = similarity
        self.tags = HTML5_BLOCK_TAGS if blocks == "html5" else BLOCK_TAGS
        self._sample = Learned(self._learn)

    def _learn(self, pages: Sequence[FlatDom]) -> BlockPages:
        sample = BlockPages(self.similarity)
        for flat in pages:
            sample.add(flat, atomic_blocks(flat, self.tags))
        return sample

    def content_blocks(self, flat: FlatDom, blocks: AtomicBlocks, sample: BlockPages) -> list[int]:
        """Return the numbers of the content blocks in document order; the page itself counts as one page."""
        least = noise_threshold(sample.pages + 1) if self.theta is None else self.theta
        rare: dict[int, bool] = {}
        content = []
        for b in range(len(blocks)):
            key = blocks.keys[b]
            if key not in rare:
                rare[key] = len(sample.holding(blocks.features(flat, b))) + 1 < least
            if rare[key]:
                content.append(b)
        return content

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts of the content blocks; confidence grows with the sample."""
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())
        if not pages:
            return no_content(self.name)
        blocks = atomic_blocks(flat, self.tags)
        content = self.content_blocks(flat, blocks, self._sample.of(pages))
        kept = [False] * len(flat)
        for b in content:
            for i in blocks.texts[b]:
                kept[i] = True
        nodes = cover_texts(flat, kept)
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(len(pages)),
            "noise": float(self._sample.of(pages).vectors),
            "blocks": float(len(blocks)),
            "content": float(len(content)),
        }
        return Extraction(nodes, self.name, min(1.0, len(pages) / SAMPLE_PAGES), evidence=evidence)
