"""Context features of blocks for the second pass: the first pass's probabilities of a block and its surroundings.

The first pass judges each block alone. But content is contiguous: a heading that every page repeats is content if
everything else in its container is; a lone block far from the others is not. So these columns are the first pass's
probabilities of the block, of its neighbours, of the blocks on the same path, and of the blocks with the same ancestors
("auto-context": Tu and Bai, PAMI 2010).
"""

from itertools import accumulate
from math import exp, log, log1p
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom

LEVELS: Final = 6
"""Number of paths that are examined: the container's, and those of the ancestors above it."""
REACH: Final = (1, 2, 3)
WIDTHS: Final = (2, 5, 12, 30)
"""Window sizes: numbers of blocks on either side over which probabilities are averaged."""
BESIDE: Final = -9.0
"""Log odds used beyond the first and the last block."""
EDGE: Final = 1e-4
EXTRA: Final = 4.0
"""Characters added to each block's weight, so that short blocks count."""
SECOND: Final = 0.3
"""Weight of the second pass's log odds on sites with a template, where the first pass has more evidence
(docs/combined-rules.md)."""

NAMES: Final = [
    "odds",
    "log_chars",
    *(name for level in range(LEVELS) for name in (f"path_chance_{level}", f"path_weight_{level}")),
    *(f"odds{sign}{step}" for step in REACH for sign in "+-"),
    *(f"around_{width}" for width in WIDTHS),
    "before",
    "after",
    "page",
]
"""Names of the columns."""


def log_odds(chance: float) -> float:
    """Return the log odds of a probability, within bounds."""
    bounded = min(max(chance, EDGE), 1 - EDGE)
    return log(bounded / (1 - bounded))


def blended(first: list[float], second: list[float], weight: float = SECOND) -> list[float]:
    """Return the weighted mean of the log odds of two judgements, as probabilities; `weight` is that of the second."""
    return [
        1 / (1 + exp(-((1 - weight) * log_odds(one) + weight * log_odds(two))))
        for one, two in zip(first, second, strict=True)
    ]


def surroundings(flat: FlatDom, blocks: Blocks, chances: list[float]) -> list[list[float]]:
    """Return the columns, one value per block, in the order of `NAMES`."""
    n = len(blocks)
    odds = [log_odds(chance) for chance in chances]
    weights = [chars + EXTRA for chars in blocks.chars]
    total = sum(weights)
    columns = [odds, [log1p(chars) for chars in blocks.chars]]
    rows = blocks.container
    for level in range(LEVELS):
        if level:
            rows = [max(flat.parent[row], 0) for row in rows]
        columns += _by_path([flat.path[row] for row in rows], chances, weights, total)
    for step in REACH:
        gap = [BESIDE] * min(step, n)
        columns += [(odds[step:] + gap)[:n], (gap + odds[:-step])[:n]]
    sums = [0.0, *accumulate(weights)]
    kept = [0.0, *accumulate(weight * chance for weight, chance in zip(weights, chances, strict=True))]
    for width in WIDTHS:
        spans = [(max(i - width, 0), min(i + width + 1, n)) for i in range(n)]
        columns.append([(kept[b] - kept[a]) / (sums[b] - sums[a]) for a, b in spans])
    whole = max(kept[n], 1e-6)
    columns.append([kept[i] / whole for i in range(n)])
    columns.append([(kept[n] - kept[i + 1]) / whole for i in range(n)])
    columns.append([kept[n] / total] * n)
    return columns


def _by_path(paths: list[int], chances: list[float], weights: list[float], total: float) -> list[list[float]]:
    """Return the mean probability of all blocks on the same path, and the log of their share of the page."""
    sums: dict[int, list[float]] = {}
    for path, chance, weight in zip(paths, chances, weights, strict=True):
        found = sums.setdefault(path, [0.0, 0.0])
        found[0] += weight
        found[1] += weight * chance
    means = {path: (kept / weight, log(weight / total)) for path, (weight, kept) in sums.items()}
    return [[means[path][0] for path in paths], [means[path][1] for path in paths]]
