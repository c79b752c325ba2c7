"""Evaluates boosted decision trees in plain Python: `model.json`, made by `training/train.py`."""

import json
from functools import cache
from importlib.resources import files
from math import exp
from typing import NamedTuple

Columns = list[list[float]]


class Tree(NamedTuple):
    """One tree as arrays; node 0 is the root, a node without feature (-1) is a leaf."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


class Model(NamedTuple):
    """The trees, and the names of the columns they read."""

    names: list[str]
    trees: list[Tree]


@cache
def load_model() -> Model:
    """Return the model that ships with the package."""
    data = json.loads(files("sitecrawl.extractors").joinpath("model.json").read_text("utf-8"))
    return Model(data["names"], [Tree(*tree) for tree in data["trees"]])


def probabilities(model: Model, columns: Columns) -> list[float]:
    """Return one value a row of the columns, 0..1."""
    rows = list(zip(*columns, strict=True))
    scores = [0.0] * len(rows)
    for feature, threshold, left, right, value in model.trees:
        for i, row in enumerate(rows):
            node = 0
            while (f := feature[node]) >= 0:
                node = left[node] if row[f] <= threshold[node] else right[node]
            scores[i] += value[node]
    return [1 / (1 + exp(-max(-30.0, min(30.0, score)))) for score in scores]
