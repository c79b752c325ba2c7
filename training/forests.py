"""Trains forests by LightGBM, and writes them in the form of `model.json`."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypedDict

import lightgbm
import numpy as np
from training_sites import Booleans, Doubles, Site

from sitecrawl.extractors.combined.word_evidence import WordWeights

PARAMETERS: Final[dict[str, Any]] = {
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
"""Parameters of all forests [OWN]."""
SECOND_PASS: Final = {"num_leaves": 8, "learning_rate": 0.08, "feature_fraction": 0.8, "min_data_in_leaf": 300}
FORESTS: Final[dict[str, tuple[dict[str, Any], int]]] = {
    "page": ({"num_leaves": 31}, 130),
    "site": ({}, 110),
    "page_context": (SECOND_PASS, 60),
    "site_context": (SECOND_PASS, 60),
    "doubt_context": (SECOND_PASS, 60),
    "listing": ({"num_leaves": 8, "feature_fraction": 0.25, "min_data_in_leaf": 120, "bagging_fraction": 0.5}, 110),
    "good": ({"num_leaves": 6, "feature_fraction": 0.8, "min_data_in_leaf": 80}, 30),
}
"""Parameters of each forest, and its number of trees [OWN]."""
SEED: Final = 7
"""The seed of all draws."""
SITE_WEIGHT: Final = 1000
"""Weight of a recorded site."""
SET_WEIGHT: Final = 0.11
"""Weight of a site with one page in a page set, as a share of the weight of a recorded site [OWN]."""


class Rows(NamedTuple):
    """Rows to learn from."""

    columns: np.ndarray[Any, np.dtype[Any]]
    """Features: a row of floats for each label."""
    labels: Booleans
    weights: Doubles


class ForestData(TypedDict):
    """A forest in the form of `model.json`."""

    names: list[str]
    """Names of the columns."""
    trees: list[list[list[Any]]]
    """For each tree its feature, threshold, left, right and value by node (`forest.Tree`)."""


class Model(NamedTuple):
    """A trained model: its forests by name, and its weights of words and names."""

    forests: dict[str, ForestData]
    words: WordWeights


def concatenated(parts: Iterable[Rows]) -> Rows:
    """Return the rows of all parts."""
    columns, labels, weights = zip(*parts, strict=True)
    return Rows(np.concatenate(columns), np.concatenate(labels), np.concatenate(weights))


def page_weight(site: Site, pages: int) -> float:
    """Return the weight of one of a site's `pages` pages."""
    share = site.weight / pages if site.is_recorded else SET_WEIGHT * pages**-0.5
    return SITE_WEIGHT * share


def train_forest(name: str, rows: Rows, seed: int = SEED) -> lightgbm.Booster:
    """Return a forest trained with the parameters of `FORESTS[name]`."""
    parameters, trees = FORESTS[name]
    data = lightgbm.Dataset(rows.columns, rows.labels, weight=rows.weights)
    return lightgbm.train(PARAMETERS | parameters | {"seed": seed}, data, trees)


def forest_data(forest: lightgbm.Booster, names: Sequence[str]) -> ForestData:
    """Return a forest in the form of `model.json`."""
    return {"names": list(names), "trees": [_tree_data(info) for info in forest.dump_model()["tree_info"]]}


def _tree_data(info: dict[str, Any]) -> list[list[Any]]:
    """Return the nodes of a tree as columns; node 0 is the root."""
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    right: list[int] = []
    value: list[float] = []
    waiting: list[tuple[dict[str, Any], int, list[int]]] = [(info["tree_structure"], 0, [0])]
    while waiting:
        node, parent, children = waiting.pop()
        number = children[parent] = len(feature)
        is_leaf = "leaf_value" in node
        feature.append(-1 if is_leaf else node["split_feature"])
        # one bit less than float32, so that a column in double precision falls on the same side
        threshold.append(0.0 if is_leaf else float(f"{node['threshold']:.7g}"))
        value.append(round(node["leaf_value"], 5) if is_leaf else 0.0)
        left.append(0)
        right.append(0)
        if not is_leaf:
            waiting += [(node["left_child"], number, left), (node["right_child"], number, right)]
    return [feature, threshold, left, right, value]
