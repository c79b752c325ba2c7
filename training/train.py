"""Trains the model of `combined` on recorded sites and page sets, and tests it on sites that it was not trained on.

    python training/train.py SITES_DIR [SETS_DIR] [--folds 5] [--write]

SITES_DIR holds one SITE.jsonl.gz a site, a JSON object a page: url, kind, html, gold_text, gold_xpaths, exclude_xpaths.
Its `sites.json`, if there is one, names the generator of each site. SETS_DIR: page sets with id, site, html, gold_text.
Splits are by site, never by page, and sites of one generator are in one fold. The second look, and the forests that
judge a page, learn from what the first look says of sites that it was not trained on; scores are of what is kept in the
end, the content region completed. Needs numpy and lightgbm.
Seeds are fixed.
"""

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import lightgbm
import numpy as np
from data import KNOWN, examples, read_sets, read_sites

from sitecrawl.extractors.combined.choice import kept_from, without_repeats
from sitecrawl.extractors.combined.context_features import NAMES, blended, surroundings
from sitecrawl.extractors.combined.method import LISTING
from sitecrawl.extractors.combined.page_features import PAGE_NAMES, page_figures
from sitecrawl.extractors.combined.region import Known, completed

KEPT = PAGE_NAMES.index("log_kept")
MODEL = Path(__file__).parent.parent / "sitecrawl" / "extractors" / "combined" / "model.json"
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 24,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "verbose": -1,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 4,
}
FORESTS = {
    "page": ({"num_leaves": 31}, 130),
    "site": ({}, 110),
    "page_context": ({"num_leaves": 8, "learning_rate": 0.08, "feature_fraction": 0.8, "min_data_in_leaf": 300}, 60),
    "site_context": ({"num_leaves": 8, "learning_rate": 0.08, "feature_fraction": 0.8, "min_data_in_leaf": 300}, 60),
    "listing": ({"num_leaves": 8, "feature_fraction": 0.25, "min_data_in_leaf": 120, "bagging_fraction": 0.5}, 110),
    "good": ({"num_leaves": 6, "feature_fraction": 0.8, "min_data_in_leaf": 80}, 30),
}
"""Parameters and trees of each forest."""
BLOCKS = 250
"""Blocks of a page that the first look learns from, drawn at random."""
SET_WEIGHT = 0.03
"""Weight of a page of a page set; a recorded site weighs 1 in all."""
OWN_MARKUP = ("WordPress", "Hugo", "hand", "custom", "static", "Python", "SSI")
"""Generators whose sites do not look alike, by how their names begin: each theme makes its own markup."""
SAME = {"jupyter": "sphinx", "boostbook": "docbook", "texi": "texinfo"}
"""Generators that are built on another."""
GOOD = 0.8
"""Word F1 from which the main content of a page is good."""


def forest(name, x, y, w):
    """Return a trained forest."""
    parameters, trees = FORESTS[name]
    return lightgbm.train({**PARAMETERS, **parameters}, lightgbm.Dataset(np.asarray(x), y, weight=w), trees)


def families(folder, names):
    """Return by site what must be in one fold with it: its generator, or itself."""
    file = folder / "sites.json"
    known = {row["name"]: row.get("generator") or "" for row in json.loads(file.read_text())} if file.exists() else {}
    found = {}
    for name in names:
        generator = known.get(name, "")
        word = re.split(r"[ /(\d]", generator)[0].lower()
        found[name] = name if not word or generator.startswith(OWN_MARKUP) else SAME.get(word, word)
    return found


def dealt(family, count):
    """Return the number of the fold of each site; large families first, each to the smallest fold."""
    groups = defaultdict(list)
    for name in sorted(family):
        groups[family[name]].append(name)
    rows = sorted(groups.values())
    random.Random(0).shuffle(rows)
    folds = [[] for _ in range(count)]
    for row in sorted(rows, key=len, reverse=True):
        min(folds, key=len).extend(row)
    return {name: number for number, fold in enumerate(folds) for name in fold}


def content(site):
    """Return the pages of a site whose main content is known."""
    return [page for page in site["pages"] if page.kind == "content"]


def weight(site, pages):
    """Return the weight of one of a site's pages."""
    return 1000 * (1 / len(pages) if site["collection"] == "sites" else SET_WEIGHT * len(pages) ** -0.5)


def first_look(sites, known):
    """Return the forest that judges blocks by themselves."""
    chance, draw = random.Random(0), np.random.default_rng(0)
    x, y, w = [], [], []
    for site in sites:
        pages = content(site)
        for page in pages:
            there = [k for k in known if k in page.columns]
            for k in chance.sample(there, min(2, len(there))):
                some = draw.permutation(len(page.labels))[:BLOCKS]
                x.append(page.columns[k][some])
                y.append(page.labels[some])
                share = len(page.labels) / len(some)
                w.append(page.weights[some] * share * weight(site, pages) * 2 / min(2, len(there)))
    return forest("site" if known[0] else "page", np.vstack(x), np.concatenate(y), np.concatenate(w))


def second_look(sites, known):
    """Return the forest that judges blocks by those around them."""
    x, y, w = [], [], []
    for site in sites:
        pages = content(site)
        for page in pages:
            for k in known:
                if k in page.around:
                    x.append(page.around[k])
                    y.append(page.labels)
                    w.append(page.weights * weight(site, pages))
    name = "site_context" if known[0] else "page_context"
    return forest(name, np.vstack(x), np.concatenate(y), np.concatenate(w))


def judge(name, sites):
    """Return a forest that judges pages: whether it is a listing, or whether its main content is good."""
    x, y, w = [], [], []
    for site in sites:
        listing = name == "listing"
        pages = [page for page in site["pages"] if page.listing is not None] if listing else content(site)
        for page in pages:
            alike = [p for p in pages if p.listing == page.listing] if listing else pages
            share = weight(site, alike) * (1 if listing or site["collection"] == "sites" else 5)
            for k, figures in page.figures.items():
                x.append(figures)
                y.append(page.listing if listing else page.f1[k] >= GOOD)
                w.append(share)
    return forest(name, x, np.array(y), np.array(w))


def predict(model, rows):
    """Return predictions for a list of arrays, as a list of arrays."""
    if not rows:
        return []
    return np.split(model.predict(np.vstack(rows)), np.cumsum([len(row) for row in rows])[:-1])


def word_prf(page, kept):
    """Return word precision, recall and F1 of the kept blocks."""
    output = Counter()
    for one, wanted in zip(page.words, kept, strict=True):
        if wanted:
            output.update(one)
    common = sum((output & page.gold).values())
    if not common:
        return 0.0, 0.0, 0.0
    p, r = common / sum(output.values()), common / sum(page.gold.values())
    return p, r, 2 * p * r / (p + r)


def look(sites, models, known):
    """Set `first` and `around` on all pages for some numbers of known pages."""
    found = [(page, k) for site in sites for page in site["pages"] for k in known if k in page.columns]
    for (page, k), chances in zip(found, predict(models, [page.columns[k] for page, k in found]), strict=True):
        page.first[k] = chances
        page.around[k] = np.array(surroundings(page.flat, page.blocks, chances.tolist()), dtype=np.float32).T


def look_again(sites, model, known):
    """Set `figures` and `f1` on all pages for some numbers of known pages."""
    found = [(page, k) for site in sites for page in site["pages"] for k in known if k in page.around]
    for (page, k), second in zip(found, predict(model, [page.around[k] for page, k in found]), strict=True):
        chances = blended(page.first[k].tolist(), second.tolist()) if k else second.tolist()
        shares, pages = page.shares[k], page.known_pages[k]
        site = page.known_site[k]
        limit = kept_from(page.blocks.chars, chances)
        once = without_repeats(page.blocks.chars, chances, limit, page.lines.__getitem__)
        page.figures[k] = page_figures(page, page.blocks, once, limit, shares, pages, site)
        kept, again = [one >= limit for one in once], [one != two for one, two in zip(chances, once, strict=True)]
        if not k:
            page.alone = kept
        others = Known(site, site.pages - pages) if pages else None
        kept = completed(page.flat, page.blocks, kept, again, lambda page=page: page.alone, others)
        page.prf[k] = word_prf(page, kept)
        page.f1[k] = page.prf[k][2]


def exported(model, names):
    """Return the trees as plain data."""
    trees = []
    for info in model.dump_model()["tree_info"]:
        feature, threshold, left, right, value = [], [], [], [], []
        stack = [(info["tree_structure"], None, None)]
        while stack:
            node, parent, side = stack.pop()
            i = len(feature)
            if parent is not None:
                side[parent] = i
            leaf = "leaf_value" in node
            feature.append(-1 if leaf else node["split_feature"])
            # one bit less than float32, so that a column in double precision falls on the same side
            threshold.append(0.0 if leaf else float(f"{node['threshold']:.7g}"))
            value.append(round(node["leaf_value"], 5) if leaf else 0.0)
            left.append(0)
            right.append(0)
            if not leaf:
                stack += [(node["left_child"], i, left), (node["right_child"], i, right)]
        trees.append([feature, threshold, left, right, value])
    return {"names": list(names), "trees": trees}


def report(sites, judged):
    """Print the scores of the folds."""
    for collection in sorted({site["collection"] for site in sites}):
        own = [site for site in sites if site["collection"] == collection and content(site)]
        for k in KNOWN:
            found = {s["name"]: [p.prf[k] for p in content(s) if k in p.prf] for s in own}
            means = {name: np.mean(rows, axis=0) for name, rows in found.items() if rows}
            if means:
                p, r, f = np.mean(list(means.values()), axis=0)
                pages = np.mean([row[2] for rows in found.values() for row in rows])
                low = sum(mean[2] < 0.85 for mean in means.values())
                print(f"{collection:12} known {k:5} sites {len(means):4} P {p:.4f} R {r:.4f} F1 {f:.4f}", end="")
                print(f"  by page {pages:.4f}  sites under 0.85: {low}")
            if collection == "sites" and k == 30:
                worst = sorted((mean[2], name) for name, mean in means.items())[:12]
                print("   worst:", ", ".join(f"{name} {mean:.3f}" for mean, name in worst))
    recorded = [judged[site["name"]] for site in sites if site["collection"] == "sites"]
    for k in KNOWN:
        for kind in ("content", "listing"):
            wanted = [[(page, j) for page, n, j, _ in rows if (n, page.kind) == (k, kind)] for rows in recorded]
            hits = [[(j >= LISTING) == (kind == "listing") for _, j in row] for row in wanted]
            rates = [np.mean(row) for row in hits if row]
            # a page of which nothing is kept is called none, which is right for a listing
            whole = [[j < LISTING and page.figures[k][KEPT] > 0 for page, j in row] for row in wanted]
            shares = [np.mean([one == (kind == "content") for one in row]) for row in whole if row]
            print(
                f"known {k:5} {kind} pages called so: {np.mean(rates):.4f} over {len(rates)} sites;"
                f" {np.mean(shares):.4f} where `none` counts as a listing"
            )
    trust = [(g, page.f1[k]) for rows in judged.values() for page, k, _, g in rows if page.kind == "content"]
    for low in (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95):
        high = {0.0: 0.25, 0.25: 0.5, 0.5: 0.7, 0.7: 0.8, 0.8: 0.9, 0.9: 0.95, 0.95: 1.01}[low]
        some = [f for g, f in trust if low <= g < high]
        if some:
            good = np.mean([f >= GOOD for f in some])
            print(
                f"confidence {low:.2f} to {high:.2f}: {len(some):6} pages, good {good:.3f}, mean F1 {np.mean(some):.3f}"
            )


def main():
    """Test by folds of sites, then train on all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path)
    parser.add_argument("sets", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"write {MODEL.name}")
    args = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        futures = [pool.submit(read_sites, path) for path in sorted(args.sites.glob("*.jsonl.gz"))]
        for path in sorted(args.sets.glob("*.jsonl.gz")) if args.sets else ():
            futures += [pool.submit(examples, site, name, rows) for name, site, rows in read_sets(path)]
        sites = [one for one in (future.result() for future in futures) if one["pages"]]
    for page in (page for site in sites for page in site["pages"]):
        page.first, page.around, page.figures, page.prf, page.f1 = {}, {}, {}, {}, {}
    names, ways = sites[0]["names"], ((0,), KNOWN[1:])  # the look without a template is read by the other
    fold_of = {}
    for recorded in (True, False):  # as many recorded sites in each fold; a site in two page sets is in one fold
        own = {s["name"].partition("@")[0] for s in sites if (s["collection"] == "sites") == recorded}
        family = families(args.sites, own) if recorded else {name: name for name in own}
        fold_of |= {(recorded, name): number for name, number in dealt(family, args.folds).items()}
    folds = [[] for _ in range(args.folds)]
    for site in sites:
        folds[fold_of[site["collection"] == "sites", site["name"].partition("@")[0]]].append(site)
    others = [[s for j, fold in enumerate(folds) if j != i for s in fold] for i in range(args.folds)]
    for known in ways:
        for fold, rest in zip(folds, others, strict=True):
            look(fold, first_look(rest, known), known)
        for fold, rest in zip(folds, others, strict=True):
            look_again(fold, second_look(rest, known), known)
    judged = {}
    for fold, rest in zip(folds, others, strict=True):
        listing, good = judge("listing", rest), judge("good", rest)
        for site in fold:
            rows = [(page, k) for page in site["pages"] for k in page.figures]
            figures = np.array([page.figures[k] for page, k in rows])
            verdicts = zip(rows, listing.predict(figures), good.predict(figures), strict=True)
            judged[site["name"]] = [(page, k, j, g) for (page, k), j, g in verdicts]
    report(sites, judged)
    if args.write:
        data = {}
        for known, look_name in zip(ways, ("page", "site"), strict=True):
            data[look_name] = exported(first_look(sites, known), names)
            data[f"{look_name}_context"] = exported(second_look(sites, known), NAMES)
        for name in ("listing", "good"):
            data[name] = exported(judge(name, sites), PAGE_NAMES)
        MODEL.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
        print("written", MODEL.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
