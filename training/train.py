"""Trains the block model of `combined` on recorded sites, and tests it on sites it was not trained on.

    python training/train.py SITES_DIR [--folds 5] [--write]

SITES_DIR holds one SITE.jsonl.gz a site, a JSON object a page: url, kind, html, gold_text, gold_xpaths, exclude_xpaths.
Splits are by site, never by page. Needs numpy and lightgbm. Seeds are fixed.
"""

import argparse
import gzip
import json
import random
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import lightgbm
import numpy as np

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.extractors.evidence import BlockEvidence
from sitecrawl.extractors.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

MODEL = Path(__file__).parent.parent / "sitecrawl" / "extractors" / "model.json"
PAGES = 24
"""Content pages of a site that are used."""
KNOWN = (0, 5, 30, 10_000)
"""Pages of the site that the template knows; 0 for no template."""
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 24,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "verbose": -1,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 4,
}
TREES = 110
WORD = re.compile(r"\w+")


def gold_texts(page, row):
    """Return which rows of the page are gold text."""
    flat, tree = page.flat, page.root.getroottree()
    rows = {}
    sources = elements(page.root)
    for i, tag in enumerate(flat.tag):
        if tag != TEXT:
            rows[next(sources)] = i
    gold = np.zeros(len(flat), bool)
    for paths, value in ((row["gold_xpaths"], True), (row["exclude_xpaths"] or [], False)):
        for path in paths:
            for element in tree.xpath(path):
                if element in rows:
                    gold[rows[element] : flat.end[rows[element]]] = value
    return gold


def word_f1(predicted, gold):
    """Return the word F1 of two texts."""
    a, b = (Counter(WORD.findall(text.lower())) for text in (predicted, gold))
    common = sum((a & b).values())
    return 2 * common / (sum(a.values()) + sum(b.values())) if common else 0.0


def site_rows(path):
    """Return (site, pages): for each page and each number of known pages its columns, labels, weights, text."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pages = []
    for row in rows:
        try:
            page = Page.from_html(row["html"], row["url"])
            if len(text_blocks(page.flat)):
                pages.append((row, page))
        except PageError:
            continue
    chance = random.Random(path.name)
    content = [i for i, (row, _) in enumerate(pages) if row["kind"] == "content"]
    chance.shuffle(content)
    result = []
    order = list(range(len(pages)))
    chance.shuffle(order)
    templates = {}
    for known in KNOWN[1:]:
        template = SiteTemplate()
        for i in order[:known]:
            template.learn(pages[i][1].flat)
        templates[known] = (site_statistics(snapshot(template, 1)), set(order[:known]))
    for i in content[:PAGES]:
        row, page = pages[i]
        flat, blocks = page.flat, text_blocks(page.flat)
        gold = gold_texts(page, row)
        chars = [
            sum(flat.chars[k] for k in range(a, b) if flat.tag[k] == TEXT and gold[k])
            for a, b in zip(blocks.first, blocks.stop, strict=True)
        ]
        labels = np.array([c >= 0.5 * n for c, n in zip(chars, blocks.chars, strict=True)])
        weights = (np.array(blocks.chars) + 8.0) / (sum(blocks.chars) + 200.0)
        columns = {}
        for known in KNOWN:
            statistics, learned = templates.get(known, (None, ()))
            evidence = BlockEvidence(flat, blocks, statistics, i in learned)
            evidence.build()
            columns[known] = np.array(evidence.columns, dtype=np.float32).T
        lines = [
            " ".join("".join(flat.text[k] for k in range(a, b) if flat.tag[k] == TEXT).split())
            for a, b in zip(blocks.first, blocks.stop, strict=True)
        ]
        result.append((columns, labels, weights, lines, row["gold_text"]))
    return path.name.split(".")[0], result, evidence.names if content else []


def train(sites, seed=0):
    """Return a model trained on sites, each site and page weighing the same."""
    chance = random.Random(seed)
    x, y, w = [], [], []
    for pages in sites:
        for columns, labels, weights, _, _ in pages:
            for known in chance.sample(KNOWN, 2):
                x.append(columns[known])
                y.append(labels)
                w.append(weights / len(pages))
    data = lightgbm.Dataset(np.vstack(x), np.concatenate(y), weight=np.concatenate(w) * 1000)
    return lightgbm.train(PARAMETERS, data, TREES)


def score(model, pages, known, threshold=0.5):
    """Return the mean word F1 of a site's pages."""
    scores = []
    for columns, _, _, lines, gold in pages:
        kept = model.predict(columns[known]) >= threshold
        scores.append(word_f1("\n".join(line for line, keep in zip(lines, kept, strict=True) if keep), gold))
    return float(np.mean(scores))


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
    return {"names": names, "trees": trees}


def main():
    """Test by folds of sites, then train on all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"write {MODEL.name}")
    args = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        loaded = [one for one in pool.map(site_rows, sorted(args.sites.glob("*.jsonl.gz"))) if one[1]]
    names = loaded[0][2]
    sites = {name: pages for name, pages, _ in loaded}
    if args.write:
        data = exported(train(list(sites.values())), names)
        MODEL.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
        print("written", MODEL.stat().st_size, "bytes", flush=True)
    order = sorted(sites)
    random.Random(0).shuffle(order)
    results = {}
    for fold in range(args.folds):
        tested = set(order[fold :: args.folds])
        model = train([pages for name, pages in sites.items() if name not in tested])
        for name in tested:
            results[name] = {known: score(model, sites[name], known) for known in KNOWN}
    for known in KNOWN:
        print("known pages", known, "macro word F1", round(float(np.mean([r[known] for r in results.values()])), 4))
    for name in sorted(results, key=lambda name: results[name][30])[:15]:
        print("  ", name, {known: round(value, 3) for known, value in results[name].items()})


if __name__ == "__main__":
    main()
