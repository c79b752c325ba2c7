"""Trains the weights of words and the forests of both passes over blocks, for each fold and on all sites.

The first pass is trained on drawn blocks. The second pass learns from the probabilities that a first pass gives to
sites that it was not trained on, so it is trained after the first passes of all folds.
"""

import json
import random
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import lightgbm
import numpy as np
from data import COLUMNS
from folds import outside, split
from forests import SEED, ForestData, Model, Rows, concatenated, forest_data, page_weight, train_forest
from processes import in_processes, print_step
from training_sites import KNOWN, Examples, Site
from words import WeightedPage, packed, train_words, write_columns

from sitecrawl.extractors.combined._block_classifier import Look
from sitecrawl.extractors.combined.block_classifier import SECOND_NAMES
from sitecrawl.extractors.combined.word_evidence import WordWeights, unpacked

PASSES: Final = {"page": (0,), "site": KNOWN[1:]}
"""The numbers of known pages for which a pass is trained: `page` without a template, `site` with one."""
SECOND: Final = {"page_context": "page", "site_context": "site", "doubt_context": "page"}
"""The forests of the second pass, and the first pass whose probabilities each reads."""
BLOCKS: Final = 250
"""Maximum blocks of a page, drawn at random, from which words and the first pass are learned."""
DRAWS: Final = 2
"""How many numbers of known pages are drawn at random for each page of the first pass."""
PARTS: Final = 4
"""Number of parts of the sites: each part gets its columns from weights trained on the other parts."""

RowsOfSites = dict[Site, Rows]


class FoldTraining(NamedTuple):
    """The models of all folds, each trained on the other folds, and the rows that their second passes learned from."""

    models: list[Model]
    second_rows: dict[str, RowsOfSites]
    """The rows of all sites for the second pass, by the name of the first pass."""


def train_folds(folds: Sequence[Sequence[Site]], seed: int = SEED) -> FoldTraining:
    """Train a model for each fold on the sites of the other folds that may be learned from."""
    learned = _learned(folds)
    second_rows: dict[str, RowsOfSites] = {name: {} for name in PASSES}
    models = []
    for fold in folds:
        others = outside(learned, fold)
        words = learn_words(others, split(others, PARTS), fold)
        forests: dict[str, ForestData] = {}
        for name, known in PASSES.items():
            forest = train_forest(name, concatenated(first_rows(others, known, seed).values()), seed)
            forests[name] = forest_data(forest, COLUMNS)
            second_rows[name] |= rows_of_second_pass([site for site in fold if site.is_learned], forest, known)
        models.append(Model(forests, words))
        print_step("a fold is trained")
    for fold, model in zip(folds, models, strict=True):
        model.forests.update(train_second(second_rows, outside(learned, fold), seed))
    return FoldTraining(models, second_rows)


def train_on_all(folds: Sequence[Sequence[Site]], training: FoldTraining, seed: int = SEED) -> Model:
    """Return the model trained on all sites that may be learned from, with the evidence of the folds."""
    learned = _learned(folds)
    for fold, model in zip(folds, training.models, strict=True):
        write_columns(_examples(fold), model.words)
    words = _words_of(learned)
    forests: dict[str, ForestData] = {}
    for name, known in PASSES.items():
        first = train_forest(name, concatenated(first_rows(learned, known, seed).values()), seed)
        forests[name] = forest_data(first, COLUMNS)
    forests |= train_second(training.second_rows, learned, seed)
    print_step("trained on all sites")
    return Model(forests, words)


def train_second(rows_of: dict[str, RowsOfSites], sites: Sequence[Site], seed: int = SEED) -> dict[str, ForestData]:
    """Return the forests of the second pass, trained on the rows of some sites."""
    forests = {}
    for name, first in SECOND.items():
        rows = concatenated(rows_of[first][site] for site in sites if site in rows_of[first])
        columns = rows.columns[:, : len(SECOND_NAMES[name])]  # those of the region are the last
        forests[name] = forest_data(train_forest(name, rows._replace(columns=columns), seed), SECOND_NAMES[name])
    return forests


def _learned(folds: Iterable[Iterable[Site]]) -> list[Site]:
    """Return the sites of all folds that may be learned from."""
    return [site for fold in folds for site in fold if site.is_learned]


def _examples(sites: Iterable[Site]) -> list[Examples]:
    """Return the blocks of all content pages."""
    return [page.examples for site in sites for page in site.content]


def first_rows(sites: Iterable[Site], known: Sequence[int], seed: int) -> RowsOfSites:
    """Return the rows that the first pass learns from, for some numbers of known pages."""
    found = {}
    for site in sites:
        numbers, order = random.Random(f"{site.name} {seed}"), np.random.default_rng(seed)
        content, parts = site.content, []
        for _, examples in content:
            there = [count for count in known if count in examples.columns]
            draws, blocks = min(DRAWS, len(there)), len(examples.labels)
            for count in numbers.sample(there, draws):
                drawn = order.permutation(blocks)[:BLOCKS]
                weight = page_weight(site, len(content)) * blocks / len(drawn) * DRAWS / draws
                rows = examples.columns[count][drawn], examples.labels[drawn], examples.weights[drawn] * weight
                parts.append(Rows(*rows))
        if parts:
            found[site] = concatenated(parts)
    return found


def rows_of_second_pass(sites: Iterable[Site], first: lightgbm.Booster, known: Sequence[int]) -> RowsOfSites:
    """Return the rows that the second pass learns from, for sites that the first pass was not trained on."""
    found = {}
    for site in sites:
        content = site.content
        used = [(page, examples, count) for page, examples in content for count in known if count in examples.columns]
        if not used:
            continue
        chances = np.split(
            first.predict(np.concatenate([examples.columns[count] for _, examples, count in used])),
            np.cumsum([len(examples.labels) for _, examples, _ in used])[:-1],
        )
        parts = []
        for (page, examples, _), one in zip(used, chances, strict=True):
            columns = Look(page.page.flat, page.blocks, None, False).surroundings(one.tolist(), region=True)
            weights = examples.weights * page_weight(site, len(content))
            parts.append(Rows(np.array(columns, dtype=np.float32).T, examples.labels, weights))
        found[site] = concatenated(parts)
    return found


def learn_words(learned: Sequence[Site], parts: Sequence[Sequence[Site]], others: Sequence[Site]) -> WordWeights:
    """Return the weights of words learned from some sites, and write the columns of these and of other sites.

    The sites that are learned from get their columns part by part, from weights learned from the other parts.
    """
    groups = [*(outside(learned, part) for part in parts), learned]
    tables = dict(in_processes(_packed_words_of, groups))
    *weights_of_parts, weights = (unpacked(tables[number]) for number in range(len(groups)))
    for sites, own in zip((*parts, others), (*weights_of_parts, weights), strict=True):
        write_columns(_examples(sites), own)
    return weights


def _packed_words_of(sites: Sequence[Site]) -> bytes:
    return b"".join(table.tobytes() for table in _words_of(sites))


def _words_of(sites: Sequence[Site]) -> WordWeights:
    """Return the weights of words learned from all content pages of some sites."""
    pages = [
        WeightedPage(page.number, examples, page_weight(site, len(site.content)), number)
        for number, site in enumerate(sites)
        for page, examples in site.content
    ]
    return train_words(pages, BLOCKS)


def save_models(folds: Sequence[Sequence[Site]], models: Sequence[Model], folder: Path) -> None:
    """Write the model of each fold, with the names of its sites, to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (fold, model) in enumerate(zip(folds, models, strict=True)):
        saved = {"sites": [site.name for site in fold], "forests": model.forests}
        (folder / f"words-{number}.bin").write_bytes(packed(model.words))
        (folder / f"fold-{number}.json").write_text(json.dumps(saved), encoding="utf-8")


def saved_models(folds: Sequence[Sequence[Site]], folder: Path) -> list[Model]:
    """Return the models that `save_models` wrote; empty if there are none. Exits if they are of other folds."""
    files = [folder / f"fold-{number}.json" for number in range(len(folds))]
    if not all(file.exists() for file in files):
        return []
    models = []
    for number, (file, fold) in enumerate(zip(files, folds, strict=True)):
        saved: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if saved["sites"] != [site.name for site in fold]:
            raise SystemExit(f"{folder} has forests of other folds; name another folder with --keep")
        words = unpacked(zlib.decompress((folder / f"words-{number}.bin").read_bytes()))
        models.append(Model(saved["forests"], words))
    return models
