"""The decision of a layout, from the evidence that a method finds on its pages."""

from collections.abc import Iterable
from typing import Final

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Deciding, SiteContext
from sitecrawl.templates.decision import LayoutDecision, decide
from sitecrawl.templates.decision_records import stored_form

DECIDING: Final = 32
"""Pages by which a layout decides [OWN]: those with the smallest keys, which are hashes of their URLs."""


def deciding_keys(keys: Iterable[int]) -> list[int]:
    """Return the keys of the pages by which a layout decides, of those that its template counts."""
    return sorted(keys)[:DECIDING]


def layout_decision(extractor: object, site: SiteContext, pages: Iterable[Page]) -> LayoutDecision | None:
    """Return what a layout decides by pages that its template counts; None if the method does not obey decisions.

    `site` has the template, the blocks and the volatile places of the layout. A copy of a page says nothing more, and
    is left out.
    """
    if not isinstance(extractor, Deciding):
        return None
    told, seen = [], set()
    for page in pages:
        if page.flat.fingerprint not in seen:
            seen.add(page.flat.fingerprint)
            told.append(extractor.evidence(page, site))
            page.flat.release()  # all these pages are held at once; their columns are fetched again
    made = decide([one for one in told if one is not None])
    return stored_form(made) if made is not None else None
