"""Prints the scores of recorded sites and page sets: word precision, recall and F1, kinds, and confidence."""

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from page_forests import GOOD
from training_sites import KNOWN, RECORDED, Site, TrainingPage

from sitecrawl.evaluation.intervals import difference
from sitecrawl.extractors.combined.listing_verdict import ListingEvidence, why_listing
from sitecrawl.extractors.combined.region import Known

LOW: Final = 0.85
"""Word F1 below which a site is counted as bad."""
WORST: Final = 12
"""Number of recorded sites with the lowest F1 that are named."""
CONFIDENCES: Final = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)
"""Limits of the ranges of confidence."""

Scores = dict[str, dict[str, dict[str, list[float]]]]
"""Mean precision, recall and F1 of sites: {group: {number of known pages: {site: [precision, recall, F1]}}}."""


def groups(sites: Sequence[Site]) -> dict[str, list[Site]]:
    """Return the sites by group: each page set, all recorded sites, and the older and newer of them."""
    found = defaultdict(list)
    for site in sites:
        found[site.collection].append(site)
        if site.is_new is not None:
            found[f"{RECORDED}, newer" if site.is_new else f"{RECORDED}, older"].append(site)
    return dict(sorted(found.items()))


def mean_scores(sites: Sequence[Site]) -> Scores:
    """Return the mean score of each site."""
    found: Scores = {}
    for group, own in groups(sites).items():
        for count in KNOWN:
            means = {}
            for site in sorted(own, key=lambda site: site.name):
                results = [page.results[count] for page, _ in site.content if count in page.results]
                scores = [result.score for result in results if result.score is not None]
                if scores:
                    means[site.name] = np.mean(scores, axis=0).tolist()
            if means:
                found.setdefault(group, {})[str(count)] = means
    return found


def print_report(sites: Sequence[Site], scores: Scores, *, against: Path | None = None) -> None:
    """Print the scores of all groups, and their differences to those in the file `against`."""
    for group, by_count in scores.items():
        for count, means in by_count.items():
            p, r, f = np.mean(list(means.values()), axis=0)
            low = sum(mean[2] < LOW for mean in means.values())
            print(
                f"{group:12} known {count:>5} sites {len(means):4} P {p:.4f} R {r:.4f} F1 {f:.4f}  under {LOW}: {low}"
            )
            if group == RECORDED:
                worst = sorted((mean[2], name) for name, mean in means.items())[:WORST]
                print("   worst:", ", ".join(f"{name} {mean:.3f}" for mean, name in worst))
    _print_kinds(sites)
    _print_confidence(sites)
    if against is not None:
        _print_differences(scores, against)


def _print_kinds(sites: Sequence[Site]) -> None:
    """Print the mean share of pages of recorded sites whose kind is found, for content and for listings."""
    for group, own in groups(sites).items():
        for count in KNOWN if group.startswith(RECORDED) else ():
            for kind in ("content", "listing"):
                shares = []
                for site in own:
                    pages = [page for page in site.pages if page.kind == kind and count in page.listing_chances]
                    found = [_is_found_listing(site, page, count) == (kind == "listing") for page in pages]
                    shares += [np.mean(found)] if found else []
                if shares:
                    print(
                        f"{group:12} known {count:>5} {kind} called so {np.mean(shares):.4f} over {len(shares)} sites"
                    )


def _is_found_listing(site: Site, page: TrainingPage, count: int) -> bool:
    """Return whether all rules together, in a crawl that knows `count` pages, find that a page is a listing."""
    pages, result = site.known[count], page.results[count]
    known = None
    if pages is not None and result.has_template:
        known = Known(pages.statistics, int(page.number in pages.learned))
    evidence = ListingEvidence(page.listing_chances[count], result.figures, result.text_share, known)
    return why_listing(page.page, page.blocks, result.kept, evidence) is not None


def _print_confidence(sites: Sequence[Site]) -> None:
    """Print how good the main content is in each range of confidence."""
    pages = [page for site in sites for page, _ in site.content]
    pairs = []
    for page in pages:
        for count, chance in page.good_chances.items():
            score = page.results[count].score
            assert score is not None
            pairs.append((chance, score.f1))
    for low, high in pairwise(CONFIDENCES):
        f1s = [f1 for chance, f1 in pairs if low <= chance < high]
        if f1s:
            good, mean = np.mean([f1 >= GOOD for f1 in f1s]), np.mean(f1s)
            print(f"confidence {low:.2f} to {high:.2f}: {len(f1s):6} pages, good {good:.3f}, mean F1 {mean:.3f}")


def _print_differences(scores: Scores, file: Path) -> None:
    """Print the mean differences of F1 to the scores in a file, paired by site, with their 95 % intervals."""
    others: Scores = json.loads(file.read_text(encoding="utf-8"))
    for group, by_count in others.items():
        for count, other in by_count.items():
            own = scores.get(group, {}).get(count, {})
            both = sorted(own.keys() & other.keys())
            if both:
                one, two = ({name: {"": means[name][2]} for name in both} for means in (own, other))
                less = difference(one, two)
                print(f"{group:12} known {count:>5} less {file.name}: {less.mean:+.4f}", end="")
                print(f" ({less.low:+.4f} to {less.high:+.4f})")
