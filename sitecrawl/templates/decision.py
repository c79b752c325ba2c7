"""The decision of a layout for all its pages: their kind, the place of their content, and the furniture in it.

A method first classifies each page alone. Its verdicts on one path over many pages are evidence that no single page
has: a path that is content on nearly all pages is content on a page where it looks odd, too. So the pages of a layout
are judged together, once, and the decision is stored with the template, shown to users, and applied to all its pages.
Pure: depends on no method, SQL or clock; the same pages in any order give the same decision. [OWN]
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import fsum
from statistics import median
from typing import Final, NamedTuple

KEPT: Final = 0.9
"""Share of the blocks on a path that must be kept for the path to be content."""
DROPPED: Final = 0.1
"""Share of kept blocks up to which a path is furniture (not content)."""
SEEN: Final = 4
"""Minimum number of pages with a path for a verdict."""
ALIKE: Final = 0.6
"""Share of the pages that must be of one kind; else the layout is mixed."""
SMOOTHING: Final = 5
"""Discount of a verdict on few pages: its weight on n pages is n / (n + 5)."""
PLACES: Final = 0.1
"""Minimum share of the pages with a path for the path to belong to the layout, and not to a few pages."""


class LayoutKind(StrEnum):
    """The kind of the pages of a layout."""

    ARTICLE = "article"
    THREAD = "thread"
    LISTING = "listing"
    REFERENCE = "reference"
    PRODUCT = "product"
    SERVICE = "service"
    MIXED = "mixed"


class PathEvidence(NamedTuple):
    """The verdicts of a method on the blocks on one path of one page."""

    path: int
    """Path key of the element that contains the blocks."""
    place: str
    """Readable name of the element with its ancestors: `div.main > p`."""
    blocks: int
    liked: int
    """Number of blocks kept by their probabilities alone."""
    kept: int
    """Number of blocks in the final result."""
    chars: int
    odds: float
    """Mean log odds of the blocks, relative to those of the page's threshold."""
    shared: int
    """Number of characters in texts that other pages repeat on this path."""
    inside: bool
    """Whether the path is in the content region."""


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """The verdicts of a method on one page, for the decision of its layout."""

    kind: LayoutKind
    mean: float
    """Mean characters of the kept blocks; 0 if none is kept."""
    region: int
    """Path key of the content region; 0 if nothing is kept."""
    place: str
    """Readable name of the region."""
    paths: tuple[PathEvidence, ...] = ()
    around: tuple[int, ...] = ()
    """Path keys of the elements around the region, without `html` and `body`."""


class PathVerdict(NamedTuple):
    """The verdict of a layout's pages on one path."""

    path: int
    place: str
    pages: int
    odds: float
    """Mean log odds over the pages, discounted for few pages."""
    liked: float
    """Share of its blocks kept by their probabilities alone, 0..1."""
    kept: float
    """Share of its blocks in the final results, 0..1."""
    shared: float
    """Share of its characters in texts that several pages repeat, 0..1."""


class Region(NamedTuple):
    """A content region of a layout."""

    path: int
    place: str
    share: float
    """Share of the pages whose content region this is."""
    within: float
    """Share of the pages whose content region is this one or inside it."""


@dataclass(frozen=True, slots=True)
class LayoutDecision:
    """The common decision for all pages of a layout."""

    kind: LayoutKind
    sure: float
    """Share of the pages of this kind, discounted for few pages; 0..1."""
    pages: int
    """Number of pages that it was learned from."""
    mean: float
    """Median of the mean characters of the kept blocks of a page."""
    regions: tuple[Region, ...] = ()
    """Places of the content, most frequent first."""
    content: tuple[PathVerdict, ...] = ()
    """Paths with content, most frequent first."""
    furniture: tuple[PathVerdict, ...] = ()
    """Paths inside the regions that are not content."""
    beside: tuple[PathVerdict, ...] = ()
    """Paths outside the regions that belong to the content: the headline, a lead."""
    verdicts: Mapping[int, tuple[float, float]] = field(default_factory=dict, hash=False)
    """Shares liked and kept by path key, for each path on at least `SEEN` pages."""

    @property
    def binds(self) -> bool:
        """Whether the decision is from enough pages to be applied to single pages."""
        return self.pages >= SEEN

    def lines(self) -> tuple[str, str, str]:
        """Return the decision as three lines of text."""
        where = ", ".join(f"{one.place} ({one.share:.0%} of the pages)" for one in self.regions[:2]) or "nowhere"
        out, more = _named(self.furniture, 3), _named(self.beside, 2)
        return (
            f"{self.kind} ({self.sure:.0%} sure, from {self.pages} pages), {self.mean:.0f} characters a block",
            f"content in {where}; beside it {more}",
            f"left out there: {out}",
        )


def _named(paths: Iterable[PathVerdict], most: int) -> str:
    """Return the first `most` distinct places of some paths as text; paths that differ in an id have one place."""
    return ", ".join(list(dict.fromkeys(one.place for one in paths))[:most]) or "nothing"


def decide(pages: Sequence[PageEvidence]) -> LayoutDecision | None:
    """Return the decision of a layout from the evidence of its pages; None if no page has content."""
    held = [page for page in pages if page.region]
    if not held:
        return None
    kind, alike = _kind(held)
    verdicts = _verdicts(held)
    common = [one for one in verdicts if one.pages >= max(SEEN, PLACES * len(held))]
    inside = _inside(held)
    regions = _regions(held)
    return LayoutDecision(
        kind=kind,
        sure=alike * len(held) / (len(held) + SMOOTHING),
        pages=len(held),
        mean=median(sorted(page.mean for page in held)),
        regions=regions,
        content=tuple(one for one in common if one.kept >= KEPT and inside[one.path]),
        furniture=tuple(one for one in common if one.kept <= DROPPED and inside[one.path]),
        beside=tuple(one for one in common if one.kept >= KEPT and not inside[one.path]),
        verdicts={one.path: (one.liked, one.kept) for one in verdicts},
    )


def _kind(pages: Sequence[PageEvidence]) -> tuple[LayoutKind, float]:
    """Return the most frequent kind and its share of the pages; of equals the first of `LayoutKind`.

    Lists of threads do not count against threads: a forum may have more lists than threads, and the single threads are
    recognised as such.
    """
    counts = Counter(page.kind for page in pages)
    threads, others = counts[LayoutKind.THREAD], len(pages) - counts[LayoutKind.LISTING]
    if threads >= SEEN and threads >= ALIKE * others:
        return LayoutKind.THREAD, threads / others
    kind = max(LayoutKind, key=counts.__getitem__)
    share = counts[kind] / len(pages)
    return (kind, share) if share >= ALIKE else (LayoutKind.MIXED, 1 - share)


def _regions(pages: Iterable[PageEvidence]) -> tuple[Region, ...]:
    """Return the regions that enough pages have; if there are none, the most frequent region."""
    places: dict[int, list[str]] = {}
    within = Counter[int]()
    for page in pages:
        places.setdefault(page.region, []).append(page.place)
        within.update({page.region, *page.around})
    total = sum(map(len, places.values()))
    found = [
        Region(path, shared_place(names), len(names) / total, within[path] / total) for path, names in places.items()
    ]
    found.sort(key=lambda one: (-one.share, one.place, one.path))
    return tuple(one for one in found if one.share >= PLACES) or tuple(found[:1])


def _inside(pages: Iterable[PageEvidence]) -> dict[int, bool]:
    """Return for each path whether it is in the content region on most pages that have it."""
    counts: dict[int, list[int]] = {}
    for page in pages:
        for one in page.paths:
            count = counts.setdefault(one.path, [0, 0])
            count[0] += one.inside
            count[1] += 1
    return {path: 2 * inside >= seen for path, (inside, seen) in counts.items()}


def shared_place(places: Iterable[str]) -> str:
    """Return the common name of a place on several pages: its elements with the class names that all pages have."""
    different = sorted(set(places))
    steps = [place.split(" > ") for place in different]
    if len({len(row) for row in steps}) > 1:
        return different[0]
    shared = []
    for column in zip(*steps, strict=True):
        tag, *names = column[0].split(".")
        shared.append(".".join([tag, *(name for name in names if all(name in one.split(".") for one in column))]))
    return " > ".join(shared)


def _verdicts(pages: Iterable[PageEvidence]) -> list[PathVerdict]:
    """Return the verdicts on each path that enough pages have, most frequent paths first."""
    rows: dict[int, list[PathEvidence]] = {}
    for page in pages:
        for one in page.paths:
            rows.setdefault(one.path, []).append(one)
    found = []
    for path, row in rows.items():
        seen = len(row)
        if seen < SEEN:
            continue
        _, places, blocks, liked, kept, chars, odds, shared, _ = zip(*row, strict=True)
        held = sum(blocks)
        found.append(
            PathVerdict(
                path,
                shared_place(places),
                seen,
                round(fsum(odds) / (seen + SMOOTHING), 4),
                sum(liked) / held,
                sum(kept) / held,
                sum(shared) / max(sum(chars), 1),
            )
        )
    return sorted(found, key=lambda one: (-one.pages, one.place, one.path))
