"""Derives selectors that approximate the extraction of a layout's pages, for use outside sitecrawl.

The selectors are derived from pages whose main content is known, in three steps. First, selectors of dropped elements
are collected. Second, the content selectors are chosen whose elements, without those dropped elements, are most similar
to the main content. Third, those selectors of the first step are kept that improve the result. This is done for each
weight in `RAW`, and the best result is returned. Selectors do not see texts, so decisions that depend on a text are
lost. [OWN]
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sitecrawl.overrides.layout_furniture import Furniture, clean_furniture, helpful
from sitecrawl.overrides.layout_pages import Kept, LayoutPage, Line, Sums, layout_page, mean
from sitecrawl.overrides.named_rows import Compound, Selector

LISTING: Final = 0.05
"""Weight of a listing among the pages; it only decides between selectors that are equal on the other pages."""
MOST: Final = 0.9
"""Minimum share of the kept characters in a region; also the minimum share of pages with a headline outside it."""
ABOVE: Final = 3
"""Number of ancestors of a region that may be selected instead of it."""
PARTS: Final = 4
"""Number of the largest entirely kept elements of a page that may be regions, or be added to one."""
REGIONS: Final = 4
"""Maximum number of selectors of regions."""
WIDER: Final = 3
"""Maximum number of selectors of further kept elements that are added to a region."""
COMMON: Final = 0.1
"""Minimum share of the pages on which a selector selects something; most names with a number occur on one page."""
ALMOST: Final = 0.005
"""Minimum gain in the mean score for which another region is added."""
MUCH: Final = 0.01
"""Minimum gain in the mean score for which further kept elements are added to a region."""
EASE: Final = 0.001
"""Gain in the mean score that justifies one more part of a selector."""
REGION: Final = 0.002
"""Gain in the mean score that justifies one more selector of a region."""
LINE: Final = 0.0005
"""Gain in the mean score that justifies one more selector of furniture."""
RAW: Final = (0.1, 0.5, 0.9)
"""Weights of a region's score with its furniture, against the score without it; the result for each is compared."""
TELLING: Final = frozenset(("main", "article"))
"""Tags that identify a region without a class or id."""
BODY: Final = Selector(Compound("body"))


@dataclass(frozen=True, slots=True)
class LayoutSelectors:
    """The selectors of one layout, in CSS."""

    content: tuple[str, ...]
    """Selectors in order of precedence; the first that selects anything is the content."""
    exclude: tuple[str, ...] = ()
    """Selectors of the elements to leave out inside the content."""
    beside: tuple[str, ...] = ()
    """Selectors of content outside the region, which comes before it."""
    score: float = 0.0
    """Mean F1 of the selected characters compared with the main content, over the pages used."""


class _Scored(NamedTuple):
    line: Line
    scores: list[float]
    """The score on each page; -1 where nothing is selected."""

    @property
    def cost(self) -> float:
        return EASE * sum(one.cost for one in self.line)


class _Plan(NamedTuple):
    """Selectors of regions and furniture, with their score."""

    worth: float
    lines: list[Line]
    furniture: list[Furniture]
    scores: list[float]


def layout_selectors(pages: Iterable[Kept], listings: Iterable[Kept] = ()) -> LayoutSelectors | None:
    """Return the selectors that fit these pages best, given with the rows of their main content.

    Listings count little. The result is None if no page has any content.
    """
    found = [layout_page(page, nodes, 1.0) for page, nodes in pages]
    read = [one for one in found if one.total]
    if not read:
        return None
    count = len(read)
    read += [one for page, nodes in listings if (one := layout_page(page, nodes, LISTING)).total]
    regions = [_region(one) for one in read]
    clean = clean_furniture(read, [_around(one, region) for one, region in zip(read, regions, strict=True)])
    sums = [one.without(_out(one, page, clean)) for page, one in enumerate(read)]
    candidates = _candidates(read, regions)
    plans: list[_Plan] = []
    for raw in RAW:
        lines = _Content(read, sums, raw).lines(candidates)
        if all(lines != plan.lines for plan in plans):
            plans.append(_plan(read, lines, clean))
    best = max(plans, key=lambda plan: plan.worth)
    content = tuple(", ".join(map(str, line)) for line in best.lines)
    exclude = tuple(str(one.selector) for one in best.furniture)
    beside = _beside(read[:count], best.lines)
    return LayoutSelectors(content, exclude, beside, mean(read[:count], best.scores[:count]))


def _plan(pages: Sequence[LayoutPage], lines: list[Line], clean: Sequence[Furniture]) -> _Plan:
    """Return a plan with these regions and the furniture that improves its score."""
    tops = [one.tops(lines) for one in pages]
    furniture = helpful(pages, tops, clean)
    scores = []
    for page, one in enumerate(pages):
        scores.append(one.score(tops[page], one.without(_out(one, page, furniture))))
    cost = sum(one.cost for line in lines for one in line) + sum(one.selector.cost for one in furniture)
    count = sum(one.weight > LISTING for one in pages)  # listings are at the end
    worth = mean(pages[:count], scores[:count]) - EASE * cost - REGION * len(lines) - LINE * len(furniture)
    return _Plan(worth, lines, furniture, scores)


def _out(page: LayoutPage, number: int, furniture: Iterable[Furniture]) -> bytearray:
    """Return an array with 1 for each row that furniture removes from a page; `number` is the page's number."""
    return page.marked(row for each in furniture for row in each.rows[number])


def _region(page: LayoutPage) -> int:
    """Return the row of the deepest element that contains the share `MOST` of the kept characters."""
    row = 0
    while True:
        inner = (child for child in page.named.children(row) if page.held((child,), page.whole)[1] >= MOST * page.total)
        below = next(inner, None)
        if below is None:
            return row
        row = below


def _chain(page: LayoutPage, row: int, levels: int) -> Iterator[int]:
    """Yield a row and its ancestors without the root, at most `levels` rows."""
    while row > 0 and levels > 0:
        yield row
        row, levels = page.named.parent(row), levels - 1


def _around(page: LayoutPage, region: int) -> int:
    """Return the row below which furniture is searched for: the highest ancestor of a region that may be selected."""
    return min(_chain(page, region, ABOVE + 1), default=0)


def _least(pages: Sequence[LayoutPage]) -> float:
    return min(len(pages), max(2.0, COMMON * len(pages)))


def _candidates(pages: Sequence[LayoutPage], regions: Sequence[int]) -> list[Selector]:
    """Return selectors of the regions, of their ancestors and of their largest parts, the simplest first."""
    count: Counter[Selector] = Counter()
    for one, region in zip(pages, regions, strict=True):
        for row in {*_chain(one, region, ABOVE), *_largest(one, one.alike(region, kept=True))}:
            count.update(set(one.named.selectors(row)))
    enough = _least(pages) / 2  # a selector may also match on pages where it is no candidate
    return [*_distinctive(name for name, pages_with in count.items() if pages_with >= enough), BODY]


def _largest(page: LayoutPage, rows: Iterable[int]) -> list[int]:
    return sorted(rows, key=lambda row: -page.held((row,), page.whole)[0])[:PARTS]


def _distinctive(names: Iterable[Selector]) -> list[Selector]:
    """Return the selectors with a class, an id or a tag in `TELLING`, the simplest first."""
    distinctive = [name for name in names if name.named or any(part.tag in TELLING for part in name.parts)]
    return sorted(distinctive, key=lambda name: (name.cost, str(name)))


class _Content:
    """Chooses the selectors of regions."""

    def __init__(self, pages: Sequence[LayoutPage], sums: Sequence[Sums], raw: float) -> None:
        self.pages, self.sums, self.raw = pages, sums, raw
        self.least = _least(pages)

    def lines(self, candidates: Iterable[Selector]) -> list[Line]:
        """Return lines of selectors in order of precedence: the first that selects anything counts."""
        scored = [self._scored((name,)) for name in candidates]
        return self._widened(self._chosen([one for one in scored if _selecting(one) >= self.least]))

    def _scored(self, line: Line) -> _Scored:
        scores = []
        for one, clean in zip(self.pages, self.sums, strict=True):
            rows, raw = one.matches(line), self.raw
            scores.append((1 - raw) * one.score(rows, clean) + raw * one.score(rows, one.whole) if rows else -1.0)
        return _Scored(line, scores)

    def _joined(self, scored: Iterable[_Scored]) -> list[float]:
        """Return the score of each page by the first of these selectors that selects anything on it, else -1."""
        current = [-1.0] * len(self.pages)
        for one in scored:
            current = [now if now >= 0 else score for now, score in zip(current, one.scores, strict=True)]
        return current

    def _chosen(self, scored: list[_Scored]) -> list[_Scored]:
        """Return the selectors in order of precedence, chosen greedily: each step adds the one with the largest gain.

        A selector is put first, where it replaces what the others select, or last, where it applies to pages on which
        the others select nothing. If some pages are still without a selection, the best selector that covers all of
        them is added at the end.
        """
        chosen: list[_Scored] = []
        for _ in range(REGIONS):
            current = _Scored((), self._joined(chosen))
            reached, best, gain = mean(self.pages, current.scores), None, ALMOST
            for one in scored:
                for first in (False, True):
                    scores = self._joined((one, current) if first else (current, one))
                    added = mean(self.pages, scores) - reached - one.cost
                    if added > gain + 1e-9:
                        best, gain = (one, first), added
            if best is None:
                break
            chosen.insert(0 if best[1] else len(chosen), best[0])
        left = [page for page, score in enumerate(self._joined(chosen)) if score < 0]
        plain = [one for one in scored if left and (not one.line[0].cost or one.line == (BODY,))]
        able = [one for one in plain if all(one.scores[page] >= 0 for page in left)]
        if able:
            chosen.append(max(able, key=lambda one: mean(self.pages, one.scores) - one.cost))
        return chosen

    def _widened(self, chosen: list[_Scored]) -> list[Line]:
        """Return the selectors, some of them widened by others that select kept elements in other places."""
        for _ in range(WIDER):
            reached, best, gain = mean(self.pages, self._joined(chosen)), None, MUCH
            for name in self._elsewhere([one.line for one in chosen]):
                for number, one in enumerate(chosen):
                    wider = [*chosen[:number], self._scored((name, *one.line)), *chosen[number + 1 :]]
                    added = mean(self.pages, self._joined(wider)) - reached - EASE * name.cost
                    if added > gain + 1e-9:
                        best, gain = wider, added
            if best is None:
                break
            chosen = best
        return [one.line for one in chosen]

    def _elsewhere(self, lines: Sequence[Line]) -> list[Selector]:
        """Return selectors of kept elements that no line selects."""
        count: Counter[Selector] = Counter()
        for one in self.pages:
            selected = one.marked(one.tops(lines))
            for row in _largest(one, (row for row in one.alike(0, kept=True) if not selected[row])):
                count.update(set(one.named.selectors(row)))
        return _distinctive(name for name, pages in count.items() if pages >= self.least)


def _selecting(scored: _Scored) -> int:
    """Return the number of pages on which a line of selectors selects anything."""
    return sum(score >= 0 for score in scored.scores)


def _beside(pages: Sequence[LayoutPage], lines: Sequence[Line]) -> tuple[str, ...]:
    """Return a selector of the headline if most pages keep one outside their region, else ()."""
    count: Counter[Selector] = Counter()
    for one in pages:
        selected = one.marked(one.tops(lines))
        for row in one.alike(0, kept=True):
            for inner in (row, *one.named.children(row)):
                if one.tag[inner] == "h1" and not selected[inner]:
                    count.update(set(one.named.selectors(inner)))
    enough = [name for name, found in count.items() if found >= MOST * len(pages)]
    return (str(min(enough, key=lambda name: (name.cost, str(name)))),) if enough else ()
