"""Tests of the metrics of a page."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.evaluation.metrics import (
    MEASURES,
    NOTHING,
    PERFECT,
    PRF,
    Shingles,
    article_benchmark,
    block_prf,
    covered,
    failed_metrics,
    lcs_prf,
    lcstring_prf,
    node_metrics,
    node_prf,
    overlap,
    prf,
    rouge,
    shingle_prf,
    shingles,
    text_metrics,
    word_prf,
)
from sitecrawl.evaluation.words import runs

from ..dom.trees import page, pages, row

TEXT_METRICS = (word_prf, rouge, shingle_prf, lcs_prf, lcstring_prf)
TEXTS = st.one_of(
    st.text(max_size=30), st.lists(st.sampled_from(("a", "B", "storm", "hits")), max_size=12).map(" ".join)
)


def test_counts_to_figures():
    assert prf(6, 8, 12) == pytest.approx((0.75, 0.5, 0.6))
    assert prf(0, 0, 0) == PERFECT
    assert prf(0, 3, 0) == prf(0, 0, 3) == prf(0, 3, 3) == NOTHING


@pytest.mark.parametrize("metric", TEXT_METRICS)
def test_one_empty_side_is_nothing(metric):
    assert metric("", "gold text") == metric("output text", "") == metric(" \n", "gold") == NOTHING


def test_two_empty_sides_are_perfect_but_for_common_strings():
    assert word_prf("", " ") == rouge("", "") == shingle_prf("", "") == PERFECT
    assert lcs_prf("", "") == lcstring_prf(" ", "") == NOTHING


@pytest.mark.parametrize("metric", TEXT_METRICS)
@given(one=TEXTS, other=TEXTS)
def test_sides_swap_precision_and_recall(metric, one, other):
    found = metric(one, other)
    assert metric(other, one) == (found.recall, found.precision, pytest.approx(found.f1))
    assert all(0 <= figure <= 1 for figure in found)
    assert min(found) <= found.f1 <= max(found.precision, found.recall) + 1e-12


@pytest.mark.parametrize("metric", TEXT_METRICS)
@given(text=TEXTS)
def test_a_text_agrees_with_itself(metric, text):
    assert metric(text, text) in ((PERFECT, NOTHING) if not text.strip() else (PERFECT,))


def test_words_are_multisets():
    assert word_prf("no no no yes", "no yes YES") == pytest.approx((0.5, 2 / 3, 4 / 7))
    assert overlap(Counter("aab"), Counter("abb")) == pytest.approx((2 / 3, 2 / 3, 2 / 3))


def test_rouge_2_sees_the_order():
    assert rouge("storm hits coast", "coast hits storm", 1) == PERFECT
    assert rouge("storm hits coast", "coast hits storm") == NOTHING
    assert rouge("storm hits coast", "storm hits") == pytest.approx((0.5, 1, 2 / 3))
    assert rouge("storm", "coast") == NOTHING


# --- the article extraction benchmark ---


def test_shingles_of_the_benchmark():
    """The counts of its own evaluate.py for these texts."""
    assert shingles("a b c d e f", "a b c d e") == pytest.approx((2 / 3, 1 / 3, 0))
    assert shingles("a b c", "a b c") == (1, 0, 0)
    assert shingles("A b c d", "a b c d") == (0, 0.5, 0.5)
    assert shingles("a a a a a", "a a a a") == (0.5, 0.5, 0)
    assert shingles("", "") == (0, 0, 0)


@given(TEXTS, TEXTS)
def test_shingles_sum_to_one(output, gold):
    empty = not runs(output) and not runs(gold)
    assert sum(shingles(output, gold)) == pytest.approx(0 if empty else 1)


def test_the_benchmark_leaves_empty_sides_out_of_its_means():
    found = article_benchmark([Shingles(0.5, 0.5, 0), Shingles(0, 0, 1), Shingles(1, 0, 0), Shingles(0, 0, 0)])
    assert found == pytest.approx((0.75, 2 / 3, 2 * 0.75 * (2 / 3) / (0.75 + 2 / 3)))
    assert article_benchmark([]) == article_benchmark([Shingles(0, 0, 1)]) == NOTHING


# --- nodes ---


@pytest.fixture
def flat():
    """A page with a menu and a story."""
    return page("<nav><p>Home</p></nav><div>Intro <p>Storm</p><p>Coast</p></div>").flat


def test_rows_of_subtrees(flat):
    div, storm = row(flat, "div"), row(flat, "Storm")
    assert covered(flat, [div]) == set(range(div, flat.end[div]))
    assert covered(flat, [div, storm]) == covered(flat, [div])
    assert covered(flat, [div], [flat.parent[storm]]) == covered(flat, [div]) - {storm, flat.parent[storm]}
    assert covered(flat, []) == set()


def test_nodes_are_elements_and_texts(flat):
    story = covered(flat, [row(flat, "div")])
    assert node_prf(story, story) == node_prf(set(), set()) == PERFECT
    assert node_prf(set(), story) == node_prf(story, set()) == NOTHING
    paragraph = covered(flat, [flat.parent[row(flat, "Storm")]])
    assert node_prf(paragraph, story) == pytest.approx((1, 2 / 6, 0.5))


def test_a_block_belongs_where_most_of_its_characters_are():
    flat = page("<p>long <b>text of a block</b> x</p><p>other</p><div><img></div>").flat
    bold = covered(flat, [row(flat, "b")])
    assert block_prf(flat, bold, covered(flat, [flat.parent[row(flat, "b")]])) == PERFECT
    assert block_prf(flat, {row(flat, "x")}, bold) == NOTHING
    assert block_prf(flat, set(), set()) == PERFECT


@given(pages(), st.data())
def test_blocks_and_nodes_swap_precision_and_recall(found, data):
    flat = found.flat
    rows = st.sets(st.integers(0, len(flat) - 1), max_size=3)
    one, other = (covered(flat, data.draw(rows)) for _ in range(2))
    for metric in (node_prf, lambda a, b: block_prf(flat, a, b)):
        there, back = metric(one, other), metric(other, one)
        assert back == (there.recall, there.precision, pytest.approx(there.f1))
        assert metric(one, one) == PERFECT


# --- a page ---


def test_figures_of_a_page_have_names(flat):
    texts = text_metrics("Storm hits coast", "Storm hits")
    assert (texts["word_p"], texts["word_r"], texts["word_f1"]) == pytest.approx((2 / 3, 1, 0.8))
    nodes = node_metrics(flat, {1}, {1})
    assert nodes["node_f1"] == nodes["block_r"] == 1
    names = [f"{name}_{figure}" for name in MEASURES for figure in ("p", "r", "f1")]
    assert sorted({**texts, **nodes}) == sorted(names)
    assert PRF(texts["lcs_p"], texts["lcs_r"], texts["lcs_f1"]) == lcs_prf("Storm hits coast", "Storm hits")


def test_what_failed_has_all_figures():
    assert failed_metrics() == dict.fromkeys(text_metrics("a", "b"), 0.0)
    assert set(failed_metrics(nodes=True)) - set(failed_metrics()) == {
        f"{name}_{figure}" for name in ("node", "block") for figure in ("p", "r", "f1")
    }
