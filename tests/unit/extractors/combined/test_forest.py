import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.extractors.combined.forest import FORESTS, Forest, Tree, load_model, probabilities, walked


@pytest.mark.parametrize("name", FORESTS)
def test_the_compiled_forests_are_the_trees(name):
    forest = load_model()[name]
    chance = random.Random(name)
    thresholds = [t for tree in forest.trees for t in tree.threshold]
    columns = [
        [chance.choice(thresholds) + chance.choice((-1e-9, 0.0, 1e-9)) for _ in range(200)] for _ in forest.names
    ]
    assert probabilities(forest, columns) == walked(forest, columns)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.floats(-5, 5), st.floats(-50, 50), st.floats(-50, 50))
def test_one_stump(values, threshold, low, high):
    forest = Forest(["unread", "read"], [Tree([1, -1, -1], [threshold, 0, 0], [1, 0, 0], [2, 0, 0], [0, low, high])])
    columns = [[0.0] * len(values), values]
    assert forest.used == [1]
    assert probabilities(forest, columns) == walked(forest, columns)


def test_trees_that_are_leaves_read_nothing():
    forest = Forest(["unread"], [Tree([-1], [0.0], [0], [0], [1.5])])
    assert forest.used == []
    assert probabilities(forest, [[0.0, 1.0]]) == walked(forest, [[0.0, 1.0]])


def test_a_chain_of_conditions_compiles():
    depth = 60
    feature = [0, -1] * depth + [-1]
    left = [i + 1 if i % 2 == 0 else 0 for i in range(2 * depth)] + [0]
    right = [i + 2 if i % 2 == 0 else 0 for i in range(2 * depth)] + [0]
    value = [float(i) for i in range(2 * depth + 1)]
    forest = Forest(["x"], [Tree(feature, [float(i) for i in range(2 * depth + 1)], left, right, value)])
    columns = [[-1.0, 10.5, 61.0, 1000.0]]
    assert probabilities(forest, columns) == walked(forest, columns)
