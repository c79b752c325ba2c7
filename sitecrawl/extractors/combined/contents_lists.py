"""Drops lists of contents and menus, and judges anew what is left where they were most of the page.

A table of contents of a handbook and a menu of all its pages may be longer than the text of a page. If they are kept,
the limit is chosen for them, and the text may be under it. Pure in the page. [OWN]
"""

from collections.abc import Mapping
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.choice import kept_from
from sitecrawl.extractors.combined.furniture_boxes import REST, outside

LINKED: Final = 0.6
"""Share of its characters in links from which a box named as contents is a list of them. Own choice."""
MENU: Final = 0.8
"""The same for a `nav`, which some sites put around their text. Own choice."""


def without_contents(
    flat: FlatDom, blocks: Blocks, kept: list[bool], chances: list[float], named: Mapping[str, list[int]]
) -> list[bool]:
    """Return which blocks are kept without lists of contents and menus; `kept` if nothing would be left.

    `named` are rows by what their names say (`furniture_rows`). If under a share `REST` of the kept characters is left,
    the limit is chosen once more for the other blocks, by their probabilities `chances`.
    """
    rows = [row for row in named.get("contents", ()) if flat.link_chars[row] > LINKED * flat.chars[row]]
    navs = vocabulary(flat).tags.get("nav", ())
    rows += [row for row in navs if flat.link_chars[row] > MENU * flat.chars[row]]
    if not rows:
        return kept
    found = outside(flat, blocks, kept, rows)
    if found == kept:
        return kept
    if sum(compress(blocks.chars, found)) < REST * sum(compress(blocks.chars, kept)):
        others = list(compress(range(len(kept)), outside(flat, blocks, [True] * len(kept), rows)))
        limit = kept_from([blocks.chars[block] for block in others], [chances[block] for block in others])
        for block in others:
            found[block] = found[block] or chances[block] >= limit
    return found if True in found else kept
