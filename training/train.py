"""Trains the model of `combined` on recorded sites and page sets, and tests it on sites that it was not trained on.

    python training/train.py SITES_DIR [SETS_DIR] [--folds 3] [--new 2026-11-22] [--json FILE] [--write]
    python training/train.py SITES_DIR [SETS_DIR] --shipped [--new 2026-11-22]

SITES_DIR holds one SITE.jsonl.gz a site, a JSON object a page: url, kind, html, gold_text, gold_xpaths, exclude_xpaths.
Its `sites.json`, if there is one, names the generator of each site, and its weight if that is not 1. SETS_DIR: page
sets with id, site, html, gold_text.
Splits are by site, never by page, and sites of one generator are in one fold. The second look, and the forests that
judge a page, learn from what the first look says of sites that it was not trained on. Scores are of what a crawl would
keep: the layout decides, and its pages obey. Needs numpy, scipy and lightgbm. Seeds are fixed.

`--new DATE` reports the recorded sites added on that day or later apart from the older ones. With `--without-new` none
of them is learned from. `--shipped` trains nothing and scores the model in use. `--json` writes the scores of each
site, and `--against` compares with such a file, paired by site.

`--keep FOLDER` keeps the forests of the folds, and uses those that are there: so rules are measured without training,
on sites that the forests did not see.
"""

import argparse
import gc
import json
import multiprocessing
import random
import re
import resource
import zlib
from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path

import lightgbm
import numpy as np
from data import COLUMNS, KNOWN, read_all
from report import GOOD, content, print_report, scores
from words import PARTS, packed, trained, write_columns

from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined import block_classifier
from sitecrawl.extractors.combined._block_classifier import Look
from sitecrawl.extractors.combined._trees import Trees
from sitecrawl.extractors.combined.block_classifier import Judged
from sitecrawl.extractors.combined.choice import kept_from
from sitecrawl.extractors.combined.context_features import NAMES
from sitecrawl.extractors.combined.forest import Forest, Tree
from sitecrawl.extractors.combined.method import Combined, without_site_texts
from sitecrawl.extractors.combined.page_features import PAGE_NAMES
from sitecrawl.extractors.combined.word_evidence import unpacked
from sitecrawl.extractors.layout_decision import layout_decision

WAYS = ((0,), KNOWN[1:])
"""Numbers of known pages of the look without a template and of the other."""
KEPT = PAGE_NAMES.index("log_kept")
MODEL = Path(__file__).parent.parent / "sitecrawl" / "extractors" / "combined" / "model.json"
WORDS = MODEL.with_name("word_weights.bin")
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
SET_WEIGHT = 0.11
"""Weight of a page of a page set; a recorded site weighs 1 in all."""
OWN_MARKUP = ("WordPress", "Hugo", "hand", "custom", "static", "Python", "SSI")
"""Generators whose sites do not look alike, by how their names begin: each theme makes its own markup."""
SAME = {"jupyter": "sphinx", "boostbook": "docbook", "texi": "texinfo"}
"""Generators that are built on another."""
JOBS = 2
"""Processes that read, learn words, and extract."""


def forest(name, x, y, w, seed=7):
    """Return a trained forest."""
    parameters, trees = FORESTS[name]
    data = lightgbm.Dataset(np.asarray(x), y, weight=w)
    return lightgbm.train(PARAMETERS | parameters | {"seed": seed}, data, trees)


def described(folder, field):
    """Return a field of `sites.json` by site; "" where it has none."""
    file = folder / "sites.json"
    return {row["name"]: row.get(field) or "" for row in json.loads(file.read_text())} if file.exists() else {}


def families(folder, names):
    """Return by site what must be in one fold with it: its generator, or itself."""
    known = described(folder, "generator")
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


def weight(site, pages):
    """Return the weight of one of a site's pages."""
    recorded = site["collection"] == "sites"
    return 1000 * (site["weight"] / len(pages) if recorded else SET_WEIGHT * len(pages) ** -0.5)


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
    """Return word precision, recall and F1 of what the kept blocks show."""
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
def using(forests, words):
    """Let both looks of `combined` be those of these forests ({name: exported}) and these weights of words."""
    made = {name: Trees(Forest(one["names"], [Tree(*tree) for tree in one["trees"]])) for name, one in forests.items()}

    def judge(flat, blocks, site, learned):
        look = Look(flat, blocks, site, learned, words)
        look.build()
        name = "site" if look.others else "page"
        chances = look.chances(made[name], made[f"{name}_context"])
        return Judged(chances, look.text_share, look.others, kept_from(blocks.chars, chances))

    block_classifier.judge.runs = judge
    try:
        yield
    finally:
        block_classifier.judge.reset()


def all_crawled(sites, ways=KNOWN):
    """Set on the pages of sites what a crawl with the forests in use would find (`_found`)."""
    _SHARED[:] = sites
    gc.freeze()
    with multiprocessing.get_context("fork").Pool(JOBS) as pool:
        for i, rows in pool.imap_unordered(_found_of, [(i, ways) for i in range(len(sites))], chunksize=4):
            for k, number, found in rows:
                _set(sites[i]["pages"][number], k, found)
    gc.unfreeze()


_SHARED = []
"""The input for the processes of `all_crawled` and `all_words_of`: sites, or groups of them."""


def _found_of(task):
    i, ways = task
    return i, _found(_SHARED[i], ways)


def _set(page, k, found):
    page.kept[k], page.figures[k], page.share[k], page.known[k] = found[:4]
    if page.kind == "content":
        page.prf[k] = found[4]


def _found(site, ways):
    """Return what a crawl would find: for each number of known pages and page its kept blocks, figures, text shares,
    whether other pages are known, and the scores of what is kept and shown."""
    rows = []
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
            known = SiteContext(context.template, learned=True)
            decision = layout_decision(method, known, site["deciding"][k])
        for number, page in enumerate(site["pages"]):
            blocks = page.blocks
            look = method._look(page, blocks, seen(page))
            own = method._kept_alone(page, blocks, look, decision)
            kept, alone = (own, True) if own is not None else (method._kept(page, blocks, look, decision), False)
            score = None
            if page.kind == "content":
                shown = without_site_texts(page.flat, blocks, kept, look.known, decision, alone=alone)
                score = word_prf(page, shown)
            rows.append((k, number, (kept, look.figures, look.judged.text_share, look.known is not None, score)))
    return rows


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


LOOKS = ("page", "site")
"""The look without a template, and the other."""


def looks(folds, families_of, use=lambda site: True, draw=7, *, final=True):
    """Return for each fold the forests of both looks and the weights of words, and those trained on all sites.

    Those of a fold are trained on the other folds. Only sites for which `use` is true are learned from. `draw` is the
    seed of all draws; without `final` none are trained on all.
    """
    every = [site for fold in folds for site in fold if use(site)]
    made, words, beside = [], [], {name: {} for name in LOOKS}
    for fold in folds:
        learned, forests = outside(every, fold), {}
        words.append(learned_words(learned, folded(learned, families_of, PARTS), fold))
        for known, name in zip(WAYS, LOOKS, strict=True):
            model = forest(name, *joined(drawn(learned, known, draw), learned), draw)
            forests[name] = exported(model, COLUMNS)
            beside[name] |= around([site for site in fold if use(site)], model, known)
        made.append(forests)
        said("a fold is trained")
    for fold, forests in zip(folds, made, strict=True):
        for name in LOOKS:
            model = forest(f"{name}_context", *joined(beside[name], outside(every, fold)), draw)
            forests[f"{name}_context"] = exported(model, NAMES)
    if not final:
        return made, words, {}, None
    for fold, own in zip(folds, words, strict=True):
        write_columns([page for site in fold for page in content(site)], own)
    whole, all_words = {}, words_of(every)
    for known, name in zip(WAYS, LOOKS, strict=True):
        whole[name] = exported(forest(name, *joined(drawn(every, known, draw), every), draw), COLUMNS)
        whole[f"{name}_context"] = exported(forest(f"{name}_context", *joined(beside[name], every), draw), NAMES)
    said("trained on all sites")
    return made, words, whole, all_words


def words_of(sites):
    """Return the weights of words learned from all content pages of some sites."""
    pages = [(i, site, content(site)) for i, site in enumerate(sites)]
    return trained([(page, weight(site, own), i) for i, site, own in pages for page in own], BLOCKS)


def learned_words(learned, parts, others):
    """Return the weights of words learned from some sites, and write the columns of these and of other sites.

    The sites that are learned from get their columns part by part, from weights learned from the other parts.
    """
    *beside, found = all_words_of([*(outside(learned, part) for part in parts), learned])
    for sites, own in zip((*parts, others), (*beside, found), strict=True):
        write_columns([page for site in sites for page in content(site)], own)
    return found


def all_words_of(groups):
    """Return `words_of` each group of sites; several are learned at once."""
    _SHARED[:] = groups
    gc.freeze()
    with multiprocessing.get_context("fork").Pool(JOBS) as pool:
        tables = pool.map(_tables_of, range(len(groups)), chunksize=1)
    gc.unfreeze()
    return [unpacked(one) for one in tables]


def _tables_of(i):
    return b"".join(table.tobytes() for table in words_of(_SHARED[i]))


def keep_looks(folds, made, words, folder):
    """Write the forests and words of each fold, with the names of its sites, to a folder, if there is one."""
    for number, (fold, forests, own) in enumerate(zip(folds, made, words, strict=True) if folder else ()):
        folder.mkdir(parents=True, exist_ok=True)
        kept = {"sites": [site["name"] for site in fold], "forests": forests}
        (folder / f"words-{number}.bin").write_bytes(packed(own))
        (folder / f"fold-{number}.json").write_text(json.dumps(kept), encoding="utf-8")


def kept_looks(folds, folder):
    """Return what `keep_looks` wrote, which must be for these folds: forests and words by fold; nothing without any."""
    files = [folder / f"fold-{number}.json" for number in range(len(folds))] if folder else []
    if not files or not all(file.exists() for file in files):
        return [], []
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    if [one["sites"] for one in kept] != [[site["name"] for site in fold] for fold in folds]:
        raise SystemExit(f"{folder} has forests of other folds")
    words = [unpacked(zlib.decompress((folder / f"words-{number}.bin").read_bytes())) for number in range(len(folds))]
    return [one["forests"] for one in kept], words


def outside(sites, fold):
    """Return the sites that are not in a fold."""
    inside = {id(site) for site in fold}
    return [site for site in sites if id(site) not in inside]


def verdicts(folds, use=lambda site: True):
    """Set on all pages the chance of a listing and of a good choice, by forests that did not see the site."""
    every = [site for fold in folds for site in fold if use(site)]
    for name in ("listing", "good"):
        for fold in folds:
            model = judge(name, outside(every, fold))
            rows = [(page, k) for site in fold for page in site["pages"] for k in page.figures]
            chances = model.predict(np.array([page.figures[k] for page, k in rows]))
            for (page, k), one in zip(rows, chances, strict=True):
                getattr(page, f"is_{name}")[k] = one


def shipped(sites):
    """Score sites with the model in use."""
    all_crawled(sites)
    for page in (page for site in sites for page in site["pages"]):
        for k, figures in page.figures.items():
            page.is_listing[k], page.is_good[k] = (
                block_classifier.chance(name, figures) for name in ("listing", "good")
            )


def read(sites, sets, new):
    """Return all recorded sites and page sets; `new` is the day from which recorded sites are newer, or empty."""
    added, weights = described(sites, "added"), described(sites, "weight")
    files = [sorted(folder.glob("*.jsonl.gz")) if folder else [] for folder in (sites, sets)]
    gc.disable()  # what is read stays, so a search for garbage finds none
    found = [site for site in read_all(*files, JOBS) if site["pages"]]
    gc.enable()
    for site in found:
        recorded = site["collection"] == "sites"
        site["new"] = added.get(site["name"], "") >= new if new and recorded else None
        site["weight"] = float(weights.get(site["name"]) or 1) if recorded else 1.0
    for page in (page for site in found for page in site["pages"]):
        page.kept, page.figures, page.share, page.known, page.prf = {}, {}, {}, {}, {}
        page.is_listing, page.is_good = {}, {}
    return found


def options():
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path)
    parser.add_argument("sets", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--new", metavar="DATE", default="", help="report the sites added from this day on apart")
    parser.add_argument("--without-new", action="store_true", help="learn from none of them")
    parser.add_argument("--shipped", action="store_true", help="train nothing; score the model in use")
    parser.add_argument("--json", type=Path, help="write the scores of each site")
    parser.add_argument("--against", type=Path, help="print the differences to the scores in such a file")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the forests of the folds, or use those in it")
    parser.add_argument("--write", action="store_true", help=f"write {MODEL.name}")
    return parser.parse_args()


def main():
    """Test by folds of sites, then train on all."""
    args = options()
    sites = read(args.sites, args.sets, args.new)
    said("read")

    def use(site):
        return not (args.without_new and site["new"])

    if args.shipped:
        shipped(sites)
    else:

        def families_of(names):
            return families(args.sites, names)

        folds = folded(sites, families_of, args.folds)
        made, words = ([], []) if args.write else kept_looks(folds, args.keep)
        whole, all_words = {}, None
        if not made:
            made, words, whole, all_words = looks(folds, families_of, use, final=args.write)
            keep_looks(folds, made, words, args.keep)
        for fold, forests, own in zip(folds, made, words, strict=True):
            with using(forests, own):
                all_crawled(fold)
            said("a fold is extracted")
        verdicts(folds, use)
    found = scores(sites)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print_report(sites, found, against=args.against)
    if args.write and not args.shipped:
        for name in ("listing", "good"):
            whole[name] = exported(judge(name, sites), PAGE_NAMES)
        WORDS.write_bytes(packed(all_words))
        MODEL.write_text(json.dumps(whole, separators=(",", ":")) + "\n", encoding="utf-8")
        print("written", MODEL.stat().st_size, "and", WORDS.stat().st_size, "bytes")
    said("done")


def said(what):
    """Print what is done, and the processor time and memory of all processes so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    minutes = sum(one.ru_utime + one.ru_stime for one in used) / 60
    print(f"{what}: {minutes:.1f} min of the processor, {used[0].ru_maxrss / 2**20:.1f} GiB", flush=True)


if __name__ == "__main__":
    main()
