"""Prints the scores of recorded sites and page sets: word precision, recall and F1, kinds, and confidence."""

import json
from collections import defaultdict
from itertools import pairwise

import numpy as np
from data import KNOWN

from sitecrawl.evaluation.intervals import difference
from sitecrawl.extractors.combined.listing_verdict import ListingEvidence, why_listing
from sitecrawl.extractors.combined.region import Known

GOOD = 0.8
"""Word F1 from which the main content of a page is good."""
LOW = 0.85
"""Word F1 that no site should be under."""
CONFIDENCES = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


def content(site):
    """Return the pages of a site whose main content is known."""
    return [page for page in site["pages"] if page.kind == "content"]


def groups(sites):
    """Return the sites by group: each page set, all recorded sites, and the older and newer of them."""
    found = defaultdict(list)
    for site in sites:
        found[site["collection"]].append(site)
        if site["new"] is not None:
            found["sites, newer" if site["new"] else "sites, older"].append(site)
    return dict(sorted(found.items()))


def scores(sites):
    """Return the mean (precision, recall, F1) of each site: {group: {known: {site: scores}}}."""
    found = {}
    for group, own in groups(sites).items():
        for k in KNOWN:
            rows = {site["name"]: [page.prf[k] for page in content(site) if k in page.prf] for site in own}
            means = {name: np.mean(row, axis=0).tolist() for name, row in sorted(rows.items()) if row}
            if means:
                found.setdefault(group, {})[str(k)] = means
    return found


def print_report(sites, found, *, against=None):
    """Print the scores of all groups (`scores`), and their differences to those in the file `against`."""
    for group, ways in found.items():
        for k, means in ways.items():
            p, r, f = np.mean(list(means.values()), axis=0)
            low = sum(mean[2] < LOW for mean in means.values())
            print(f"{group:12} known {k:>5} sites {len(means):4} P {p:.4f} R {r:.4f} F1 {f:.4f}  under {LOW}: {low}")
            if group == "sites":
                worst = sorted((mean[2], name) for name, mean in means.items())[:12]
                print("   worst:", ", ".join(f"{name} {mean:.3f}" for mean, name in worst))
    _print_kinds(sites)
    _print_confidence(sites)
    if against is not None:
        _print_differences(found, against)


def _print_kinds(sites):
    for group, own in groups(sites).items():
        for k in KNOWN if group.startswith("sites") else ():
            for kind in ("content", "listing"):
                rates = []
                for site in own:
                    pages = [page for page in site["pages"] if page.kind == kind and k in page.is_listing]
                    said = [_called_listing(site, page, k) for page in pages]
                    rates += [np.mean(said) if kind == "listing" else 1 - np.mean(said)] if said else []
                if rates:
                    print(f"{group:12} known {k:>5} {kind} called so {np.mean(rates):.4f} over {len(rates)} sites")


def _called_listing(site, page, k):
    """Return whether a page is called a listing, by the rules for cards and links too."""
    context = site["contexts"][k]
    known = Known(context.statistics, int(page.number in context.learned)) if page.known[k] else None
    read = ListingEvidence(page.is_listing[k], page.figures[k], page.share[k], known)
    return why_listing(page, page.blocks, page.kept[k], read) is not None


def _print_confidence(sites):
    trust = [(g, page.prf[k][2]) for site in sites for page in content(site) for k, g in page.is_good.items()]
    for low, high in pairwise(CONFIDENCES):
        some = [f for g, f in trust if low <= g < high]
        if some:
            good = np.mean([f >= GOOD for f in some])
            print(
                f"confidence {low:.2f} to {high:.2f}: {len(some):6} pages, good {good:.3f}, mean F1 {np.mean(some):.3f}"
            )


def _print_differences(found, file):
    """Print the mean differences of F1 to the scores in a file, paired by site, with their 95 % intervals."""
    for group, ways in json.loads(file.read_text(encoding="utf-8")).items():
        for k, other in ways.items():
            own = found.get(group, {}).get(k, {})
            both = sorted(own.keys() & other.keys())
            one, two = ({name: {"": row[name][2]} for name in both} for row in (own, other))
            if both:
                less = difference(one, two)
                print(f"{group:12} known {k:>5} less {file.name}: {less.mean:+.4f}", end="")
                print(f" ({less.low:+.4f} to {less.high:+.4f})")
