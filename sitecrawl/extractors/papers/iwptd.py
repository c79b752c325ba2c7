"""IWPTD: keeps the blocks whose texts other pages of the site do not have in the same place.

Source: Wang, Fang, Cheng, Guo, Xu, "Incremental web page template detection", WWW 2008, and its summary in the
Web-ConEx paper, section 4. A text segment on 5 pages is template; a block is template if enough of its segments are.
The table of segments (`templates.segments`) is filled page by page.
"""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar, Final, Literal, TypeAlias

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import Learned, without_copies
from sitecrawl.templates.segments import SegmentTable, segment_keys

TEMPLATE_PAGES: Final = 5
"""Number of pages with a segment from which it is template (Web-ConEx paper, section 4)."""
FEWEST_PAGES: Final = 2
"""A segment on one page is never template [OWN]."""
SMALL_SHARE: Final = 0.5
"""On sites with few pages, the share of them with a segment from which it is template [OWN]."""
RATIO: Final = 0.5
"""Minimum share of template segments for which a block is template; the paper gives no value [OWN]."""
BLOCK_TAGS: Final = frozenset(
    ("table", "div", "ul", "ol", "dl", "form", "article", "aside", "footer", "header", "main", "nav", "section")
)
"""Roots of blocks: TABLE, DIV, UL, "etc." in the paper; the others [OWN]."""

Weight: TypeAlias = Literal["segments", "characters"]
"""Unit of a block's ratio: by segments, a long text and a repeated button beside it count the same."""


def least_pages(pages: int, site_pages: int) -> int:
    """Return the number of pages from which a segment is template: `pages`, at most half of the site's, at least 2."""
    return max(min(pages, ceil(SMALL_SHARE * site_pages)), FEWEST_PAGES)


def block_ratios(flat: FlatDom, template: Sequence[bool], weight: Weight = "segments") -> list[float]:
    """Return for each node the share of template segments in its subtree; 0 if there are none."""
    own = [0] * len(flat)
    for i, name in enumerate(flat.tag):
        if name == TEXT:
            own[i] = flat.chars[i] if weight == "characters" else 1
    whole, known = [0], [0]
    for value, repeated in zip(own, template, strict=True):
        whole.append(whole[-1] + value)
        known.append(known[-1] + (value if repeated else 0))
    return [
        (known[end] - known[i]) / (whole[end] - whole[i]) if whole[end] > whole[i] else 0.0
        for i, end in enumerate(flat.end)
    ]


def content_texts(flat: FlatDom, template: Sequence[bool], ratios: Sequence[float], ratio: float = RATIO) -> list[bool]:
    """Return for each node whether it is a kept text; its innermost block decides, outside blocks the text itself."""
    removed = [False] * len(flat)
    inside = [False] * len(flat)
    for i, name in enumerate(flat.tag):
        above = flat.parent[i]
        if name in BLOCK_TAGS:
            inside[i], removed[i] = True, ratios[i] >= ratio
        elif i:
            inside[i] = inside[above]
            removed[i] = removed[above] if inside[i] else template[i]
    return [name == TEXT and not gone for name, gone in zip(flat.tag, removed, strict=True)]


def _table(pages: Sequence[FlatDom]) -> SegmentTable:
    table = SegmentTable()
    for flat in pages:
        table.add(flat)
    return table


@register
class Iwptd:
    """Keeps the blocks with few template segments."""

    name: ClassVar[str] = "iwptd"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))
    sample_size: ClassVar[int] = 25

    def __init__(
        self,
        *,
        pages: int = TEMPLATE_PAGES,
        ratio: float = RATIO,
        weight: Weight = "characters",
        table: SegmentTable | None = None,
    ) -> None:
        """Set the number of pages from which a segment is template, and the ratio from which a block is template.

        `table` has the segments of the site; it must not count the pages to extract. Without a table, one is filled
        from the neighbours. Raises ConfigError for fewer than two pages, a ratio outside 0..1, or an unknown weight.
        """
        if pages < FEWEST_PAGES:
            raise ConfigError(f"iwptd: pages is {pages}; give {FEWEST_PAGES} or more, the papers take {TEMPLATE_PAGES}")
        if not 0 <= ratio <= 1:
            raise ConfigError(f"iwptd: ratio is {ratio}; give 0..1")
        if weight not in ("segments", "characters"):
            raise ConfigError(f"iwptd: weight is {weight!r}; give segments or characters")
        self.pages = pages
        self.ratio = ratio
        self.weight: Weight = weight
        self.table = table
        self._learned = Learned(_table)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts of content blocks; confidence grows with the pages, up to those that make a template.

        The page itself is counted: the published method adds a page to the table before it classifies it.
        """
        flat, table = page.flat, self.table
        if table is None:
            table = self._learned.of(without_copies(flat, site.neighbours if site else ()))
        if not table.pages_seen:
            return no_content(self.name)
        least = least_pages(self.pages, table.pages_seen + 1)
        template = [bool(key) and table.pages(key) + 1 >= least for key in segment_keys(flat)]
        ratios = block_ratios(flat, template, self.weight)
        nodes = cover_texts(flat, content_texts(flat, template, ratios, self.ratio))
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(table.pages_seen),
            "segments": float(len(table)),
            "template": float(sum(template)),
            "least": float(least),
        }
        return Extraction(nodes, self.name, min(1.0, (table.pages_seen + 1) / self.pages), evidence=evidence)
