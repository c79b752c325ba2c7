"""Trains the weights of words and names that `sitecrawl/extractors/combined/word_evidence.py` reads.

A logistic regression of the blocks' labels on the slots of their words and names, by L-BFGS, with an L2 penalty.
Slots that few sites have weigh nothing. The forests must not learn from what the regression says of a block that it
was trained on, so each site gets its columns from weights that were trained on other sites.
"""

import zlib

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from sitecrawl.extractors.combined.word_evidence import (
    SCALE,
    SLOTS,
    names_around,
    text_slots,
    unpacked,
)

PENALTY = 0.2
"""L2 penalty of a weight, where all blocks together weigh as many as there are, divided by 1,000."""
SITES = 6
"""Number of sites that must have a slot for it to weigh anything."""
STEPS = 80
"""Steps of the optimisation at most."""
PARTS = 4
"""Parts of the sites that are learned from: each part gets its columns from weights trained on the others."""
MOST = 127
"""Largest integer that is stored."""


def slots_of(flat, blocks, lines):
    """Return the slots of the words and names of all blocks: (slots, where those of each block begin)."""
    found, begins, around = [], [0], {}
    for line, chars, container in zip(lines, blocks.chars, blocks.container, strict=True):
        if container not in around:
            around[container] = [SLOTS + one for one in names_around(flat, container)]
        found += text_slots(line, chars)
        found += around[container]
        begins.append(len(found))
    return np.array(found, dtype=np.int32), np.array(begins, dtype=np.int64)


def trained(pages, most):
    """Return the weights learned from rows of (page, weight, site); up to `most` blocks of a page are drawn."""
    matrix, labels, weights, sites = _blocks(pages, most)
    seen = np.unique(np.repeat(sites, np.diff(matrix.indptr)) * (2 * SLOTS) + matrix.indices)
    used = np.flatnonzero(np.bincount(seen % (2 * SLOTS), minlength=2 * SLOTS) >= SITES)
    x = matrix[:, used]
    turned, signs, weights = x.T.tocsr(), 2 * labels - 1, weights / weights.mean() / 1000

    def loss(w):
        margin = signs * (x @ w[:-1].astype(np.float32) + w[-1])
        slope = (-signs * weights / (1 + np.exp(np.minimum(margin, 60)))).astype(np.float32)
        value = (weights * np.logaddexp(0, -margin)).sum() + PENALTY / 2 * (w[:-1] ** 2).sum()
        return float(value), np.append(turned @ slope + PENALTY * w[:-1], slope.sum())

    found = minimize(loss, np.zeros(len(used) + 1), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    whole = np.zeros(2 * SLOTS)
    whole[used] = np.clip(np.rint(found.x[:-1] * SCALE), -MOST, MOST)
    return unpacked(whole.astype(np.int8).tobytes())


def _blocks(pages, most):
    """Return the blocks to learn from: a row of counts of slots for each, labels, weights and numbers of sites."""
    rows, labels, weights, sites = [], [], [], []
    for page, weight, site in pages:
        count = len(page.labels)
        some = np.sort(np.random.default_rng(page.number).permutation(count)[:most])
        rows.append(_matrix(page)[some])
        labels.append(page.labels[some])
        weights.append(page.weights[some] * (weight * count / len(some)))
        sites.append(np.full(len(some), site))
    return (
        sparse.vstack(rows, format="csr"),
        np.concatenate(labels).astype(np.float32),
        np.concatenate(weights),
        np.concatenate(sites),
    )


def _matrix(page):
    found, begins = page.slots
    ones = np.ones(len(found), dtype=np.float32)
    return sparse.csr_matrix((ones, found, begins), shape=(len(begins) - 1, 2 * SLOTS))


def packed(weights):
    """Return the weights as they are stored: both tables, compressed."""
    return zlib.compress(b"".join(table.tobytes() for table in weights), 9)


def write_columns(pages, weights):
    """Write what these weights say of the blocks of pages into their columns."""
    texts, names = (np.array(table, dtype=np.float64) for table in weights)
    both = np.zeros((2 * SLOTS, 2))
    both[:SLOTS, 0], both[SLOTS:, 1] = texts / SCALE, names / SCALE
    for page in pages:
        sums = _matrix(page) @ both
        for columns in page.columns.values():
            columns[:, WORD_COLUMNS] = sums


WORD_COLUMNS = slice(-2, None)
"""The columns of words and names, which `BlockEvidence` adds last."""
