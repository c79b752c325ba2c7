"""Drops the labels of code: the name of its programming language in a corner, and the prompts of notebooks.

The class names of the code name the same language: `<div class="language-bash"><span>bash</span><pre>`. A notebook
numbers its cells: "In [1]:", "Out[1]:". [OWN]
"""

import re
from itertools import islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below, outermost
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary

LONGEST: Final = 16
"""Maximum characters of a label. Own choice."""
ABOVE: Final = 4
"""Number of elements, from the code upwards, whose class names may contain its language. Own choice."""
_LANGUAGE: Final = re.compile(r"(?:language|lang|source|src|brush)[-:_]([\w+#]+)", re.IGNORECASE)


_PROMPT: Final = re.compile(r"(?:In|Out) ?\[[\d *]{1,6}\]:?")
_PROMPT_ENDS: Final = ("]", ":")


def without_code_labels(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without labels of the code beside them."""
    code = vocabulary(flat).tags.get("pre", [])
    if not code:
        return kept
    beside = set[int]()
    for row in outermost(flat, code):
        begin, stop = blocks_below(flat, blocks, row)
        beside.update(range(begin - 1, stop + 1))
    labels = [
        block
        for block, (wanted, chars, linked) in enumerate(zip(kept, blocks.chars, blocks.link_chars, strict=True))
        if wanted and chars <= LONGEST and not linked and _is_label(flat, blocks, block, beside=block in beside)
    ]
    if not labels:
        return kept
    found = list(kept)
    for block in labels:
        found[block] = False
    return found


def _is_label(flat: FlatDom, blocks: Blocks, block: int, *, beside: bool) -> bool:
    """Return whether a block is a prompt, or the language name of code in the same element.

    `beside` tells whether there is code directly before or after the block, or in it.
    """
    if not beside and not flat.text[blocks.stop[block] - 1].rstrip().endswith(_PROMPT_ENDS):
        return False
    text = block_text(flat, blocks, block).strip()
    if _PROMPT.fullmatch(text):
        return True
    name = text.casefold()
    return any(
        0 <= other < len(blocks) and name in _languages(flat, blocks.container[other], blocks.container[block])
        for other in (block + 1, block - 1)
    )


def _languages(flat: FlatDom, code: int, label: int) -> set[str]:
    """Return the languages in the class names of a `pre` and of the elements around it and the label."""
    rows = list(islice((code, *flat.ancestors(code)), ABOVE))
    if label == code or not any(flat.tag[row] == "pre" for row in rows):
        return set()
    around = [row for row in rows if row <= label < flat.end[row]]
    if not around:
        return set()
    named = " ".join(flat.names[row] for row in rows[: rows.index(around[0]) + 1])
    return {one.casefold() for one in _LANGUAGE.findall(named)}
