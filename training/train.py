"""Trains the model of `combined` on recorded sites and page sets, and tests it on sites that it was not trained on.

    python training/train.py SITES_DIR [SETS_DIR] [--folds 3] [--new 2026-11-22] [--json FILE] [--write]
    python training/train.py SITES_DIR [SETS_DIR] --shipped [--new 2026-11-22]

SITES_DIR contains SITE.jsonl.gz for each site, with a JSON object for each page: url, kind, html, gold_text,
gold_xpaths, exclude_xpaths. Its `sites.json`, if there is one, has the generator of each site, and its weight if that
is not 1. SETS_DIR contains page sets with id, site, html, gold_text.
Splits are by site, never by page, and sites of the same generator are in one fold. The second pass, and the forests
that judge a page, learn from the results of a first pass that was not trained on the site. The score is that of the
text that a crawl would keep: the layout decides, and its pages follow. Seeds are fixed. Needs numpy, scipy and
lightgbm.

`--new DATE` reports the recorded sites added on that day or later separately. With `--without-new` they are not used
for training. `--shipped` trains nothing and scores the model in use. `--json` writes the scores of each site, and
`--against` compares with such a file, paired by site.

`--keep FOLDER` stores the forests of the folds, or uses those in the folder. So rules are measured without training, on
sites that the forests did not see.
"""

import argparse
import gc
import json
from pathlib import Path
from typing import Any, Final

from crawled import crawl, model_in_use
from data import read_all
from folds import split
from forests import Model, forest_data
from page_forests import set_chances, set_shipped_chances, train_good, train_listing
from passes import save_models, saved_models, train_folds, train_on_all
from processes import JOBS, print_step
from report import mean_scores, print_report
from training_sites import Site
from words import packed

from sitecrawl.extractors.combined.page_features import PAGE_NAMES

MODEL: Final = Path(__file__).parent.parent / "sitecrawl" / "extractors" / "combined" / "model.json"
WORDS: Final = MODEL.with_name("word_weights.bin")


def read_sites(options: argparse.Namespace) -> list[Site]:
    """Return all recorded sites and page sets that the command line names."""
    described = _described(options.sites)
    recorded, sets = (sorted(folder.glob("*.jsonl.gz")) if folder else [] for folder in (options.sites, options.sets))
    gc.disable()  # everything that is read stays in memory, so there is no garbage to find
    sites = [site for site in read_all(recorded, sets, JOBS) if site.pages]
    gc.enable()
    for site in sites:
        if site.is_recorded:
            entry = described.get(site.name, {})
            site.weight = float(entry.get("weight") or 1)
            site.generator = described.get(site.host, {}).get("generator") or ""
            site.is_new = (entry.get("added") or "") >= options.new if options.new else None
        site.is_learned = not (options.without_new and site.is_new)
    return sites


def _described(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a folder's `sites.json` by name; empty without that file."""
    file = folder / "sites.json"
    return {entry["name"]: entry for entry in json.loads(file.read_text())} if file.exists() else {}


def command_line() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path)
    parser.add_argument("sets", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--new", metavar="DATE", default="", help="report the sites added from this day on separately")
    parser.add_argument("--without-new", action="store_true", help="do not train on these sites")
    parser.add_argument("--shipped", action="store_true", help="train nothing; score the model in use")
    parser.add_argument("--json", type=Path, help="write the scores of each site")
    parser.add_argument("--against", type=Path, help="print the differences to the scores in a file that --json wrote")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the forests of the folds, or use those in it")
    parser.add_argument("--write", action="store_true", help=f"write {MODEL.name}")
    return parser.parse_args()


def score_folds(sites: list[Site], options: argparse.Namespace) -> Model | None:
    """Set the results of all pages by models that were not trained on their sites.

    Returns the model trained on all sites if it is to be written; else None.
    """
    folds = split(sites, options.folds)
    models = saved_models(folds, options.keep) if options.keep and not options.write else []
    final = None
    if not models:
        training = train_folds(folds)
        models = training.models
        final = train_on_all(folds, training) if options.write else None
        if options.keep:
            save_models(folds, models, options.keep)
    for fold, model in zip(folds, models, strict=True):
        with model_in_use(model):
            crawl(fold)
        print_step("a fold is extracted")
    set_chances(folds)
    return final


def write_model(model: Model, sites: list[Site]) -> None:
    """Write the model that ships, with the forests that judge pages."""
    page_forests = {
        "listing": forest_data(train_listing(sites), PAGE_NAMES),
        "good": forest_data(train_good(sites), PAGE_NAMES),
    }
    WORDS.write_bytes(packed(model.words))
    MODEL.write_text(json.dumps(model.forests | page_forests, separators=(",", ":")) + "\n", encoding="utf-8")
    print("written", MODEL.stat().st_size, "and", WORDS.stat().st_size, "bytes")


def main() -> None:
    """Test the model by folds of sites, then train it on all sites."""
    options = command_line()
    sites = read_sites(options)
    print_step("read")
    final = None
    if options.shipped:
        crawl(sites)
        set_shipped_chances(sites)
    else:
        final = score_folds(sites, options)
    scores = mean_scores(sites)
    if options.json:
        options.json.write_text(json.dumps(scores, indent=1), encoding="utf-8")
    print_report(sites, scores, against=options.against)
    if final is not None:
        write_model(final, sites)
    print_step("done")


if __name__ == "__main__":
    main()
