"""The layouts of a site: sets of similar pages, each with a separate template.

After a redesign of a site, or of a section, pages match no known layout. These outliers are collected as a candidate
layout, which becomes a layout beside the old one when enough of them resemble each other. A page belongs to the layout
that contains most of its elements; so two designs can exist side by side, and a single odd page has no effect. The
first pages of a site form its first layout. Separate layouts are [OWN].

Over 300 lines: one decision, which layout a page has, with its state.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.learner import Edition, TemplateLearner
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.templates.volatile import VolatileBlocks

DRIFT: Final = 0.5
"""Maximum share of a page's elements that are unknown in its layout. On recorded sites, 5 % of the pages that were not
learned exceed it; with other tags and classes at least 0.75 of the elements are unknown."""
CHANGED: Final = 0.5
"""Factor of that share for a known page whose own tree has changed by DRIFT: a redesign may keep the page frame."""
LIKENESS: Final = 0.5
"""Minimum share of the outliers' unknown elements that must be on two or more of them to form a layout."""
KNOWN: Final = 30
"""Number of pages of a layout from which a new page that does not match is an outlier."""
FEW: Final = 5
"""Minimum outliers that form a layout if no more will come: five pages give most of the benefit of a template."""


class Layout:
    """One layout and its template: the growing one, and the published one."""

    __slots__ = (
        *("_judged_at", "decision", "known", "learner", "noticed"),
        *("number", "opened_here", "stranger_keys", "template", "volatile"),
    )

    def __init__(self, number: int, learner: TemplateLearner) -> None:
        self.number = number
        self.learner = learner
        self.template: SiteTemplate | None = None
        """The published snapshot."""
        self.decision: LayoutDecision | None = None
        """The decision of the layout with that snapshot."""
        self.volatile = VolatileBlocks()
        """The volatile places of the layout, in their stored form."""
        self.known: frozenset[int] = frozenset()
        """Path keys of its elements."""
        self.opened_here = True
        """Whether this crawl opened the layout; then pages that match no layout may still belong to it."""
        self.noticed = False
        """Whether this candidate layout was already reported (`SiteLayouts.noticed`)."""
        self.stranger_keys = 0
        """Number of distinct elements of its pages that were in no other layout, summed over the pages."""
        self._judged_at = 0

    @property
    def blocks(self) -> BlockStore | None:
        """The atomic blocks of the published version."""
        return self.learner.published_blocks

    @property
    def open(self) -> bool:
        """Whether pages that match no layout still belong to this one."""
        return self.opened_here and not self.learner.stable

    @property
    def undecided(self) -> bool:
        """Whether its pages must wait for a template, since there may soon be enough of them."""
        return self.template is None and not self._judged_at

    def take(self, template: SiteTemplate, published: TemplateChanges) -> None:
        """Set the published snapshot, its decision and its volatile places."""
        self.template, self.decision, self.volatile = template, published.decision, published.volatile
        self.known = frozenset(node.key for node in template.nodes.values() if not node.is_text)

    @property
    def known_well(self) -> bool:
        """Whether the layout has seen enough pages that a new page which does not match is an outlier."""
        return self.learner.ready or self.learner.template.pages_seen >= KNOWN

    def judge(self, others: Iterable["Layout"]) -> bool:
        """Return whether its pages form a layout beside the others; from now on they do not wait for that decision."""
        self._judged_at = self.learner.template.pages_seen
        return self.resembles_itself(others)

    def resembles_itself(self, others: Iterable["Layout"]) -> bool:
        """Return whether its pages share most of the elements that are in no other layout."""
        elsewhere = frozenset[int]().union(*(other.known for other in others))
        shared = sum(
            node.pages for node in self.learner.template.kept() if not node.is_text and node.key not in elsewhere
        )
        return self.stranger_keys > 0 and shared >= LIKENESS * self.stranger_keys

    @property
    def due(self) -> bool:
        """Whether the layout must decide now. Outliers are judged instead, each time that their number has doubled."""
        return self.learner.due() and self.learner.template.pages_seen >= 2 * self._judged_at


class SiteLayouts:
    """All layouts in use of a site. Depends on no clock, no SQL and no URL: a pure function of the pages in order."""

    def __init__(self, learner: Callable[[], TemplateLearner], drift: float = DRIFT) -> None:
        self._learner = learner
        self.drift = drift
        self.version = 0
        """The last version number given to a template."""
        self._last = 0
        self._all: dict[int, Layout] = {}

    def __iter__(self) -> Iterator[Layout]:
        return iter(self._all.values())

    def __getitem__(self, number: int) -> Layout:
        return self._all[number]

    def get(self, number: int | None) -> Layout | None:
        """Return a layout in use by its number."""
        return self._all.get(number) if number is not None else None

    @property
    def published(self) -> list[Layout]:
        """The layouts with a template, by number."""
        return [layout for layout in self if layout.template is not None]

    @property
    def newest(self) -> Layout | None:
        """The last published layout, or else the one that is being learned."""
        return max(self, key=lambda one: (one.template.version if one.template else 0, one.number), default=None)

    @property
    def outliers(self) -> Layout | None:
        """The candidate layout of outliers, while it is not published."""
        return next((layout for layout in self if layout.template is None), None)

    def number_from(self, layout: int, version: int) -> None:
        """Continue the numbering of layouts and versions after these numbers."""
        self._last, self.version = max(self._last, layout), max(self.version, version)

    def restore(self, stored: TemplateChanges, *, opened_here: bool) -> Layout:
        """Restore a layout from a stored template."""
        layout = self._all[stored.layout] = Layout(stored.layout, self._learner())
        layout.take(layout.learner.restore(stored), stored)
        layout.opened_here = opened_here
        self.number_from(stored.layout, stored.version)
        return layout

    def add_blocks(self, counted: TemplateChanges) -> None:
        """Add the atomic blocks that were counted now for a restored template without any."""
        self._all[counted.layout].learner.add_blocks(counted)

    def renew(self, number: int) -> Layout:
        """Replace a known layout by an empty one with the same number, and return it."""
        layout = self._all[number] = Layout(number, self._learner())
        layout.opened_here = False
        return layout

    def nearest(self, flat: FlatDom) -> tuple[Layout | None, float]:
        """Return the published layout with most of a page's elements, and the share of elements unknown in it."""
        if not self.published:
            return None, 1.0
        keys = element_keys(flat)
        best, least = None, 1.0
        for layout in self.published:
            share = len(keys - layout.known) / len(keys)
            if best is None or share < least:
                best, least = layout, share
        return best, least

    def find(self, flat: FlatDom) -> Layout | None:
        """Return the published layout with which a page is extracted; None if it matches none of them."""
        best, unknown = self._sole_growing, 0.0
        if best is None:
            best, unknown = self.nearest(flat)
        return best if unknown <= self.drift or self._growing else None

    @property
    def _growing(self) -> bool:
        """Whether a published layout is still growing, so that pages that match nothing else may belong to it."""
        return any(layout.open for layout in self.published)

    @property
    def _sole_growing(self) -> Layout | None:
        """The only published layout, if it is still growing: all pages belong to it."""
        published = self.published
        return published[0] if len(published) == 1 and published[0].open else None

    def doubtful(self, flat: FlatDom) -> bool:
        """Return whether the layout of a page depends on its earlier version."""
        return not self._growing and self._doubtful(*self.nearest(flat))

    def _doubtful(self, best: Layout | None, unknown: float) -> bool:
        return best is not None and not self._growing and unknown > CHANGED * self.drift

    def place(self, flat: FlatDom, before: FlatDom | None = None, layout: int | None = None) -> Layout:
        """Return the layout of a page; `before` and `layout` are its columns and its layout at the last fetch.

        An unchanged page keeps its layout, even if it matches none; for a changed page, the limit of unknown elements
        is lower than for a new one.
        """
        sole = self._sole_growing
        if sole is not None:
            return sole
        best, unknown = self.nearest(flat)
        if best is None:
            return self.outliers or self._open()
        if not self._doubtful(best, unknown):
            return best
        if before is not None and unknown_share(flat, element_keys(before)) <= CHANGED * self.drift:
            return self.get(layout) or best
        if before is None and unknown <= self.drift:
            return best
        if before is None and self.outliers is None and not best.known_well:
            return best  # with few pages seen, the layout is still growing
        return self.outliers or self._open()

    def _open(self) -> Layout:
        self._last += 1
        layout = self._all[self._last] = Layout(self._last, self._learner())
        return layout

    def learn(self, page: Page, layout: Layout) -> bool:
        """Count a page in a layout; return False if it was skipped."""
        seen = layout.learner.see(page)
        if seen and layout.template is None:
            elsewhere = frozenset[int]().union(*(other.known for other in self.published))
            layout.stranger_keys += len(element_keys(page.flat) - elsewhere)
        return seen

    def due(self) -> list[Layout]:
        """Return the layouts to publish now; outliers are only among them if they form a layout."""
        return [one for one in self if one.due and (one.template is not None or self._is_layout(one))]

    def noticed(self, layout: Layout) -> bool:
        """Return True once for a candidate layout, when a few of its outliers resemble each other."""
        if layout.template is not None or not self.published or layout.noticed:
            return False
        enough = layout.learner.template.pages_seen >= FEW
        layout.noticed = enough and layout.resembles_itself(self.published)
        return layout.noticed

    def conclude(self) -> Layout | None:
        """Judge the outliers when no more pages will come; if they form no layout, drop and return it, else None."""
        waiting = self.outliers
        if waiting is None or not self.published:
            return None
        if waiting.learner.template.pages_seen >= FEW and self._is_layout(waiting):
            return None
        self._last -= 1
        return self._all.pop(waiting.number)

    def _is_layout(self, layout: Layout) -> bool:
        """Return whether the pages form a layout: outliers must resemble each other, the first pages of a site not."""
        return not self.published or layout.judge(self.published)

    def publish(self, layout: Layout) -> TemplateChanges:
        """Put the counts of a layout in use as its template; return the change of the stored one."""
        edition = self.prepare(layout)
        self.accept(layout, edition)
        return edition.changes

    def prepare(self, layout: Layout) -> Edition:
        """Return the publication of a layout; nothing changes until it is accepted."""
        return layout.learner.prepare(self.version + 1, layout.number)

    def accept(self, layout: Layout, edition: Edition) -> None:
        """Put a stored publication in use."""
        self.version = edition.changes.version
        layout.learner.accept(edition)
        layout.take(edition.template, edition.changes)

    def drop(self, number: int) -> None:
        """Drop a layout that no page has any more."""
        self._all.pop(number, None)


def element_keys(flat: FlatDom) -> set[int]:
    """Return the distinct path keys of a page's elements.

    Texts are ignored: on many sites most texts of a page are new, whatever its layout.
    """
    return set(compress(flat.path, map(TEXT.__ne__, flat.tag)))


def unknown_share(flat: FlatDom, known: set[int] | frozenset[int]) -> float:
    """Return the share of a page's distinct elements that are unknown, 0..1."""
    keys = element_keys(flat)
    return len(keys - known) / len(keys)
