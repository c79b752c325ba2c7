"""Evaluates boosted decision trees in plain Python: `model.json`, made by `training/train.py`."""

import json
from functools import cache
from importlib.resources import files
from math import exp
from typing import Final, NamedTuple

Columns = list[list[float]]
FORESTS: Final = ("page", "site", "page_context", "site_context", "listing", "good")
"""What the forests of the model are for: the first look at a block without and with a template, the second look,
whether a page is a listing, and whether its main content can be trusted."""


class Tree(NamedTuple):
    """One tree as arrays; node 0 is the root, a node without feature (-1) is a leaf."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


class Forest(NamedTuple):
    """Trees whose values add up to log odds, and the names of the columns they read."""

    names: list[str]
    trees: list[Tree]


@cache
def load_model() -> dict[str, Forest]:
    """Return the forests that ship with the package, by what they are for."""
    data = json.loads(files("sitecrawl.extractors").joinpath("model.json").read_text("utf-8"))
    return {name: Forest(data[name]["names"], [Tree(*tree) for tree in data[name]["trees"]]) for name in FORESTS}


def probabilities(forest: Forest, columns: Columns) -> list[float]:
    """Return one value a row of the columns, 0..1."""
    rows = list(zip(*columns, strict=True))
    scores = [0.0] * len(rows)
    for feature, threshold, left, right, value in forest.trees:
        for i, row in enumerate(rows):
            node = 0
            while (f := feature[node]) >= 0:
                node = left[node] if row[f] <= threshold[node] else right[node]
            scores[i] += value[node]
    return [1 / (1 + exp(-max(-30.0, min(30.0, score)))) for score in scores]
