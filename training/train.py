"""Trains the model of `combined` on recorded sites and page sets, and tests it on sites that it was not trained on.

    python training/train.py SITES_DIR [SETS_DIR] [--folds 3] [--write]

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
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path

import lightgbm
import numpy as np
from data import KNOWN, read_sets, read_sites

from sitecrawl.crawl.extraction import stored_form
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined import block_classifier
from sitecrawl.extractors.combined._block_classifier import Look
from sitecrawl.extractors.combined._trees import Trees
from sitecrawl.extractors.combined.context_features import NAMES
from sitecrawl.extractors.combined.forest import Forest, Tree, load_model
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.extractors.combined.page_features import PAGE_NAMES, page_figures
from sitecrawl.templates.decision import decide

COLUMNS = load_model()["site"].names
WAYS = ((0,), KNOWN[1:])
"""Numbers of known pages of the look without a template and of the other."""
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
    "num_threads": 2,
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


def forest(name, x, y, w, seed=7):
    """Return a trained forest."""
    parameters, trees = FORESTS[name]
    data = lightgbm.Dataset(np.asarray(x), y, weight=w)
    return lightgbm.train(PARAMETERS | parameters | {"seed": seed}, data, trees)


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


def drawn(sites, known, draw):
    """Return the rows that the first look learns from: for each site (columns, labels, weights)."""
    found = {}
    for site in sites:
        chance, order = random.Random(f"{site['name']} {draw}"), np.random.default_rng(draw)
        pages, rows = content(site), []
        for page in pages:
            there = [k for k in known if k in page.columns]
            for k in chance.sample(there, min(2, len(there))):
                some = order.permutation(len(page.labels))[:BLOCKS]
                share = weight(site, pages) * len(page.labels) / len(some) * 2 / min(2, len(there))
                rows.append((page.columns[k][some], page.labels[some], page.weights[some] * share))
        if rows:
            found[id(site)] = tuple(np.concatenate(column) for column in zip(*rows, strict=True))
    return found


def joined(rows, sites):
    """Return columns, labels and weights of some sites."""
    return tuple(np.concatenate(part) for part in zip(*(rows[id(s)] for s in sites if id(s) in rows), strict=True))


def around(sites, model, known):
    """Return the rows that the second look learns from, for sites that `model`, a first look, did not see."""
    found = {}
    for site in sites:
        pages = content(site)
        kept = [(page, k) for page in pages for k in known if k in page.columns]
        if not kept:
            continue
        chances = np.split(
            model.predict(np.concatenate([page.columns[k] for page, k in kept])),
            np.cumsum([len(page.labels) for page, _ in kept])[:-1],
        )
        rows = []
        for (page, _), one in zip(kept, chances, strict=True):
            columns = Look(page.flat, page.blocks, None, False).surroundings(one.tolist())
            rows.append((np.array(columns, dtype=np.float32).T, page.labels, page.weights * weight(site, pages)))
        found[id(site)] = tuple(np.concatenate(column) for column in zip(*rows, strict=True))
    return found


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
                y.append(page.listing if listing else page.prf[k][2] >= GOOD)
                w.append(share)
    return forest(name, x, np.array(y), np.array(w))


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


@contextmanager
def using(forests):
    """Let `combined` judge by these forests ({name: exported})."""
    before = block_classifier._twin
    made = {name: Forest(one["names"], [Tree(*tree) for tree in one["trees"]]) for name, one in forests.items()}
    block_classifier._twin = before._replace(
        trees=before.trees | {name: Trees(made_one) for name, made_one in made.items()}
    )
    try:
        yield
    finally:
        block_classifier._twin = before


def crawled(site, ways=KNOWN):
    """Set `kept`, `figures` and `prf` on the pages of a site, as a crawl with the forests in use would extract them."""
    for k in ways:
        if k not in site["contexts"]:
            continue
        context, method, decision = site["contexts"][k], Combined(), None

        def seen(page, decision=None, context=context):
            if context is None:
                return None
            return SiteContext(context.template, learned=page.number in context.learned, decision=decision)

        if context is not None:
            method._site = (context.template, context.statistics)
            told, fingerprints = [], set()
            for page in site["deciding"][k]:
                if page.flat.fingerprint not in fingerprints:
                    fingerprints.add(page.flat.fingerprint)
                    told.append(method.evidence(page, seen(page)))
            made = decide([one for one in told if one is not None])
            decision = stored_form(made) if made is not None else None
        for page in site["pages"]:
            blocks = page.blocks
            look = method._look(page, blocks, seen(page))
            page.kept[k] = method._kept(page, blocks, look, decision)
            judged = look.judged
            page.figures[k] = page_figures(
                page, blocks, look.chances, look.limit, judged.text_share, judged.others, look.statistics
            )
            if page.kind == "content":
                page.prf[k] = word_prf(page, page.kept[k])


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


def folded(sites, families_of, count):
    """Return the sites of each fold; as many recorded sites in each, and a site in two page sets in one."""
    fold_of = {}
    for recorded in (True, False):
        own = {s["name"].partition("@")[0] for s in sites if (s["collection"] == "sites") == recorded}
        family = families_of(own) if recorded else {name: name for name in own}
        fold_of |= {(recorded, name): number for name, number in dealt(family, count).items()}
    folds = [[] for _ in range(count)]
    for site in sites:
        folds[fold_of[site["collection"] == "sites", site["name"].partition("@")[0]]].append(site)
    return folds


def looks(folds, use=lambda site: True, draw=7, *, final=True):
    """Return for each fold the forests of both looks, trained on the other folds, and those trained on all.

    Only sites for which `use` is true are learned from. `draw` is the seed of all draws; without `final` none are
    trained on all.
    """
    every = [site for fold in folds for site in fold if use(site)]
    said = time.monotonic()
    made, whole = [{} for _ in folds], {}
    for known, name in zip(WAYS, ("page", "site"), strict=True):
        rows, beside = drawn(every, known, draw), {}
        for fold, forests in zip(folds, made, strict=True):
            model = forest(name, *joined(rows, outside(every, fold)), draw)
            forests[name] = exported(model, COLUMNS)
            beside |= around([site for site in fold if use(site)], model, known)
        for fold, forests in zip(folds, made, strict=True):
            model = forest(f"{name}_context", *joined(beside, outside(every, fold)), draw)
            forests[f"{name}_context"] = exported(model, NAMES)
        blocks = sum(len(labels) for _, labels, _ in rows.values())
        print(f"{name}: {blocks} blocks, {time.monotonic() - said:.0f} s", flush=True)
        if not final:
            continue
        whole[name] = exported(forest(name, *joined(rows, every), draw), COLUMNS)
        whole[f"{name}_context"] = exported(forest(f"{name}_context", *joined(beside, every), draw), NAMES)
    return made, whole


def outside(sites, fold):
    """Return the sites that are not in a fold."""
    inside = {id(site) for site in fold}
    return [site for site in sites if id(site) not in inside]


def verdicts(folds):
    """Set on all pages the chance of a listing and of a good choice, by forests that did not see the site."""
    every = [site for fold in folds for site in fold]
    for name in ("listing", "good"):
        for fold in folds:
            model = judge(name, outside(every, fold))
            rows = [(page, k) for site in fold for page in site["pages"] for k in page.figures]
            chances = model.predict(np.array([page.figures[k] for page, k in rows]))
            for (page, k), one in zip(rows, chances, strict=True):
                getattr(page, f"is_{name}")[k] = one


def report(sites):
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
    method = Combined()
    recorded = [site for site in sites if site["collection"] == "sites"]
    for k in KNOWN:
        for kind in ("content", "listing"):
            rates = []
            for site in recorded:
                pages = [page for page in site["pages"] if page.kind == kind and k in page.is_listing]
                said = [
                    method.is_listing(page.is_listing[k], page.blocks, page.kept[k], page.figures[k], page.url)
                    for page in pages
                ]
                rates += [np.mean(said) if kind == "listing" else 1 - np.mean(said)] if said else []
            print(f"known {k:5} {kind} pages called so: {np.mean(rates):.4f} over {len(rates)} sites")
    trust = [(g, page.prf[k][2]) for site in sites for page in content(site) for k, g in page.is_good.items()]
    for low in (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95):
        high = {0.0: 0.25, 0.25: 0.5, 0.5: 0.7, 0.7: 0.8, 0.8: 0.9, 0.9: 0.95, 0.95: 1.01}[low]
        some = [f for g, f in trust if low <= g < high]
        if some:
            good = np.mean([f >= GOOD for f in some])
            print(
                f"confidence {low:.2f} to {high:.2f}: {len(some):6} pages, good {good:.3f}, mean F1 {np.mean(some):.3f}"
            )


def read(sites, sets):
    """Return all recorded sites and page sets."""
    found = [read_sites(path) for path in sorted(sites.glob("*.jsonl.gz"))]
    for path in sorted(sets.glob("*.jsonl.gz")) if sets else ():
        found += read_sets(path)
    found = [site for site in found if site["pages"]]
    for page in (page for site in found for page in site["pages"]):
        page.kept, page.figures, page.prf, page.is_listing, page.is_good = {}, {}, {}, {}, {}
    return found


def main():
    """Test by folds of sites, then train on all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path)
    parser.add_argument("sets", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"write {MODEL.name}")
    args = parser.parse_args()
    sites = read(args.sites, args.sets)
    folds = folded(sites, lambda names: families(args.sites, names), args.folds)
    made, whole = looks(folds)
    for fold, forests in zip(folds, made, strict=True):
        with using(forests):
            for site in fold:
                crawled(site)
    verdicts(folds)
    report(sites)
    if args.write:
        for name in ("listing", "good"):
            whole[name] = exported(judge(name, sites), PAGE_NAMES)
        MODEL.write_text(json.dumps(whole, separators=(",", ":")) + "\n", encoding="utf-8")
        print("written", MODEL.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
