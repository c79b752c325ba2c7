"""When to learn from a page, and when a new snapshot is worth publishing."""

from collections import deque
from typing import Final

from sitecrawl.dom.page import Page
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.snapshot import Publisher, merge, snapshot
from sitecrawl.templates.trie import MAX_NODES, MIN_SHARE, WINDOW, SiteTemplate

RECENT: Final = 32
"""Pages over which novelty is averaged (ARCHITECTURE 6)."""
DRIFT_PAGES: Final = 20


class TemplateLearner:
    """Owns the growing template of a site. Knows no clock and no SQL."""

    def __init__(
        self,
        *,
        min_pages: int = 30,
        window: int = WINDOW,
        min_share: float = MIN_SHARE,
        max_nodes: int = MAX_NODES,
        stable_novelty: float = 0.01,
        sample_every: int = 20,
        drift: float = 0.5,
    ) -> None:
        self.min_pages = min_pages
        self.stable_novelty = stable_novelty
        self.sample_every = sample_every
        self.drift = drift
        self.template = SiteTemplate(window=window, min_share=min_share, max_nodes=max_nodes)
        self.stable_since: int | None = None
        self._publisher = Publisher()
        self._published_at = 0
        self._passed = 0
        self._kept_before = 0
        self._fresh_shares: deque[float] = deque(maxlen=DRIFT_PAGES)

    def see(self, page: Page) -> bool:
        """Learn from a page; False when it was passed over, because the template is stable and this is no sample."""
        if self.stable:
            self._passed += 1
            if self._passed % self.sample_every:
                return False
        self._fresh_shares.append(self.template.learn(page.flat))
        if self.template.pages_seen % RECENT == 0:
            self._judge()
        return True

    def _judge(self) -> None:
        """Note stability: under `stable_novelty` of the kept rows are new since the last look (ARCHITECTURE 6)."""
        kept = len(self.template.kept())
        new = abs(kept - self._kept_before) / kept if kept else 1.0
        self._kept_before = kept
        if self.stable_since is None and new < self.stable_novelty:
            self.stable_since = self.template.pages_seen

    @property
    def ready(self) -> bool:
        """Whether enough pages were learned to extract with."""
        return self.template.pages_seen >= self.min_pages

    @property
    def stable(self) -> bool:
        """Whether the template stopped changing."""
        return self.stable_since is not None

    @property
    def novelty(self) -> float:
        """Mean share of new keys on the last learned pages, 0..1."""
        return sum(self._fresh_shares) / len(self._fresh_shares) if self._fresh_shares else 1.0

    @property
    def drifted(self) -> bool:
        """Whether sampled pages no longer match a stable template."""
        return self.stable and len(self._fresh_shares) == DRIFT_PAGES and self.novelty > self.drift

    def due(self) -> bool:
        """Whether a snapshot is worth publishing: at `min_pages`, then each time the pages learned have doubled."""
        seen = self.template.pages_seen
        return seen >= self.min_pages and seen >= 2 * self._published_at

    def publish(self) -> tuple[SiteTemplate, TemplateChanges]:
        """Return a snapshot and the deltas that bring storage to the same state; the version goes up by one."""
        version = self.template.version + 1
        changes = self._publisher.publish(self.template, version, self.novelty, self.stable_since)
        self.template.version = version
        self._published_at = self.template.pages_seen
        return snapshot(self.template, version), changes

    def restore(self, stored: TemplateChanges) -> SiteTemplate:
        """Go on from a stored template; return it as a snapshot."""
        self.template.clear()
        merge(self.template, stored)
        self.stable_since = stored.stable_since
        self._publisher.restore(stored)
        self._published_at = stored.pages
        copy = SiteTemplate(
            window=self.template.window, min_share=self.template.min_share, max_nodes=self.template.max_nodes
        )
        merge(copy, stored)
        return copy
