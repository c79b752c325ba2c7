"""Content code blurring: keeps texts that are surrounded by more text than code.

Source: Gottron, "Content code blurring: a new approach to content extraction", DEXA 2008 workshops. A document is a
vector of its characters, 1 for text and 0 for tags, which is blurred by a Gaussian until the values settle. Text above
a threshold is content. ACCB leaves the tags of anchors out of the vector.

Blurring n times with deviation s equals blurring once with s * sqrt(n), and the vector consists of runs. So a value is
a sum of normal distribution functions at the edges of nearby runs, and no vector of characters is built. The paper cuts
texts; here a text is kept or dropped as a whole, by most of its characters (docs/extractors.md gives the difference).
The length of tags in the source is computed from the tree: `<name key="value">` and `</name>`.
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
"""Threshold of content, and characters on either side that blur a value; the original values could not be verified."""
SETTLED: Final = 0.01
"""Maximum change of a value in one round from which the values count as settled [OWN]."""
DEVIATIONS: Final = 4
"""Number of standard deviations within which characters count [OWN]."""
ROUNDS: Final = 50
"""Maximum rounds: the last of n rounds over zeros and ones moves no value by more than 0.25 / n."""
MOST: Final = 0.5
"""Minimum share of content characters for which a text is content [OWN]: the paper cuts texts instead."""
STEP: Final = 20
FINE_STEP: Final = 10
"""Characters between two sampled values: for finding the number of rounds, and for the shares."""
VOID: Final = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))


class Run(NamedTuple):
    """A run of text; code separates runs."""

    row: int
    begin: int
    end: int
    """Characters from the beginning of the document."""


def blur(vector: Sequence[float], reach: int, sigma: float) -> list[float]:
    """Return one round of blurring as in the paper, with weights that add up to 1 inside the document."""
    weights = [exp(-(k * k) / (2 * sigma * sigma)) for k in range(reach + 1)]
    blurred = []
    for i in range(len(vector)):
        around = range(max(0, i - reach), min(len(vector), i + reach + 1))
        blurred.append(sum(weights[abs(i - j)] * vector[j] for j in around) / sum(weights[abs(i - j)] for j in around))
    return blurred


def runs(page: Page, *, anchors: bool = True) -> tuple[list[Run], int]:
    """Return the text runs of a page and its length; with `anchors=False` the tags of `a` have no length."""
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


def mirrored(edges: Sequence[int], length: int) -> list[int]:
    """Return the edges and their mirror images at the document's beginning and end, ascending.

    Each round of the paper uses only characters inside the document. Many such rounds are best approximated by a
    document that continues as its mirror image.
    """
    return [-edge for edge in reversed(edges)] + list(edges) + [2 * length - edge for edge in reversed(edges)]


def values(edges: Sequence[int], length: int, places: Sequence[float], spread: float) -> list[float]:
    """Return the blurred vector at `places`: the share of text around each, weighted by a normal distribution.

    `edges` are the beginnings and ends of the runs, `mirrored`; `spread` is the standard deviation in characters.
    """
    scale, far = spread * sqrt(2), DEVIATIONS * spread
    found = []
    for place in places:
        inside = (
            erf(min((2 * length - place) / scale, DEVIATIONS)) + erf(min((place + length) / scale, DEVIATIONS))
        ) / 2
        first = bisect_left(edges, place - far)
        total, previous, sign = 0.0, -1.0, 1.0 if first % 2 else -1.0
        for k in range(first, len(edges)):
            if edges[k] > place + far:
                break
            here = erf((edges[k] - place) / scale)
            if sign > 0:  # the text is before this edge
                total += here - previous
            previous, sign = here, -sign
        if sign > 0:
            total += 1.0 - previous
        found.append(total / 2 / inside)
    return found


def settled_rounds(edges: Sequence[int], length: int, sigma: float) -> int:
    """Return the number of rounds, at least 2, until no value of the vector changes by more than `SETTLED`.

    A round takes weighted means, so its largest change is not larger than that of the previous round. The number of
    rounds can therefore be found by bisection. The ends of the document are sampled too: values settle last there.
    """
    places = [place + 0.5 for place in (*range(0, length, STEP), length - 1)]
    known: dict[int, list[float]] = {}

    def moved(count: int) -> float:
        for n in (count - 1, count):
            if n not in known:
                known[n] = values(edges, length, places, sigma * sqrt(n))
        return max(abs(a - b) for a, b in zip(known[count - 1], known[count], strict=True))

    few, enough = 1, ROUNDS
    while enough - few > 1:
        middle = (few + enough) // 2
        if moved(middle) > SETTLED:
            few = middle
        else:
            enough = middle
    return enough


def content_shares(
    found: Sequence[Run], length: int, spread: float, edges: Sequence[int], threshold: float
) -> list[float]:
    """Return for each run the share of its characters with a value of at least the threshold, interpolated linearly."""
    places, counts = [], []
    for run in found:
        count = max((run.end - run.begin) // FINE_STEP, 1)
        counts.append(count)
        places += [run.begin + k * (run.end - run.begin) / count for k in range(count + 1)]
    above = [value - threshold for value in values(edges, length, places, spread)]
    shares, first = [], 0
    for count in counts:
        parts = zip(above[first : first + count], above[first + 1 : first + count + 1], strict=True)
        shares.append(sum(_part_above(a, b) for a, b in parts) / count)
        first += count + 1
    return shares


def _part_above(one: float, other: float) -> float:
    """Return the part, 0..1, of the straight line between two values that is not below 0."""
    if one >= 0 and other >= 0:
        return 1.0
    if one < 0 and other < 0:
        return 0.0
    return max(one, other) / abs(one - other)


class _Blurring:
    """The common part of both methods."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[Need]] = frozenset()
    anchors: ClassVar[bool]

    def __init__(self, *, threshold: float = THRESHOLD, reach: int = REACH) -> None:
        """Set the threshold of content, and the number of characters on either side that count.

        Raises ConfigError for a threshold outside 0..1 or a reach below one.
        """
        if not 0 <= threshold <= 1:
            raise ConfigError(f"{self.name}: threshold is {threshold}; give 0..1")
        if reach < 1:
            raise ConfigError(f"{self.name}: reach is {reach}; give 1 or more characters")
        self.threshold = threshold
        self.reach = reach

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts most of whose characters are content; confidence is their share of the text."""
        flat = page.flat
        found, length = runs(page, anchors=self.anchors)
        if not found:
            return no_content(self.name)
        edges: list[int] = []
        for run in found:
            if edges and edges[-1] == run.begin:
                edges[-1] = run.end
            else:
                edges += (run.begin, run.end)
        edges, sigma = mirrored(edges, length), self.reach / DEVIATIONS
        rounds = settled_rounds(edges, length, sigma)
        shares = content_shares(found, length, sigma * sqrt(rounds), edges, self.threshold)
        kept = [False] * len(flat)
        for run, share in zip(found, shares, strict=True):
            kept[run.row] = share > MOST
        nodes = cover_texts(flat, kept)
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
