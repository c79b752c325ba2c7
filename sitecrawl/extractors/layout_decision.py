"""Collects the evidence that a method finds on the pages of a layout, and makes the layout's decision from it."""

from collections.abc import Iterable
from typing import Final

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Deciding, SiteContext
from sitecrawl.templates.decision import LayoutDecision, PageEvidence, decide
from sitecrawl.templates.decision_records import stored_form

DECIDING: Final = 32
"""Maximum pages from which a layout decides [OWN]: those with the smallest keys, a random sample."""


def deciding_keys(keys: Iterable[int]) -> list[int]:
    """Return the keys of the pages from which a layout decides, chosen among those that its template counts."""
    return sorted(keys)[:DECIDING]


class DecidingPages:
    """Collects the evidence of a layout's pages, one page at a time; nothing if the method uses no decisions.

    `site` has the template, the blocks and the volatile places of the layout. Copies of a page are skipped, since they
    add no evidence.
    """

    def __init__(self, extractor: object, site: SiteContext) -> None:
        self._extractor, self._site = extractor if isinstance(extractor, Deciding) else None, site
        self._evidence: list[PageEvidence] = []
        self._seen: set[int] = set()

    def add(self, page: Page) -> None:
        """Add a page that the template counts, and release its columns, since all these pages are in memory at once."""
        if self._extractor is None or page.flat.fingerprint in self._seen:
            return
        self._seen.add(page.flat.fingerprint)
        evidence = self._extractor.evidence(page, self._site)
        page.flat.release()
        if evidence is not None:
            self._evidence.append(evidence)

    def decision(self) -> LayoutDecision | None:
        """Return the decision of the layout in its stored form; None if no page has content."""
        made = decide(self._evidence)
        return stored_form(made) if made is not None else None


def layout_decision(extractor: object, site: SiteContext, pages: Iterable[Page]) -> LayoutDecision | None:
    """Return the decision of a layout from pages that its template counts; None if the method uses no decisions.

    `site` has the template, the blocks and the volatile places of the layout.
    """
    deciding = DecidingPages(extractor, site)
    for page in pages:
        deciding.add(page)
    return deciding.decision()
