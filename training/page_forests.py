"""Trains the forests that judge a page: whether it is a listing, and whether its main content is good."""

from collections.abc import Sequence
from typing import Final

import lightgbm
import numpy as np
from folds import outside
from forests import Rows, page_weight, train_forest
from training_sites import Site

from sitecrawl.extractors.combined import block_classifier

GOOD: Final = 0.8
"""Minimum word F1 of good main content."""
SET_FACTOR: Final = 5
"""Factor by which pages of page sets weigh more for the forest of good main content [OWN]."""


def train_listing(sites: Sequence[Site]) -> lightgbm.Booster:
    """Return the forest of listings; the listings of a site together weigh as much as its other pages."""
    columns, labels, weights = [], [], []
    for site in sites:
        pages = [page for page in site.pages if page.is_listing is not None]
        for page in pages:
            alike = sum(other.is_listing == page.is_listing for other in pages)
            for result in page.results.values():
                columns.append(result.figures)
                labels.append(page.is_listing)
                weights.append(page_weight(site, alike))
    return train_forest("listing", Rows(np.array(columns), np.array(labels, bool), np.array(weights)))


def train_good(sites: Sequence[Site]) -> lightgbm.Booster:
    """Return the forest of good main content."""
    columns, labels, weights = [], [], []
    for site in sites:
        content = site.content
        weight = page_weight(site, len(content)) if content else 0.0
        for page, _ in content:
            for result in page.results.values():
                assert result.score is not None
                columns.append(result.figures)
                labels.append(result.score.f1 >= GOOD)
                weights.append(weight * (1 if site.is_recorded else SET_FACTOR))
    return train_forest("good", Rows(np.array(columns), np.array(labels, bool), np.array(weights)))


def set_chances(folds: Sequence[Sequence[Site]]) -> None:
    """Set the probabilities of all pages by forests that were not trained on their site."""
    learned = [site for fold in folds for site in fold if site.is_learned]
    for fold in folds:
        others = outside(learned, fold)
        listing, good = train_listing(others), train_good(others)
        pages = [(page, count) for site in fold for page in site.pages for count in page.results]
        figures = np.array([page.results[count].figures for page, count in pages])
        listing_chances, good_chances = listing.predict(figures), good.predict(figures)
        for (page, count), of_listing, of_good in zip(pages, listing_chances, good_chances, strict=True):
            page.listing_chances[count] = of_listing
            page.good_chances[count] = of_good


def set_shipped_chances(sites: Sequence[Site]) -> None:
    """Set the probabilities of all pages by the forests that ship."""
    for page in (page for site in sites for page in site.pages):
        for count, result in page.results.items():
            page.listing_chances[count] = block_classifier.chance("listing", result.figures)
            page.good_chances[count] = block_classifier.chance("good", result.figures)
