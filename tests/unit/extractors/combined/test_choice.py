"""Tests of the probability from which blocks are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.extractors.combined.choice import LEVELS, LOWEST, MARGIN, SHIFT, USUAL, kept_from
from sitecrawl.extractors.combined.context_features import log_odds

BLOCKS = st.lists(st.tuples(st.integers(1, 2000), st.floats(0, 1)), min_size=1, max_size=30)


def kept(blocks):
    limit = kept_from([c for c, _ in blocks], [p for _, p in blocks])
    return [i for i, (_, chance) in enumerate(blocks) if chance >= limit]


def expected(blocks, limit):
    """F1 that a limit can expect: one draw a level, the blocks over it are main content."""
    total = 0.0
    chosen = {i for i, (_, chance) in enumerate(blocks) if chance >= limit}
    for level in range(LEVELS):
        drawn = (level + 0.5) / LEVELS
        true = {i for i, (_, p) in enumerate(blocks) if log_odds(p) - SHIFT >= log_odds(drawn)}
        both = sum(blocks[i][0] for i in chosen & true)
        total += 2 * both / max(sum(blocks[i][0] for i in chosen) + sum(blocks[i][0] for i in true), 1)
    return total / LEVELS


def test_where_the_looks_are_sure_the_usual_limit_holds():
    assert kept_from([300, 200, 40, 500], [0.99, 0.97, 0.02, 0.01]) == USUAL
    assert pytest.approx(0.574, abs=0.001) == USUAL


def test_paragraphs_that_are_all_a_little_unlikely_are_kept_together():
    assert kept([(40, 0.05), (400, 0.4), (300, 0.38), (350, 0.41), (60, 0.02)]) == [1, 2, 3]


def test_a_long_menu_is_not_kept_beside_a_short_sure_text():
    assert kept([(3000, 0.32), (600, 0.85)]) == [1]


def test_nothing_is_kept_where_nothing_is_likely():
    assert kept([(400, 0.05), (20, 0.01)]) == []


@given(BLOCKS)
def test_no_other_limit_expects_more(blocks):
    limit = kept_from([c for c, _ in blocks], [p for _, p in blocks])
    best = expected(blocks, limit)
    if limit == USUAL:
        best += MARGIN
    for level in range(LEVELS):
        if (level + 0.5) / LEVELS >= LOWEST:
            other = 1 / (1 + (1 - (level + 0.5) / LEVELS) / ((level + 0.5) / LEVELS) * 2.718281828459045**-SHIFT)
            assert expected(blocks, other) <= best + 1e-9
