"""Makes the layout decision of a site for one method, when the first page needs it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.knowledge import SiteKnowledge
from sitecrawl.evaluation.limits import Limit
from sitecrawl.extractors.base import Deciding, Extraction, Extractor, SiteContext
from sitecrawl.templates.decision import LayoutDecision, PageEvidence


class SiteDecision:
    """The layout decision of a site for a method, made once and applied to all pages."""

    def __init__(self, knowledge: SiteKnowledge, extractor: Extractor) -> None:
        self._knowledge = knowledge
        self._extractor = extractor
        self._made = False
        self._decision: LayoutDecision | None = None

    def make(self, limit: Callable[[], Limit]) -> None:
        """Make the decision if there is none yet; the time for each page that gives evidence is limited.

        Raises the exceptions of the method, and PageTimeoutError.
        """
        if not self._made and isinstance(self._extractor, Deciding):
            self._decision = self._knowledge.decision(_Limited(self._extractor, limit))
        self._made = True

    def extraction(self, number: int) -> Callable[[], Extraction]:
        """Return a function that extracts a page, given by its number, with the decision made before it is called."""
        knowledge, extractor = self._knowledge, self._extractor
        page, context = knowledge.pages[number], knowledge.context(number, extractor)
        if not knowledge.known:
            return partial(extractor.extract, page, None)
        return partial(self._extracted, page, context)

    def _extracted(self, page: Page, context: SiteContext) -> Extraction:
        return self._extractor.extract(page, replace(context, decision=self._decision))


class _Limited:
    """A method with a time limit for the evidence of each page."""

    def __init__(self, extractor: Deciding, limit: Callable[[], Limit]) -> None:
        self._extractor = extractor
        self._limit = limit

    def evidence(self, page: Page, site: SiteContext) -> PageEvidence | None:
        """Return the evidence that the method finds on a page, within the time limit."""
        with self._limit():
            return self._extractor.evidence(page, site)
