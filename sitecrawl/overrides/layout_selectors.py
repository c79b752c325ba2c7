"""Selectors that do what a crawl does with the pages of a layout, as nearly as selectors can: to be taken elsewhere.

They are read off pages with their main content, by names that authors gave: classes and ids. For the content region
the selector is taken that comes nearest to the main content; what is left out inside it is named by selectors that
touch next to nothing else. Selectors know no texts, so what only a text tells is lost. [OWN]
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from lxml.etree import _Element

from sitecrawl.dom.blocks import Blocks, text_blocks
from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page

MOST: Final = 0.9
"""Share of the kept characters that a region holds."""
ABOVE: Final = 3
"""Elements around a region that may stand for it."""
REGIONS: Final = 4
"""Most selectors of regions: the first that selects something counts."""
COMMON: Final = 0.1
"""Share of the pages on which such a selector must select something; a name with a number is mostly of one page."""
ALMOST: Final = 0.01
"""Gain in the mean score from which another region is added."""
TOUCHED: Final = 0.05
"""Share of what a selector of furniture holds that may be content."""
WORTH: Final = 0.002
"""Share of the text of the regions that such a selector must hold."""
LEFT_OUT: Final = 40
"""Most selectors of furniture."""
TELLING: Final = frozenset(("main", "article"))
"""Tags that name a region by themselves."""
APART: Final = frozenset(("nav", "aside", "footer", "header", "form", "button", "select", "menu"))
"""Tags that name furniture by themselves."""
_NAMED: Final = re.compile(r"[.#]")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class LayoutSelectors:
    """The selectors of one layout, in CSS."""

    content: tuple[str, ...]
    """Of these the first that selects something is the content."""
    exclude: tuple[str, ...] = ()
    """Selectors of the elements to leave out inside the content."""
    beside: tuple[str, ...] = ()
    """What belongs to the content and stands elsewhere: it comes first."""
    score: float = 0.0
    """Characters in common with the main content (F1), mean over the pages that they were read off."""


class _Sample(NamedTuple):
    """A page, with what is kept of it."""

    flat: FlatDom
    blocks: Blocks
    kept: list[int]
    """Kept characters of each subtree."""
    names: list[tuple[str, ...]]
    """Selectors of each row by itself, the most telling first; () for a text."""


class _Scored(NamedTuple):
    selector: str
    scores: list[float]
    """For each page, -1 where it selects nothing."""


def layout_selectors(pages: Iterable[tuple[Page, Sequence[int]]]) -> LayoutSelectors | None:
    """Return the selectors that these pages agree on, given with the rows of their main content.

    None where no page has any, or where nothing that holds it has a name.
    """
    samples = [_sample(page, nodes) for page, nodes in pages if nodes]
    regions = [_region(one) for one in samples]
    candidates: dict[str, None] = {}
    for one, region in zip(samples, regions, strict=True):
        for row in _chain(one.flat, region, ABOVE):
            candidates.update(dict.fromkeys(_selectors(one, row)))
    named = [name for name in candidates if _telling(name, TELLING)]  # of a site without names, tags alone
    scored = [_Scored(selector, [_score(one, selector) for one in samples]) for selector in named or candidates]
    chosen = _chosen(scored, len(samples))
    if not chosen:
        return None
    held = [_held(one, chosen) for one in samples]
    exclude = _furniture(samples, held)
    scores = [_fitted(one, row, exclude) for one, row in zip(samples, held, strict=True)]
    beside = _beside(samples, held)
    return LayoutSelectors(tuple(chosen), tuple(exclude), tuple(beside), sum(scores) / len(scores))


def _sample(page: Page, nodes: Sequence[int]) -> _Sample:
    flat = page.flat
    kept = [0] * len(flat)
    for node in nodes:
        for row in range(node, flat.end[node]):
            if flat.tag[row] == TEXT:
                kept[row] = flat.chars[row]
    for row in range(len(flat) - 1, 0, -1):
        kept[flat.parent[row]] += kept[row]
    sources = elements(page.root)
    names = [() if tag == TEXT else _names(next(sources)) for tag in flat.tag]
    return _Sample(flat, text_blocks(flat), kept, names)


def _names(element: _Element) -> tuple[str, ...]:
    """Return selectors of an element by its own names, and by its tag last."""
    tag = str(element.tag)
    found = []
    own = element.get("id") or ""
    if _NAME.fullmatch(own):
        found.append(f"{tag}#{own}")
    tokens = sorted({token for token in (element.get("class") or "").split() if _NAME.fullmatch(token)})
    if len(tokens) > 1:
        found.append(".".join((tag, *tokens)))
    found += [f"{tag}.{token}" for token in tokens]
    return (*found, tag)


def _chain(flat: FlatDom, row: int, levels: int) -> Iterator[int]:
    """Yield a row and those above it."""
    for _ in range(levels):
        if row <= 0:
            return
        yield row
        row = flat.parent[row]


def _region(one: _Sample) -> int:
    """Return the deepest element that holds `MOST` of what is kept."""
    row, flat = 0, one.flat
    while True:
        inner = (child for child in _children(flat, row) if one.kept[child] >= MOST * one.kept[0])
        below = next(inner, None)
        if below is None or flat.tag[below] == TEXT:
            return row
        row = below


def _children(flat: FlatDom, row: int) -> Iterator[int]:
    child = row + 1
    while child < flat.end[row]:
        yield child
        child = flat.end[child]


def _selectors(one: _Sample, row: int) -> Iterator[str]:
    """Yield selectors of a row: by its own names, and by those of the element above."""
    above = one.flat.parent[row]
    for name in one.names[row]:
        yield name
        if above > 0:
            for other in one.names[above]:
                yield f"{other} > {name}"


def _telling(selector: str, tags: frozenset[str]) -> bool:
    """Say whether a selector has a class, an id, or one of these tags."""
    return _NAMED.search(selector) is not None or not tags.isdisjoint(selector.split(" > "))


def _matches(one: _Sample, selector: str) -> list[int]:
    """Return the rows that a selector of this module selects, outermost only."""
    above, _, name = selector.rpartition(" > ")
    found, end = [], 0
    for row, names in enumerate(one.names):
        if row >= end and name in names and (not above or (row > 0 and above in one.names[one.flat.parent[row]])):
            found.append(row)
            end = one.flat.end[row]
    return found


def _f1(kept: int, held: int, total: int) -> float:
    return 2 * kept / (held + total) if held + total else 0.0


def _score(one: _Sample, selector: str) -> float:
    """Return how near what a selector selects comes to what is kept, -1 where it selects nothing."""
    rows = _matches(one, selector)
    if not rows:
        return -1.0
    flat, kept = one.flat, one.kept
    inside = sum(kept[row] for row in rows)
    # what is left out below may be named, so it counts half
    held = sum((flat.chars[row] + kept[row]) / 2 for row in rows)
    return _f1(inside, round(held), kept[0])


def _chosen(scored: list[_Scored], pages: int) -> list[str]:
    """Return selectors of which the first that selects something is taken.

    One after the other that one is added which helps most: before the others, where it selects something else than
    they do, or after them, where they select nothing.
    """
    chosen: list[str] = []
    current = [-1.0] * pages
    least = min(pages, max(2.0, COMMON * pages))
    scored = [one for one in scored if sum(score >= 0 for score in one.scores) >= least]
    for _ in range(REGIONS):
        best, gain = None, ALMOST * pages
        for one in scored:
            for first in (False, True):
                scores = _joined(one.scores, current) if first else _joined(current, one.scores)
                added = sum(max(score, 0.0) for score in scores) - sum(max(score, 0.0) for score in current)
                if added > gain + 1e-9:
                    best, gain = (one.selector, first, scores), added
        if best is None:
            break
        selector, first, current = best
        chosen.insert(0 if first else len(chosen), selector)
    return chosen


def _joined(first: Sequence[float], then: Sequence[float]) -> list[float]:
    """Return the scores of two selectors in this order."""
    return [one if one >= 0 else other for one, other in zip(first, then, strict=True)]


def _held(one: _Sample, chosen: Sequence[str]) -> list[int]:
    return next((rows for selector in chosen if (rows := _matches(one, selector))), [])


def _furniture(samples: Sequence[_Sample], held: Sequence[list[int]]) -> list[str]:
    """Return selectors that hold what is left out inside the regions, and next to nothing that is kept."""
    total = sum(one.flat.chars[row] for one, rows in zip(samples, held, strict=True) for row in rows)
    candidates: Counter[str] = Counter()
    for one, rows in zip(samples, held, strict=True):
        for top in rows:
            for row in _left_out(one, top):
                named = {name for name in _selectors(one, row) if _telling(name, APART)}
                candidates.update(dict.fromkeys(named, one.flat.chars[row]))
    found: list[str] = []
    covered: list[set[int]] = [set() for _ in samples]
    for selector, chars in candidates.most_common(10 * LEFT_OUT):
        if chars < WORTH * total or len(found) == LEFT_OUT:
            break
        dropped = kept = 0
        new: list[list[int]] = []
        for one, rows, done in zip(samples, held, covered, strict=True):
            inside = [row for row in _matches(one, selector) if any(top < row < one.flat.end[top] for top in rows)]
            new.append(inside)
            fresh = [row for row in inside if row not in done]
            kept += sum(one.kept[row] for row in fresh)
            dropped += sum(one.flat.chars[row] - one.kept[row] for row in fresh)
        if dropped >= WORTH * total and kept <= TOUCHED * (kept + dropped):
            found.append(selector)
            for one, rows, done in zip(samples, new, covered, strict=True):
                for row in rows:
                    done.update(range(row, one.flat.end[row]))
    return found


def _left_out(one: _Sample, top: int) -> Iterator[int]:
    """Yield the outermost elements below a row of which nothing is kept."""
    flat, row = one.flat, top + 1
    while row < flat.end[top]:
        if flat.tag[row] != TEXT and not one.kept[row] and flat.chars[row]:
            yield row
            row = flat.end[row]
        else:
            row += 1


def _fitted(one: _Sample, rows: Sequence[int], exclude: Sequence[str]) -> float:
    """Return the share of characters that the selectors have in common with what is kept (F1)."""
    flat = one.flat
    out: set[int] = set()
    for selector in exclude:
        for row in _matches(one, selector):
            out.update(range(row, flat.end[row]))
    texts = [row for top in rows for row in range(top, flat.end[top]) if flat.tag[row] == TEXT and row not in out]
    return _f1(sum(one.kept[row] for row in texts), sum(flat.chars[row] for row in texts), one.kept[0])


def _beside(samples: Sequence[_Sample], held: Sequence[list[int]]) -> list[str]:
    """Return the headline, where most pages keep one outside their region."""
    count: Counter[str] = Counter()
    for one, rows in zip(samples, held, strict=True):
        flat = one.flat
        for row, tag in enumerate(flat.tag):
            inside = any(top <= row < flat.end[top] for top in rows)
            if tag == "h1" and not inside and flat.chars[row] and one.kept[row] == flat.chars[row]:
                count.update(set(_selectors(one, row)))
    enough = [selector for selector, pages in count.most_common() if pages >= MOST * len(samples)]
    return enough[:1]
