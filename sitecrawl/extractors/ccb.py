"""Content code blurring: texts around which there is more text than code.

Source: Gottron, "Content code blurring: a new approach to content extraction", DEXA 2008 workshops, as summarised in
ALGORITHMS 14.1: a document is a vector of its characters, 1 for text and 0 for tags, that is blurred by a Gaussian
until the values settle; text that stays above a threshold is content. ACCB leaves the tags of anchors out of it.

Blurring n times by a deviation s is blurring once by s * sqrt(n), and the vector consists of runs; so the value at a
place is a sum of normal distributions over the edges of runs near it, and no vector of characters is made. What tags
take in the source is told from the tree: `<name key="value">` and `</name>`.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import erf, exp, sqrt
from typing import ClassVar, Final, NamedTuple

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register

THRESHOLD: Final = 0.75
REACH: Final = 40
"""Threshold, and characters on either side that blur a value: not verified (ALGORITHMS 14.1)."""
SETTLED: Final = 0.01
"""Values have settled when none moves more in one round [OWN]."""
DEVIATIONS: Final = 4
"""Standard deviations in a reach [OWN]; what is farther away does not count."""
ROUNDS: Final = 50
STEP: Final = 20
"""Characters of text for which one value is computed."""
VOID: Final = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))


class Run(NamedTuple):
    """A stretch of text; between two of them is code."""

    row: int
    begin: int
    end: int
    """Characters from the beginning of the document."""


def blur(vector: Sequence[float], reach: int, sigma: float) -> list[float]:
    """Return one round of blurring as the paper has it: weights over the neighbourhood, those inside add up to 1."""
    weights = [exp(-(k * k) / (2 * sigma * sigma)) for k in range(reach + 1)]
    blurred = []
    for i in range(len(vector)):
        around = range(max(0, i - reach), min(len(vector), i + reach + 1))
        blurred.append(sum(weights[abs(i - j)] * vector[j] for j in around) / sum(weights[abs(i - j)] for j in around))
    return blurred


def runs(page: Page, *, anchors: bool = True) -> tuple[list[Run], int]:
    """Return the text runs of a page and its length; with `anchors=False` the tags of `a` take no place."""
    flat = page.flat
    found: list[Run] = []
    place = 0
    for row, size in _pieces(page, flat):
        if row >= 0:
            found.append(Run(row, place, place + size))
        elif not anchors and flat.tag[-row - 1] == "a":
            continue
        place += size
    return found, place


def _pieces(page: Page, flat: FlatDom) -> Iterator[tuple[int, int]]:
    """Yield (row, characters) of each text, and (-1 - row, characters) of each start and end tag."""
    sources = elements(page.root)
    open_rows: list[int] = []
    for i in range(len(flat) + 1):
        while open_rows and (i == len(flat) or i >= flat.end[open_rows[-1]]):
            ended = open_rows.pop()
            if flat.tag[ended] not in VOID:
                yield -1 - ended, len(flat.tag[ended]) + 3
        if i == len(flat):
            return
        if flat.tag[i] == TEXT:
            yield i, len(" ".join(flat.text[i].split()))
            continue
        attributes = next(sources).attrib
        code = sum(len(key) + len(value) + 4 for key, value in attributes.items())
        yield -1 - i, len(flat.tag[i]) + 2 + code
        open_rows.append(i)


def values(edges: Sequence[int], length: int, places: Sequence[float], spread: float) -> list[float]:
    """Return the blurred vector at some places: the share of text around each under a normal distribution.

    `edges` are the beginnings and ends of the runs, ascending; `spread` is the standard deviation in characters.
    """
    scale, far = spread * sqrt(2), DEVIATIONS * spread
    found = []
    for place in places:
        inside = (erf(min((length - place) / scale, DEVIATIONS)) + erf(min(place / scale, DEVIATIONS))) / 2
        first = bisect_left(edges, place - far)
        total, previous, sign = 0.0, -1.0, 1.0 if first % 2 else -1.0
        for k in range(first, len(edges)):
            if edges[k] > place + far:
                break
            here = erf((edges[k] - place) / scale)
            if sign > 0:  # text lies before this edge
                total += here - previous
            previous, sign = here, -sign
        if sign > 0:
            total += 1.0 - previous
        found.append(total / 2 / inside if inside else 0.0)
    return found


def settled_values(edges: Sequence[int], length: int, places: Sequence[float], sigma: float) -> tuple[list[float], int]:
    """Return the values after as many rounds as it takes until none moves over `SETTLED`, and the rounds."""
    before = values(edges, length, places, sigma)
    for count in range(2, ROUNDS + 1):
        after = values(edges, length, places, sigma * sqrt(count))
        if all(abs(a - b) <= SETTLED for a, b in zip(after, before, strict=True)):
            return after, count
        before = after
    return before, ROUNDS


class _Blurring:
    """What both methods share."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[Need]] = frozenset()
    anchors: ClassVar[bool]

    def __init__(self, *, threshold: float = THRESHOLD, reach: int = REACH) -> None:
        """Take the value from which text is content, and the characters on either side that count.

        Raises ConfigError for a threshold outside 0..1 or a reach below one.
        """
        if not 0 <= threshold <= 1:
            raise ConfigError(f"{self.name}: threshold is {threshold}; give 0..1")
        if reach < 1:
            raise ConfigError(f"{self.name}: reach is {reach}; give 1 or more characters")
        self.threshold = threshold
        self.reach = reach

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts most of whose characters are content; confidence is the part of the text that they hold."""
        flat = page.flat
        found, length = runs(page, anchors=self.anchors)
        if not found:
            return no_content(self.name)
        places, owners = [], []
        for run in found:
            count = max((run.end - run.begin) // STEP, 1)
            for k in range(count):
                places.append(run.begin + (k + 0.5) * (run.end - run.begin) / count)
                owners.append(run.row)
        edges: list[int] = []
        for run in found:
            if edges and edges[-1] == run.begin:
                edges[-1] = run.end
            else:
                edges += (run.begin, run.end)
        blurred, rounds = settled_values(edges, length, places, self.reach / DEVIATIONS)
        votes = [0] * len(flat)
        for row, value in zip(owners, blurred, strict=True):
            votes[row] += 1 if value >= self.threshold else -1
        nodes = cover_texts(flat, [vote > 0 for vote in votes])
        if not nodes:
            return no_content(self.name)
        evidence = {"runs": float(len(found)), "rounds": float(rounds)}
        return Extraction(nodes, self.name, sum(flat.chars[i] for i in nodes) / flat.chars[0], evidence=evidence)


@register
class ContentCodeBlurring(_Blurring):
    """All tags are code."""

    name: ClassVar[str] = "ccb"
    anchors: ClassVar[bool] = True


@register
class AdaptedContentCodeBlurring(_Blurring):
    """The tags of anchors are neither code nor text (ACCB)."""

    name: ClassVar[str] = "accb"
    anchors: ClassVar[bool] = False
