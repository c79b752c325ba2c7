"""Evaluates boosted decision trees in plain Python: `model.json`, written by `training/train.py`.

Each forest is compiled once to a Python function of its columns, with one nested conditional expression per tree. That
is three times as fast as walking the trees as arrays.
"""

import json
from collections.abc import Callable
from functools import cache, cached_property
from importlib.resources import files
from math import exp
from typing import Any, Final, NamedTuple

Columns = list[list[float]]
FORESTS: Final = ("page", "site", "page_context", "site_context", "doubt_context", "listing", "good")
"""Purposes of the forests: the first pass without and with a template, the second pass without and with one, and for
doubtful blocks of a page with one, whether a page is a listing, and whether its main content can be trusted."""
FLAT: Final = 30.0
"""Maximum absolute log odds; `exp` would overflow for much larger ones."""


class Tree(NamedTuple):
    """One tree as arrays; node 0 is the root, and a node without a feature (-1) is a leaf."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


class Forest:
    """Trees whose values add up to log odds, and the names of the columns, of which some may be unused."""

    def __init__(self, names: list[str], trees: list[Tree]) -> None:
        self.names = names
        self.trees = trees
        self.used = sorted({feature for tree in trees for feature in tree.feature if feature >= 0})

    @cached_property
    def score(self) -> Callable[..., float]:
        """The compiled function: takes the values of the columns in `used`, returns the sum of all trees."""
        return _compiled(self.trees, self.used)


@cache
def load_model() -> dict[str, Forest]:
    """Return the forests shipped with the package, by purpose."""
    data = json.loads(files("sitecrawl.extractors.combined").joinpath("model.json").read_text("utf-8"))
    return {name: Forest(data[name]["names"], [Tree(*tree) for tree in data[name]["trees"]]) for name in FORESTS}


def probabilities(forest: Forest, columns: Columns) -> list[float]:
    """Return one value per row of the columns, 0..1."""
    read = [columns[feature] for feature in forest.used]
    scores = map(forest.score, *read) if read else [forest.score()] * len(columns[0])
    return [1 / (1 + exp(-max(-FLAT, min(FLAT, score)))) for score in scores]


def walked(forest: Forest, columns: Columns) -> list[float]:
    """Return the same as `probabilities` by walking the trees: slower, but without compilation."""
    found = []
    for row in zip(*columns, strict=True):
        score = 0.0
        for feature, threshold, left, right, value in forest.trees:
            node = 0
            while feature[node] >= 0:
                node = left[node] if row[feature[node]] <= threshold[node] else right[node]
            score += value[node]
        found.append(1 / (1 + exp(-max(-FLAT, min(FLAT, score)))))
    return found


def _compiled(trees: list[Tree], used: list[int]) -> Callable[..., float]:
    parameters = ", ".join(f"c{feature}" for feature in used)
    lines = [f"def score({parameters}):", " s = 0.0", *(f" s += {_condition(tree)}" for tree in trees), " return s"]
    made: dict[str, Any] = {}
    exec("\n".join(lines), {"__builtins__": {}}, made)  # noqa: S102  (numbers only: the forests ship with the package)
    score: Callable[..., float] = made["score"]
    return score


def _condition(tree: Tree) -> str:
    """Return a tree as one nested conditional expression; children are built before their parents."""
    text: dict[int, str] = {}
    stack = [(0, False)]
    while stack:
        node, below = stack.pop()
        feature, left, right = tree.feature[node], tree.left[node], tree.right[node]
        if feature < 0:
            text[node] = repr(float(tree.value[node]))
        elif below:
            text[node] = f"({text[left]} if c{int(feature)} <= {float(tree.threshold[node])!r} else {text[right]})"
        else:
            stack += [(node, True), (left, False), (right, False)]
    return text[0]
