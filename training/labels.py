"""Labels blocks by whether they are in the gold of their page, which is a list of nodes or a text."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final, cast

import numpy as np
from lxml.etree import _Element
from training_sites import Booleans

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page

NODE_SHARE: Final = 0.5
"""Minimum share of a block's characters below gold nodes [OWN]."""
TRIPLE_WORDS: Final = 5
"""Minimum words of a block whose own word triples decide [OWN]."""
TRIPLE_SHARE: Final = 0.6
"""Minimum share of a block's word triples in the gold text [OWN]."""
NEAR_WORDS: Final = 3
"""Words beside a short block that show where in the gold text it is [OWN]."""
SPACELESS: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
"""Letters of scripts without spaces between words."""
SPACELESS_SAMPLE: Final = 400
"""Characters of the gold text in which such letters are looked for."""
RUN: Final = 5
"""Length of the character runs that are compared in such scripts [OWN]."""
RUN_CHARS: Final = 8
"""Minimum characters of a block whose own runs decide [OWN]."""
RUN_SHARE: Final = 0.7
"""Minimum share of a block's runs in the gold text [OWN]."""
NEIGHBOURS: Final = 5
"""Number of blocks on either side whose verdicts a block without one may take [OWN]."""
NEIGHBOUR_CHARS: Final = 20
"""Such a neighbour has more characters than this [OWN]."""

Verdict = bool | None
"""Whether a block is in the gold text; None if its own text does not show it."""


def labels_of_nodes(page: Page, blocks: Blocks, gold: Iterable[str], excluded: Iterable[str]) -> Booleans:
    """Return a label for each block: whether at least half of its characters are below gold nodes.

    `gold` and `excluded` are XPaths of elements; what is below an excluded element is not gold.
    """
    flat, tree = page.flat, page.root.getroottree()
    element_rows = [row for row, tag in enumerate(flat.tag) if tag != TEXT]
    row_of = dict(zip(elements(page.root), element_rows, strict=True))
    is_gold = np.zeros(len(flat), bool)
    for paths, value in ((gold, True), (excluded, False)):
        for path in paths:
            for element in cast("list[_Element]", tree.xpath(path)):
                if element in row_of:
                    row = row_of[element]
                    is_gold[row : flat.end[row]] = value
    gold_chars = [
        sum(flat.chars[row] for row in range(first, stop) if flat.tag[row] == TEXT and is_gold[row])
        for first, stop in zip(blocks.first, blocks.stop, strict=True)
    ]
    return np.array([part >= NODE_SHARE * chars for part, chars in zip(gold_chars, blocks.chars, strict=True)], bool)


def labels_of_text(texts: list[str], gold: str) -> Booleans:
    """Return a label for each block: whether its text is in the gold text.

    A block without a verdict of its own has the label of the nearest long block before or after it, if either is gold.
    """
    spaceless = SPACELESS.search(gold[:SPACELESS_SAMPLE]) is not None
    verdicts = _verdicts_by_runs(texts, gold) if spaceless else _verdicts_by_words(texts, gold)
    labels = [
        _neighbours_verdict(block, verdicts, texts) if verdict is None else verdict
        for block, verdict in enumerate(verdicts)
    ]
    return np.array(labels, bool)


def _neighbours_verdict(block: int, verdicts: list[Verdict], texts: list[str]) -> bool:
    """Return whether the nearest long block before or after a block is in the gold text."""
    before = range(block - 1, max(block - NEIGHBOURS - 1, -1), -1)
    after = range(block + 1, min(block + NEIGHBOURS + 1, len(texts)))
    return _first_verdict(before, verdicts, texts) or _first_verdict(after, verdicts, texts)


def _first_verdict(blocks: Iterable[int], verdicts: list[Verdict], texts: list[str]) -> bool:
    """Return the verdict of the first long block that has one; False if none has."""
    for block in blocks:
        verdict = verdicts[block]
        if verdict is not None and len(texts[block]) > NEIGHBOUR_CHARS:
            return verdict
    return False


def _verdicts_by_words(texts: list[str], gold: str) -> list[Verdict]:
    """Return the verdicts of blocks by word triples; short blocks are searched for with the words beside them."""
    gold_words = _words(gold)
    gold_triples = set(zip(gold_words, gold_words[1:], gold_words[2:], strict=False))
    gold_line = f" {' '.join(gold_words)} "
    words = [_words(text) for text in texts]
    verdicts: list[Verdict] = []
    for block, own in enumerate(words):
        if len(own) >= TRIPLE_WORDS:
            triples = list(zip(own, own[1:], own[2:], strict=False))
            verdicts.append(sum(triple in gold_triples for triple in triples) >= TRIPLE_SHARE * len(triples))
        elif own and f" {' '.join(own)} " in gold_line:
            words_back = (word for before in reversed(words[:block]) for word in reversed(before))
            before = list(islice(words_back, NEAR_WORDS))[::-1]
            after = list(islice((word for following in words[block + 1 :] for word in following), NEAR_WORDS))
            runs = [run for run in (before + own, own + after) if len(run) == NEAR_WORDS + len(own)]
            verdicts.append(any(f" {' '.join(run)} " in gold_line for run in runs) or None)
        else:
            verdicts.append(False if own else None)
    return verdicts


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _verdicts_by_runs(texts: list[str], gold: str) -> list[Verdict]:
    """Return the verdicts of blocks by runs of characters, for scripts without spaces."""
    gold_letters = _without_spaces(gold)
    verdicts: list[Verdict] = []
    for text in texts:
        letters = _without_spaces(text)
        if len(letters) < RUN_CHARS:
            verdicts.append(None if letters in gold_letters else False)
        else:
            runs = [letters[i : i + RUN] for i in range(len(letters) - RUN + 1)]
            verdicts.append(sum(run in gold_letters for run in runs) >= RUN_SHARE * len(runs))
    return verdicts


def _without_spaces(text: str) -> str:
    return re.sub(r"\s+", "", text.lower())
