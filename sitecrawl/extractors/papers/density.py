"""Density: chooses the region of one page where long strings are close together.

Source: "Language independent content extraction from web pages" (Arias, Deschacht, Moens, 2009), section 4. The page is
a list of strings, with a new one at each structural tag. The longest string and the long ones near it are the region,
and everything from the first to the last of them is the main content.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register

CUTOFF: Final = 0.333
"""c1 (section 4): a string is long if it has more than this share of the characters of the longest one."""
REACH: Final = 4
"""c2 (section 4): a string is near if its distance to a string of the region is less than this number of positions."""
# fmt: off
STRUCTURAL: Final = frozenset((
    "p", "table", "br", "div", "h1", "h2", "li",  # named in section 4, "not limited to"
    "h3", "h4", "h5", "h6", "ul", "ol", "dl", "dt", "dd", "tr", "td", "th", "thead", "tbody", "blockquote",
    "pre", "hr", "form", "section", "article", "header", "footer", "nav", "aside", "main", "figure", "body",
    "html",
))
# fmt: on
"""Tags that begin a new string."""


def strings(flat: FlatDom, *, close: bool = False) -> list[list[int]]:
    """Return the strings of a page, each as the rows of its texts; the first one precedes all tags.

    The paper begins a string where a structural element opens; with `close` also where one ends.
    """
    found: list[list[int]] = [[]]
    ends: list[int] = []
    for i, name in enumerate(flat.tag):
        while ends and i >= ends[-1]:
            ends.pop()
            found.append([])
        if name == TEXT:
            found[-1].append(i)
        elif name in STRUCTURAL:
            found.append([])
            if close:
                ends.append(flat.end[i])
    found.extend([] for _ in ends)
    return found


def string_length(flat: FlatDom, rows: Sequence[int]) -> int:
    """Return the characters of a string, with single spaces between words."""
    return len(" ".join("".join([flat.text[i] for i in rows]).split()))


def densest_region(lengths: Sequence[int], cutoff: float = CUTOFF, reach: int = REACH) -> list[int]:
    """Return the indexes of the strings of the region R, ascending; R begins with the first longest string."""
    if not lengths:
        return []
    longest = max(lengths)
    start, least = lengths.index(longest), cutoff * longest
    region = [start]
    for step, stop in ((-1, -1), (1, len(lengths))):
        edge = start
        for i in range(start + step, stop, step):
            if abs(i - edge) >= reach:
                break
            if lengths[i] > least:
                region.append(i)
                edge = i
    return sorted(region)


@register
class Density:
    """Keeps all texts from the first to the last string of the densest region."""

    name: ClassVar[str] = "density"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, cutoff: float = CUTOFF, reach: int = REACH, close: bool = False) -> None:
        """Set c1, c2, and whether the end of an element begins a string as well."""
        self.cutoff = cutoff
        self.reach = reach
        self.close = close

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the region; confidence is its share of the page's text."""
        flat = page.flat
        found = strings(flat, close=self.close)
        lengths = [string_length(flat, rows) for rows in found]
        if not any(lengths):
            return no_content(self.name)
        region = densest_region(lengths, self.cutoff, self.reach)
        kept = [False] * len(flat)
        for rows in found[region[0] : region[-1] + 1]:
            for i in rows:
                kept[i] = True
        nodes = cover_texts(flat, kept)
        chars = sum(flat.chars[i] for i in nodes)
        evidence = {
            "longest": float(max(lengths)),
            "strings": float(len(region)),
            "span": float(region[-1] - region[0] + 1),
        }
        return Extraction(nodes, self.name, chars / flat.chars[0], evidence=evidence)
