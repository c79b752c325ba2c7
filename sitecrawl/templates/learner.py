"""Decides when to learn from a page, and when a layout decides, which publishes its template.

All pages up to the decision are learned and none of their counts is dropped, so the template of a layout with up to
`min_pages` pages does not depend on their order. Later counts are kept separate from the published ones, for a new
decision when the layout has grown (`grown`).
"""

from collections import deque
from copy import copy
from dataclasses import replace
from typing import Final, NamedTuple

from sitecrawl.dom.page import Page
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.snapshot import Publisher, merge, merge_blocks
from sitecrawl.templates.trie import MAX_NODES, MIN_SHARE, WINDOW, SiteTemplate

RECENT: Final = 32
"""Number of pages over which novelty is averaged and stability is judged."""
DECIDED: Final = 128
"""Number of pages after which a layout decides [OWN]: most templates have stopped changing before."""
REMEMBERED: Final = 1_000
"""Number of learned pages that are remembered, to skip exact copies, which would make content look repeated."""


class TemplateLearner:
    """A growing template and, with `learn_blocks`, its atomic blocks. Uses no clock and no SQL.

    It does not know layouts: each layout has a separate learner (`layouts`).
    """

    def __init__(
        self,
        *,
        min_pages: int = DECIDED,
        window: int = WINDOW,
        min_share: float = MIN_SHARE,
        max_nodes: int = MAX_NODES,
        stable_novelty: float = 0.01,
        sample_every: int = 20,
        learn_blocks: bool = False,
    ) -> None:
        self.min_pages = min_pages
        self.stable_novelty = stable_novelty
        self.sample_every = sample_every
        self.learn_blocks = learn_blocks
        self.window = window
        self.template = SiteTemplate(window=max(window, min_pages), min_share=min_share, max_nodes=max_nodes)
        self.blocks = BlockStore(window=window, min_share=min_share, max_blocks=max_nodes)
        self.published_blocks: BlockStore | None = None
        """The atomic blocks of the last publication; None without any."""
        self.stable_since: int | None = None
        """Number of pages learned when the template stopped changing."""
        self._publisher = Publisher()
        self._published_at = 0
        self._passed = 0
        self._novelties: deque[float] = deque(maxlen=RECENT)
        self._copies: dict[int, None] = {}

    def see(self, page: Page) -> bool:
        """Learn from a page; return False if it was skipped.

        Skipped are pages with the same nodes as a learned one, and most pages of a stable template.
        """
        flat = page.flat
        if flat.fingerprint in self._copies:
            return False
        if self.stable:
            self._passed += 1
            if self._passed % self.sample_every:
                return False
        self._copies[flat.fingerprint] = None
        if len(self._copies) > REMEMBERED:
            del self._copies[next(iter(self._copies))]
        self._novelties.append(self.template.learn(flat))
        if self.learn_blocks:
            self.blocks.learn(flat)
        seen = self.template.pages_seen
        if (
            self.ready
            and not self.stable
            and seen % RECENT == 0
            and self.template.new_share(RECENT) < self.stable_novelty
        ):
            self.stable_since = seen
        return True

    def has_seen(self, page: Page) -> bool:
        """Return whether a page with the same nodes was learned."""
        return page.flat.fingerprint in self._copies

    @property
    def ready(self) -> bool:
        """Whether enough pages were learned for a decision."""
        return self.template.pages_seen >= self.min_pages

    @property
    def stable(self) -> bool:
        """Whether the template stopped changing; then only one page in `sample_every` is learned."""
        return self.stable_since is not None

    @property
    def novelty(self) -> float:
        """Mean share of new keys on the last learned pages, 0..1."""
        return sum(self._novelties) / len(self._novelties) if self._novelties else 1.0

    def due(self) -> bool:
        """Whether the layout must decide now: enough pages were learned, and it never decided, or from too few."""
        return self.ready and (not self._published_at or (self.provisional and self.grown()))

    def grown(self, more: int = 0) -> bool:
        """Return whether the published template counts at most half of the learned pages and `more` others."""
        return 0 < 2 * self._published_at <= self.template.pages_seen + more

    @property
    def provisional(self) -> bool:
        """Whether the layout decided from fewer than `min_pages` pages, because no more were left."""
        return 0 < self._published_at < self.min_pages

    def publish(self, version: int = 0, layout: int = 1) -> tuple[SiteTemplate, TemplateChanges]:
        """Return a snapshot and the deltas that bring storage to the same state.

        The version is the given one, or else the next one. The snapshot of the blocks is in `published_blocks`.
        """
        edition = self.prepare(version or self.template.version + 1, layout)
        self.accept(edition)
        return edition.template, edition.changes

    def prepare(self, version: int, layout: int = 1) -> "Edition":
        """Return the next publication; the learner does not change until the publication is accepted."""
        blocks = self.blocks if self.learn_blocks else None
        publisher = copy(self._publisher)
        changes = publisher.publish(self.template, version, self.novelty, self.stable_since, blocks)
        template, kept = self._snapshot(publisher.stored())
        return Edition(template, kept, replace(changes, layout=layout), self.template.pages_seen, publisher)

    def accept(self, edition: "Edition") -> None:
        """Put a stored publication in use."""
        self._publisher = edition.publisher
        self._published_at = edition.pages_seen
        self.template.window = self.window
        self.template.version = edition.changes.version
        self.published_blocks = edition.blocks

    def restore(self, stored: TemplateChanges) -> SiteTemplate:
        """Restore a stored template; return it as a snapshot."""
        self.template.clear()
        self.blocks.clear()
        merge(self.template, stored)
        merge_blocks(self.blocks, stored)
        self.stable_since = stored.stable_since
        self._publisher.restore(stored)
        self._published_at = stored.pages
        self.template.window = self.window
        template, self.published_blocks = self._snapshot(stored)
        return template

    def add_blocks(self, counted: TemplateChanges) -> None:
        """Add the atomic blocks that were counted for the restored template, now and to the next publication."""
        self.blocks.add(0, counted.paths, counted.blocks)
        _, self.published_blocks = self._snapshot(counted)

    def _snapshot(self, stored: TemplateChanges) -> tuple[SiteTemplate, BlockStore | None]:
        template, blocks = self.template.empty(), self.blocks.empty()
        merge(template, stored)
        merge_blocks(blocks, stored)
        return template, blocks if blocks.paths else None


class Edition(NamedTuple):
    """A prepared publication of one template that is not in use yet."""

    template: SiteTemplate
    """The snapshot for extraction."""
    blocks: BlockStore | None
    """The atomic blocks of this publication; None without any."""
    changes: TemplateChanges
    """The change of the stored template."""
    pages_seen: int
    """Number of pages learned when it was prepared."""
    publisher: Publisher
    """The publisher with this publication as the last one."""
