"""The templates of a crawl, one for each layout of the site, and the changes to store."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from sitecrawl.config import Config
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.storage.second_fetches import SecondFetch
from sitecrawl.storage.templates import LayoutHead
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.layouts import Layout, SiteLayouts
from sitecrawl.templates.learner import Edition, TemplateLearner
from sitecrawl.templates.representatives import shape
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.templates.volatile import VolatileBlocks

RECALLED: Final = 200
"""Maximum stored pages without a layout that a crawl learns from again, to find a layout for them."""
SHAPES: Final = 500
"""Maximum pages whose shapes are kept in memory."""


class Placed(NamedTuple):
    """The result of placing a page."""

    layout: int | None
    """The layout of the page; None while the page is an outlier."""
    learned: bool
    """Whether it was counted now."""
    counted: bool
    """Whether the stored template of its layout counts it."""


class Publication(NamedTuple):
    """A template to store, and to put in use once it is stored."""

    layout: Layout
    edition: Edition
    keys: Collection[int]
    """The pages that it counts and no earlier version counted."""

    @property
    def changes(self) -> TemplateChanges:
        """The change of the layout's stored counts."""
        return self.edition.changes

    def deciding(self, decision: LayoutDecision | None, volatile: VolatileBlocks) -> "Publication":
        """Return the same publication with the decision of the layout and its volatile places."""
        changes = replace(self.edition.changes, decision=decision, volatile=volatile)
        return self._replace(edition=self.edition._replace(changes=changes))


class Learning:
    """Learns pages and publishes snapshots; between two snapshots extraction is a pure function of the page.

    A publication is prepared, stored, and then accepted, so the template in use is always the stored one.
    """

    def __init__(self, config: Config, *, learn_blocks: bool = False) -> None:
        self.config = config
        self.learns_blocks = learn_blocks
        self.drifts = 0
        """Number of times that pages were found to match no layout."""
        self.reset()

    def reset(self) -> None:
        """Drop everything in memory; the caller restores it from storage."""
        self.layouts = SiteLayouts(self._learner, self.config.template_drift)
        self._counted: dict[int, int] = {}
        """Layout of each page that a stored template counts; 0 if it is unknown."""
        self._unpublished: dict[int, dict[int, None]] = {}
        """Learned pages that no stored template counts, by layout."""
        self.second_fetches: dict[int, dict[int, SecondFetch]] = {}
        """Second fetches of pages, by layout and page."""
        self.shapes: dict[int, frozenset[int]] = {}
        """Shapes of pages seen in this run (`templates.representatives`)."""

    def _learner(self) -> TemplateLearner:
        config = self.config
        return TemplateLearner(
            min_pages=config.template_min_pages,
            window=config.template_window,
            min_share=config.template_min_share,
            max_nodes=config.template_max_nodes,
            stable_novelty=config.template_stable_novelty,
            sample_every=config.template_sample_every,
            learn_blocks=self.learns_blocks,
        )

    # What extraction reads ----------------------------------------------------------------------------------------

    @property
    def published(self) -> bool:
        """Whether there is a template to extract with."""
        return bool(self.layouts.published)

    @property
    def undecided(self) -> bool:
        """Whether pages must wait for the template of their layout."""
        return not self.published or any(one.undecided or self.doubted(one.number) for one in self.layouts)

    def doubted(self, layout: int | None) -> bool:
        """Return whether a layout that decided from few pages has learned new ones, and so may soon decide again."""
        found = self.layouts.get(layout)
        return found is not None and found.learner.provisional and bool(self._unpublished.get(found.number))

    @property
    def learner(self) -> TemplateLearner:
        """The learner of the newest layout."""
        newest = self.layouts.newest
        return newest.learner if newest is not None else self._learner()

    @property
    def template(self) -> SiteTemplate | None:
        """The last published template."""
        newest = self.layouts.newest
        return newest.template if newest is not None else None

    @property
    def version(self) -> int:
        """The last published version; 0 if there is none."""
        return self.template.version if self.template is not None else 0

    def version_of(self, layout: int | None) -> int:
        """Return the published version of a layout; 0 if there is none."""
        template = self.template_of(layout)
        return template.version if template is not None else 0

    def template_of(self, layout: int | None) -> SiteTemplate | None:
        """Return the template of a layout."""
        found = self.layouts.get(layout)
        return found.template if found is not None else None

    def blocks_of(self, layout: int | None) -> BlockStore | None:
        """Return the atomic blocks of a layout; None if no method needs them."""
        found = self.layouts.get(layout)
        return found.blocks if found is not None else None

    def decision_of(self, layout: int | None) -> LayoutDecision | None:
        """Return the decision of a layout; None if it has none."""
        found = self.layouts.get(layout)
        return found.decision if found is not None else None

    def volatile_of(self, layout: int | None, key: int = 0) -> VolatileBlocks:
        """Return the volatile places of a layout, with the texts of page `key` that its second fetch did not have."""
        found, rows = self.layouts.get(layout), self.second_fetches.get(layout or 0, {})
        own = rows.get(key)
        places = found.volatile if found is not None else VolatileBlocks()
        return places.with_texts(own.difference.texts) if own is not None and own.difference is not None else places

    def fetched_twice(self, row: SecondFetch) -> None:
        """Record the second fetch of a page, once it is stored."""
        self.second_fetches.setdefault(row.layout, {}).setdefault(row.url_key, row)

    def pages_of(self, layout: int) -> list[int]:
        """Return the pages that were learned for a layout, whether a stored template counts them or not."""
        return sorted({*(key for key, of in self._counted.items() if of == layout), *self._unpublished.get(layout, ())})

    @property
    def counted(self) -> dict[int, int]:
        """The layout of each page that a stored template counts; 0 if it is unknown."""
        return dict(self._counted)

    @property
    def unpublished(self) -> dict[int, list[int]]:
        """The learned pages that no stored template counts, by layout."""
        return {layout: sorted(keys) for layout, keys in self._unpublished.items() if keys}

    def is_unpublished(self, key: int) -> bool:
        """Return whether a page was learned, but is not yet counted by a stored template."""
        return any(key in keys for keys in self._unpublished.values())

    def has_learned(self, key: int) -> bool:
        """Return whether a page was learned, or is counted by a stored template."""
        return key in self._counted or self.is_unpublished(key)

    def counted_in(self, key: int) -> int | None:
        """Return the layout whose stored template counts a page; None if none does."""
        return None if self.is_unpublished(key) else self._counted.get(key)

    def find(self, page: Page) -> int | None:
        """Return the layout with which a page is extracted."""
        found = self.layouts.find(page.flat)
        return found.number if found is not None else None

    # Restoring from storage ---------------------------------------------------------------------------------------

    def restore(
        self,
        heads: Collection[LayoutHead],
        stored: Collection[TemplateChanges],
        counted: dict[int, int],
        crawl_id: int | None,
        second_fetches: Iterable[SecondFetch] = (),
    ) -> None:
        """Restore the stored templates; those whose layout crawl `crawl_id` opened may still be incomplete."""
        opened = {head.layout for head in heads if crawl_id is not None and head.crawl_id == crawl_id}
        for head in heads:
            self.layouts.number_from(head.layout, head.version)
        for changes in stored:
            self.layouts.restore(changes, opened_here=changes.layout in opened)
        self._counted = counted
        for row in second_fetches:
            self.fetched_twice(row)

    def recall(self, page: Page, key: int, *, learned: bool) -> None:
        """Learn a stored page that had no layout, unless it matches one by now, or a template counts it (`learned`)."""
        if not learned and self.layouts.find(page.flat) is None:
            self._learn(page, key, self.layouts.outliers or self.layouts.place(page.flat))

    def learn_again(self, layout: int, pages: Iterable[tuple[int, Page]]) -> list[Publication]:
        """Learn a layout anew from stored pages and their keys; return the publication to accept, or an empty list."""
        renewed = self.layouts.renew(layout)
        for key, page in pages:
            self._learn(page, key, renewed)
        if not self._unpublished.get(layout):
            self.layouts.drop(layout)
            return []
        return [self.prepare(renewed)]

    # Learning -----------------------------------------------------------------------------------------------------

    def doubtful(self, page: Page) -> bool:
        """Return whether the layout of a page cannot be found without the earlier version of the page."""
        return self.layouts.doubtful(page.flat)

    def learn(self, page: Page, key: int, before: FlatDom | None = None, layout: int | None = None) -> Placed:
        """Place a page and learn from it, unless its layout counts it already, or the template is stable."""
        if self.config.second_fetches and len(self.shapes) < SHAPES:
            self.shapes[key] = shape(page.flat)
        found = self.layouts.place(page.flat, before, layout)
        known = self._counted.get(key)
        outlier = found.template is None and self.published
        if known is not None and known in (found.number, 0) and not outlier:
            return Placed(found.number, learned=False, counted=True)
        learned = self._learn(page, key, found)
        return Placed(None if outlier else found.number, learned=learned, counted=False)

    def _learn(self, page: Page, key: int, layout: Layout) -> bool:
        keys = self._unpublished.setdefault(layout.number, {})
        # a copy of a learned page counts as learned too, so that the order of equal pages does not matter
        copied = layout.learner.has_seen(page)
        learned = key not in keys and (self.layouts.learn(page, layout) or copied)
        if learned:
            keys[key] = None
            self.drifts += self.layouts.noticed(layout)
        return learned

    def due(self) -> list[Layout]:
        """Return the layouts that decide now, since enough pages were learned."""
        return self.layouts.due()

    def remaining(self) -> list[Layout]:
        """Return the undecided layouts with learned pages; they decide now, because no more pages will come."""
        dropped = self.layouts.conclude()
        if dropped is not None:
            self._unpublished.pop(dropped.number, None)
        return [layout for layout in self.layouts if layout.template is None and self._unpublished.get(layout.number)]

    def grown(self, uncounted: Mapping[int, int]) -> list[Layout]:
        """Return the layouts whose template counts half of their pages or less; `uncounted` are numbers of others."""
        return [one for one in self.layouts.published if one.learner.grown(uncounted.get(one.number, 0))]

    def learn_more(self, layout: Layout, pages: Iterable[tuple[int, Page]]) -> None:
        """Learn stored pages of a layout that no template counts, given as (key, page)."""
        for key, page in pages:
            self._learn(page, key, layout)

    def pass_over(self, layout: Layout) -> None:
        """Drop the list of pages that a layout has learned since its decision."""
        self._unpublished.pop(layout.number, None)

    def prepare(self, layout: Layout) -> Publication:
        """Return a publication of the current counts of a layout; nothing changes before `accept`."""
        return Publication(layout, self.layouts.prepare(layout), list(self._unpublished.get(layout.number, ())))

    def accept(self, publication: Publication) -> None:
        """Put a publication in use, once it is stored."""
        layout = publication.layout
        if self.layouts.get(layout.number) is not layout:
            return  # the templates were restored since, with this publication among them
        self.layouts.accept(layout, publication.edition)
        unpublished = self._unpublished.get(layout.number, {})
        for key in publication.keys:
            unpublished.pop(key, None)
            self._counted[key] = layout.number

    def publish(self, layout: Layout) -> Publication:
        """Publish a layout outside a crawl: it is in use at once, and the caller may store it later."""
        self.accept(publication := self.prepare(layout))
        return publication

    def publish_all(self) -> list[Publication]:
        """Publish all layouts outside a crawl, when no more pages will come."""
        return [self.publish(layout) for layout in self.remaining()]
