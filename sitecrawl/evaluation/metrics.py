"""Metrics that compare the output of a method with the gold content of a page.

All are precision, recall and their harmonic mean F1 of one page, 0..1. **Empty sides**, unless a docstring says
otherwise: if both the output and the gold are empty all three are 1; if one of them is empty all three are 0.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, TypeVar

from sitecrawl.dom.atomic import BLOCK_TAGS, atomic_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.evaluation.strings import subsequence_length, substring_length, without_spaces
from sitecrawl.evaluation.words import ngrams, runs, words

SHINGLE: Final = 4
"""Words of a shingle (article-extraction-benchmark, evaluate.py)."""

MEASURES: Final[Mapping[str, str]] = {
    "word": "Words",
    "node": "Nodes",
    "block": "Blocks",
    "lcs": "LCSequence",
    "lcstring": "LCString",
    "shingle": "4-shingles",
    "rouge2": "ROUGE-2",
}
"""Title of each metric, in the order of reports; its figures are `NAME_p`, `NAME_r` and `NAME_f1`."""
MAIN: Final = "word_f1"
"""The figure that methods are ranked by, unless another measure is requested."""

EVIDENCE: Final = "evidence_"
"""Prefix of the names of evidence that is averaged like the figures."""

_Item = TypeVar("_Item")


class PRF(NamedTuple):
    """Precision, recall and F1, 0..1."""

    precision: float
    recall: float
    f1: float


NOTHING: Final = PRF(0.0, 0.0, 0.0)
PERFECT: Final = PRF(1.0, 1.0, 1.0)


def prf(right: float, returned: float, gold: float) -> PRF:
    """Return the figures for `right` units among the returned and the gold units."""
    if not returned and not gold:
        return PERFECT
    if not right:
        return NOTHING
    precision, recall = right / returned, right / gold
    return PRF(precision, recall, 2 * precision * recall / (precision + recall))


def overlap(output: Counter[_Item], gold: Counter[_Item]) -> PRF:
    """Return the figures of two multisets, where each unit counts as often as it occurs in both."""
    return prf((output & gold).total(), output.total(), gold.total())


# --- texts ---


def word_prf(output: str, gold: str) -> PRF:
    """Return the overlap of the multisets of words.

    This is ROUGE-1, and the WFmeasure of S3 (section IV), but with the number of common words in the numerator of the
    paper's ratios; otherwise a wrong text of twice the length would have a recall of 2.
    """
    return overlap(Counter(words(output)), Counter(words(gold)))


def rouge(output: str, gold: str, n: int = 2) -> PRF:
    """Return ROUGE-N: the overlap of the multisets of runs of `n` words (C.-Y. Lin 2004)."""
    return overlap(ngrams(words(output), n), ngrams(words(gold), n))


class Shingles(NamedTuple):
    """Shares of right, wrong and missed shingles of one page; they sum to 1, or are all 0 if both texts are empty."""

    right: float
    wrong: float
    missed: float


def shingles(output: str, gold: str) -> Shingles:
    r"""Return the agreement of the 4-word shingles of a page, as counted by article-extraction-benchmark.

    Shingles are multisets of runs of `\w`, with upper and lower case distinct; a text of fewer than four words is one
    shingle.
    """
    returned, wanted = ngrams(runs(output), SHINGLE), ngrams(runs(gold), SHINGLE)
    right = (returned & wanted).total()
    wrong, missed = returned.total() - right, wanted.total() - right
    total = right + wrong + missed
    return Shingles(right / total, wrong / total, missed / total) if total else Shingles(0.0, 0.0, 0.0)


def shingle_prf(output: str, gold: str) -> PRF:
    """Return the figures of the 4-word shingles of one page.

    Their mean over pages is a little stricter than the benchmark's own figure; see `article_benchmark`.
    """
    found = shingles(output, gold)
    return prf(found.right, found.right + found.wrong, found.right + found.missed)


def article_benchmark(pages: Iterable[Shingles]) -> PRF:
    """Return the figures that article-extraction-benchmark publishes for a set of pages.

    Precision is the mean over pages with output, recall the mean over pages with gold, and F1 the harmonic mean of
    these two, not the mean of F1 over pages. The result is 0 if no page has output (or gold).
    """
    found = list(pages)
    precisions = [page.right / (page.right + page.wrong) for page in found if page.right + page.wrong]
    recalls = [page.right / (page.right + page.missed) for page in found if page.right + page.missed]
    precision = sum(precisions) / len(precisions) if precisions else 0.0
    recall = sum(recalls) / len(recalls) if recalls else 0.0
    both = precision + recall
    return PRF(precision, recall, 2 * precision * recall / both if both else 0.0)


def lcstring_prf(output: str, gold: str) -> PRF:
    """Return the figures LCString of S2 (section 5): characters of the longest common substring, without white space.

    An empty output scores 0, even if the gold is empty too.
    """
    return _common(substring_length, output, gold)


def lcs_prf(output: str, gold: str) -> PRF:
    """Return the figures LCSequence of S2 (section 5): characters of the longest common subsequence, without spaces.

    An empty output scores 0, even if the gold is empty too.
    """
    return _common(subsequence_length, output, gold)


def _common(length: Callable[[str, str], int], output: str, gold: str) -> PRF:
    returned, wanted = without_spaces(output), without_spaces(gold)
    return prf(length(returned, wanted), len(returned), len(wanted)) if returned else NOTHING


# --- nodes ---


def covered(flat: FlatDom, nodes: Iterable[int], without: Iterable[int] = ()) -> set[int]:
    """Return the rows of the subtrees of `nodes`, without those of the subtrees of `without`."""
    rows: set[int] = set()
    for node in nodes:
        rows.update(range(node, flat.end[node]))
    for node in without:
        rows.difference_update(range(node, flat.end[node]))
    return rows


def node_prf(returned: AbstractSet[int], gold: AbstractSet[int]) -> PRF:
    """Return the figures of two sets of rows, elements and texts alike (S0, S1)."""
    return prf(len(returned & gold), len(returned), len(gold))


def block_prf(
    flat: FlatDom, returned: AbstractSet[int], gold: AbstractSet[int], tags: frozenset[str] = BLOCK_TAGS
) -> PRF:
    """Return the BFmeasure of S3 (section IV) over the page's atomic blocks with text.

    A block counts as extracted if more than half of its own characters are in the returned rows, and as content if more
    than half are in the gold rows. Recall is extracted content blocks / content blocks, precision is extracted content
    blocks / extracted blocks.
    """
    right = extracted = content = 0
    for texts in atomic_blocks(flat, tags).texts:
        total = sum(flat.chars[i] for i in texts)
        out = 2 * sum(flat.chars[i] for i in texts if i in returned) > total
        wanted = 2 * sum(flat.chars[i] for i in texts if i in gold) > total
        extracted += out
        content += wanted
        right += out and wanted
    return prf(right, extracted, content)


# --- a page ---

_TEXT: Final[Mapping[str, Callable[[str, str], PRF]]] = {
    "word": word_prf,
    "lcs": lcs_prf,
    "lcstring": lcstring_prf,
    "shingle": shingle_prf,
    "rouge2": rouge,
}
_NODES: Final = ("node", "block")


def text_metrics(output: str, gold: str) -> dict[str, float]:
    """Return all figures of a page that need only its texts, by name."""
    return {key: value for name, measure in _TEXT.items() for key, value in _named(name, measure(output, gold))}


def node_metrics(flat: FlatDom, returned: AbstractSet[int], gold: AbstractSet[int]) -> dict[str, float]:
    """Return all figures of a page that need its rows, by name."""
    figures = (node_prf(returned, gold), block_prf(flat, returned, gold))
    return {key: value for name, found in zip(_NODES, figures, strict=True) for key, value in _named(name, found)}


def failed_metrics(*, nodes: bool = False) -> dict[str, float]:
    """Return the figures of a page on which a method raised an exception: all 0, with `nodes` also those over nodes."""
    names = (*_TEXT, *_NODES) if nodes else tuple(_TEXT)
    return {key: value for name in names for key, value in _named(name, NOTHING)}


def _named(name: str, figures: PRF) -> tuple[tuple[str, float], ...]:
    return (f"{name}_p", figures.precision), (f"{name}_r", figures.recall), (f"{name}_f1", figures.f1)
