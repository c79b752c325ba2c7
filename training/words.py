"""Trains the weights of words and names that `sitecrawl/extractors/combined/word_evidence.py` reads.

They are those of a logistic regression of the blocks' labels on the slots of their words and names, by L-BFGS, with an
L2 penalty. Slots of few sites have the weight 0. The forests must not learn from the result of the regression for a
block that it was trained on, so each site gets its columns from weights that were trained on other sites.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from training_sites import Doubles, Examples, Floats, Numbers, Slots

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.word_evidence import (
    SCALE,
    SLOTS,
    WordWeights,
    names_around,
    text_slots,
    unpacked,
)

PENALTY: Final = 0.2
"""L2 penalty of a weight of words, where blocks weigh 1 / `LOSS_SCALE` on average."""
LOSS_SCALE: Final = 1000
SITES: Final = 6
"""Minimum number of sites with a slot whose weight is not 0."""
STEPS: Final = 80
"""Maximum steps of the optimisation."""
LARGEST: Final = 127
"""Largest integer that is stored."""
MARGIN: Final = 60
"""Margin from which the slope of the loss is taken as constant, since the exponential could overflow."""
WORD_COLUMNS: Final = slice(-2, None)
"""The columns of words and names, which `BlockEvidence` adds last."""


class WeightedPage(NamedTuple):
    """A page to learn words from."""

    number: int
    """Its number in its site, which is the seed for drawing its blocks."""
    examples: Examples
    weight: float
    site: int
    """The number of its site."""


class _Blocks(NamedTuple):
    """The blocks to learn from."""

    counts: sparse.csr_matrix
    """How often each block (row) has each slot (column)."""
    labels: Floats
    weights: Doubles
    sites: Numbers
    """The number of the site of each block."""


def slots_of(flat: FlatDom, blocks: Blocks, texts: Sequence[str]) -> Slots:
    """Return the slots of the words and names of all blocks; those of names follow those of words."""
    slots: list[int] = []
    begins = [0]
    name_slots: dict[int, list[int]] = {}
    for text, chars, container in zip(texts, blocks.chars, blocks.container, strict=True):
        if container not in name_slots:
            name_slots[container] = [SLOTS + slot for slot in names_around(flat, container)]
        slots += text_slots(text, chars)
        slots += name_slots[container]
        begins.append(len(slots))
    return Slots(np.array(slots, dtype=np.int32), np.array(begins, dtype=np.int64))


def train_words(pages: Iterable[WeightedPage], most: int) -> WordWeights:
    """Return the weights learned from some pages; up to `most` blocks of a page are drawn."""
    blocks = _drawn_blocks(pages, most)
    used = _common_slots(blocks)
    counts = blocks.counts[:, used]
    transposed, signs = counts.T.tocsr(), 2 * blocks.labels - 1
    weights = blocks.weights / blocks.weights.mean() / LOSS_SCALE

    def loss_and_gradient(values: Doubles) -> tuple[float, Doubles]:
        slots, constant = values[:-1], values[-1]
        margin = signs * (counts @ slots.astype(np.float32) + constant)
        slope = (-signs * weights / (1 + np.exp(np.minimum(margin, MARGIN)))).astype(np.float32)
        loss = (weights * np.logaddexp(0, -margin)).sum() + PENALTY / 2 * (slots**2).sum()
        return float(loss), np.append(transposed @ slope + PENALTY * slots, slope.sum())

    start = np.zeros(len(used) + 1)
    best = minimize(loss_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    table = np.zeros(2 * SLOTS)
    table[used] = np.clip(np.rint(best.x[:-1] * SCALE), -LARGEST, LARGEST)
    return unpacked(table.astype(np.int8).tobytes())


def _common_slots(blocks: _Blocks) -> Numbers:
    """Return the slots that at least `SITES` sites have."""
    site_of_entry = np.repeat(blocks.sites, np.diff(blocks.counts.indptr))
    pairs = np.unique(site_of_entry * (2 * SLOTS) + blocks.counts.indices)
    return np.flatnonzero(np.bincount(pairs % (2 * SLOTS), minlength=2 * SLOTS) >= SITES)


def _drawn_blocks(pages: Iterable[WeightedPage], most: int) -> _Blocks:
    """Return up to `most` blocks of each page, which together weigh as much as all blocks of the page."""
    counts, labels, weights, sites = [], [], [], []
    for page in pages:
        examples, count = page.examples, len(page.examples.labels)
        drawn = np.sort(np.random.default_rng(page.number).permutation(count)[:most])
        counts.append(_slot_counts(examples.slots)[drawn])
        labels.append(examples.labels[drawn])
        weights.append(examples.weights[drawn] * (page.weight * count / len(drawn)))
        sites.append(np.full(len(drawn), page.site))
    return _Blocks(
        sparse.vstack(counts, format="csr"),
        np.concatenate(labels).astype(np.float32),
        np.concatenate(weights),
        np.concatenate(sites),
    )


def _slot_counts(slots: Slots) -> sparse.csr_matrix:
    """Return how often each block (row) has each slot (column)."""
    ones = np.ones(len(slots.slots), dtype=np.float32)
    return sparse.csr_matrix((ones, slots.slots, slots.begins), shape=(len(slots.begins) - 1, 2 * SLOTS))


def packed(weights: WordWeights) -> bytes:
    """Return the weights as they are stored: both tables, compressed."""
    return zlib.compress(b"".join(table.tobytes() for table in weights), 9)


def write_columns(pages: Iterable[Examples], weights: WordWeights) -> None:
    """Write the sums of the weights of each block into its columns of words and names."""
    texts, names = (np.array(table, dtype=np.float64) for table in weights)
    table = np.zeros((2 * SLOTS, 2))
    table[:SLOTS, 0], table[SLOTS:, 1] = texts / SCALE, names / SCALE
    for examples in pages:
        sums = _slot_counts(examples.slots) @ table
        for columns in examples.columns.values():
            columns[:, WORD_COLUMNS] = sums
