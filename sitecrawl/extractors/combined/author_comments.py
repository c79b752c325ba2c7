"""Keeps paragraphs with the class name of comments that are the author's own remarks in the middle of a text.

Comments of readers are below the text, in separate elements. So a paragraph with such a name is the author's if a kept
paragraph follows it in the same element. [OWN]
"""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.class_hints import COMMENT, OWN_MARKS
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known


def with_author_comments(flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known) -> list[bool]:
    """Return which blocks are kept, including the author's comments that hardly any other page has."""
    if known.others < ENOUGH or not any(COMMENT in OWN_MARKS["p", names] for names in vocabulary(flat).names):
        return kept
    last = dict[int, int]()  # by element: the last kept paragraph in it
    for block, container in enumerate(blocks.container):
        if kept[block] and flat.tag[container] == "p":
            last[flat.parent[container]] = block
    found = list(kept)
    for block, container in enumerate(blocks.container):
        if kept[block] or block > last.get(flat.parent[container], -1) or flat.tag[container] != "p":
            continue
        if COMMENT in OWN_MARKS["p", flat.names[container]]:
            found[block] = known.share(flat, blocks, block) < RARE
    return found
