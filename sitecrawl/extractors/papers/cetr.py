"""CETR: keeps the lines of a page that have much text per tag.

Source: Weninger, Hsu, Han, "CETR: content extraction via tag ratios", WWW 2010. The paper uses the lines of the source,
which a minified page does not have. Here a line begins where a block-level element begins or ends, and is wrapped at 65
characters, as the paper wraps pages with few lines. So the result does not depend on the layout of the source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register

LINE: Final = 65
"""Characters of a line (section 3.1)."""
RADIUS: Final = 1
"""Lines on either side that smooth a ratio (section 3.2)."""
AHEAD: Final = 3
"""Number of following lines whose mean is compared with a line's own ratio: alpha (section 4.2)."""
CLUSTERS: Final = 3
"""Clusters of k-means, one of them fixed at the origin (section 4.3)."""
ROUNDS: Final = 100

Variant: TypeAlias = Literal["2d", "threshold"]
Point: TypeAlias = tuple[float, float]


class Line(NamedTuple):
    """A line: its numbers of characters and tags, and its texts."""

    chars: int
    tags: int
    texts: tuple[tuple[int, int], ...]
    """(row, characters in this line) of each text."""


@dataclass(slots=True)
class _Lines:
    """Collects the lines of a page."""

    found: list[Line]
    chars: int = 0
    tags: int = 0
    texts: tuple[tuple[int, int], ...] = ()

    def end(self) -> None:
        """End a line, unless it is empty."""
        if self.chars or self.tags:
            self.found.append(Line(self.chars, self.tags, self.texts))
        self.chars, self.tags, self.texts = 0, 0, ()

    def add(self, row: int, chars: int) -> None:
        """Add a text, wrapped at `LINE` characters."""
        while chars:
            if self.chars >= LINE:
                self.end()
            part = min(chars, LINE - self.chars)
            self.chars += part
            self.texts = (*self.texts, (row, part))
            chars -= part


def lines(flat: FlatDom) -> list[Line]:
    """Return the lines of a page; each start and end tag counts on the line where it is."""
    reading = _Lines([])
    open_rows: list[int] = []
    for i in range(len(flat) + 1):
        while open_rows and (i == len(flat) or i >= flat.end[open_rows[-1]]):
            ended = flat.tag[open_rows.pop()]
            reading.tags += 1
            if ended in BLOCK:
                reading.end()
        if i == len(flat):
            break
        if flat.tag[i] == TEXT:
            reading.add(i, len(" ".join(flat.text[i].split())))
            continue
        if flat.tag[i] in BLOCK:
            reading.end()
        reading.tags += 1
        open_rows.append(i)
    reading.end()
    return reading.found


def smoothed(ratios: Sequence[float], radius: int = RADIUS) -> list[float]:
    """Return the ratios smoothed by a Gaussian of 2 radius + 1 lines, sigma = radius; end lines are repeated."""
    if not radius:
        return list(ratios)
    weights = [exp(-(k * k) / (2 * radius * radius)) for k in range(-radius, radius + 1)]
    kernel = [weight / sum(weights) for weight in weights]
    padded = [ratios[0]] * radius + list(ratios) + [ratios[-1]] * radius
    return [sum(k * padded[i + j] for j, k in enumerate(kernel)) for i in range(len(ratios))]


def differences(ratios: Sequence[float], ahead: int = AHEAD) -> list[float]:
    """Return, for each line, the mean ratio of the next lines minus its own ratio; at the end, of fewer lines.

    The last line is compared with half of its own ratio, as in the public code.
    """
    found = []
    for i, ratio in enumerate(ratios):
        following = ratios[i + 1 : i + 1 + ahead]
        found.append(abs(sum(following) / len(following) - ratio) if following else ratio / 2)
    return found


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of all values."""
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def far_from_origin(points: Sequence[Point], clusters: int = CLUSTERS) -> list[bool]:
    """Return which points are outside the cluster of the origin: k-means whose first centre stays at (0, 0).

    The other centres begin at the largest distances from the origin and, between them, at equal steps of rank; ties go
    to the first centre. So the same points give the same clusters.
    """
    ranked = sorted(points, key=lambda point: (point[0] ** 2 + point[1] ** 2, point))
    steps = [len(ranked) - 1 - k * len(ranked) // (2 * clusters) for k in range(clusters - 1)]
    centres: list[Point] = [(0.0, 0.0), *(ranked[max(step, 0)] for step in steps)]
    nearest: list[int] = []
    for _ in range(ROUNDS):
        before = nearest
        nearest = [
            min(range(clusters), key=lambda c: (x - centres[c][0]) ** 2 + (y - centres[c][1]) ** 2) for x, y in points
        ]
        if nearest == before:
            break
        for c in range(1, clusters):
            members = [point for point, own in zip(points, nearest, strict=True) if own == c]
            if members:
                count = len(members)
                centres[c] = (sum(x for x, _ in members) / count, sum(y for _, y in members) / count)
    return [own != 0 for own in nearest]


@register
class TagRatios:
    """Keeps the texts that are mostly on content lines."""

    name: ClassVar[str] = "cetr"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, variant: Variant = "2d", deviations: float = 1.0) -> None:
        """Set the variant, and for `threshold` the number of standard deviations from which a line is content.

        Raises ConfigError for an unknown variant or negative deviations.
        """
        if variant not in ("2d", "threshold"):
            raise ConfigError(f"cetr: variant is {variant!r}; give 2d or threshold")
        if deviations < 0:
            raise ConfigError(f"cetr: deviations is {deviations}; give 0 or more")
        self.variant = variant
        self.deviations = deviations

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts of content lines; confidence is their share of the page's text."""
        flat = page.flat
        found = lines(flat)
        if not any(line.chars for line in found):
            return no_content(self.name)
        content = self.content_lines([line.chars / max(line.tags, 1) for line in found])
        inside = [0] * len(flat)
        for line, wanted in zip(found, content, strict=True):
            for row, chars in line.texts:
                inside[row] += chars if wanted else -chars
        nodes = cover_texts(flat, [chars > 0 for chars in inside])
        if not nodes:
            return no_content(self.name)
        evidence = {"lines": float(len(found)), "content_lines": float(sum(content))}
        return Extraction(nodes, self.name, sum(flat.chars[i] for i in nodes) / flat.chars[0], evidence=evidence)

    def content_lines(self, ratios: Sequence[float]) -> list[bool]:
        """Return which lines are content, by their tag ratios."""
        smooth = smoothed(ratios)
        if self.variant == "threshold":
            least = self.deviations * deviation(smooth)
            return [ratio >= least and ratio > 0 for ratio in smooth]
        return far_from_origin(list(zip(smooth, smoothed(differences(ratios)), strict=True)))
