"""Drops tables of contents and menus; if they were most of the page, chooses the threshold again for the other blocks.

A handbook's table of contents, or a menu of all its pages, may be longer than the text of a page. If they are kept, the
threshold was chosen for them, and the text may be below it. A table of contents is recognised by the class name of its
box, or by the line above it. Pure in the page. [OWN]
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below, outermost
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.choice import kept_from
from sitecrawl.extractors.combined.furniture_boxes import REST, is_beside_text, outside, without_rows
from sitecrawl.extractors.combined.own_links import own_links

LINKED: Final = 0.6
"""Minimum share of characters in links for which a box with the class name of contents is a table of contents. Own
choice."""
MENU: Final = 0.8
"""The same share for a `nav`, which some sites put around their text. Own choice."""
LINKS: Final = 3
"""Minimum number of links within the page in a list below a line such as "Contents". Own choice."""
HERE: Final = 0.8
"""Minimum share of such links in that list: a page may list the contents of other pages. Own choice."""
CHAPTERS: Final = 3
"""Minimum lines of a box of contents that says what each chapter is about. Own choice."""
CHAPTERS_LINKED: Final = 0.8
"""Minimum share of lines with a link in such a box. Own choice."""
LINE: Final = 40
"""Maximum characters of that line. Own choice."""
LISTS: Final = frozenset(("ul", "ol", "dl"))
_CONTENTS: Final = re.compile(
    r"\W{0,9}(?:\d{1,2}\W{1,3})?(?:(?:table of )?contents|table of content|on this page|in this article"
    r"|inhalt(?:sverzeichnis)?|sommaire|table des matières"
    r"|índice|contenidos?|indice|contenuto|conteúdo|inhoud(?:sopgave)?|innehåll|indhold|spis treści|obsah|содержание"
    r"|оглавление|зміст|съдържание|içindekiler|περιεχόμενα|mục lục|cuprins|tartalom(?:jegyzék)?|sisällys(?:luettelo)?"
    r"|innhold|daftar isi|(?:ال)?محتويات|جدول المحتويات|فهرست(?: مطالب)?|תוכן(?: ה)?עניינים|विषय[- ]सूची|สารบัญ"
    r"|目录|目錄|目次|차례|목차)\W{0,9}",
    re.IGNORECASE,
)
"""Matches the line above a table of contents, perhaps with the number of a section. Of 366 such lists on 20 recorded
sites and manuals 3 are main content."""


def without_contents(
    page: Page, blocks: Blocks, kept: list[bool], chances: list[float], named: Mapping[str, list[int]]
) -> list[bool]:
    """Return `kept` without tables of contents and menus; unchanged if nothing would be left.

    `named` are rows by kind of furniture (`furniture_rows`). If less than the share `REST` of the kept characters is
    left, the threshold is chosen again for the other blocks, from their probabilities `chances`.
    """
    flat = page.flat
    boxes = named.get("contents", ())
    kept = _without_described(flat, blocks, kept, boxes)
    rows = [row for row in boxes if flat.link_chars[row] > LINKED * flat.chars[row]]
    navs = vocabulary(flat).tags.get("nav", ())
    rows += [row for row in navs if flat.link_chars[row] > MENU * (flat.chars[row] - _headed(flat, row))]
    rows += _named_by_lines(page, blocks)
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


def _without_described(flat: FlatDom, blocks: Blocks, kept: list[bool], boxes: Sequence[int]) -> list[bool]:
    """Return `kept` without boxes of contents in which nearly all lines have a link, to a chapter and what it is about.

    A page that consists of such a box keeps it.
    """
    described = []
    for row in boxes:
        links = blocks.link_chars[slice(*blocks_below(flat, blocks, row))]
        if len(links) >= CHAPTERS and len(links) - links.count(0) >= CHAPTERS_LINKED * len(links):
            described.append(row)
    if not described:
        return kept
    is_enough = is_beside_text(blocks, outside(flat, blocks, kept, described))
    return without_rows(flat, blocks, kept, described, 0.0 if is_enough else REST)


def _headed(flat: FlatDom, nav: int) -> int:
    """Return the characters in headings of a `nav`, outside links: "Contents" above a short list of links."""
    if not 0 < flat.link_chars[nav] < flat.chars[nav]:
        return 0
    rows = rows_with(vocabulary(flat).tags, HEADINGS, range(nav, flat.end[nav]))
    return sum(flat.chars[row] - flat.link_chars[row] for row in outermost(flat, rows))


def _named_by_lines(page: Page, blocks: Blocks) -> list[int]:
    """Return the rows of the tables of contents that the line above names so, and of these lines.

    A table of contents is a list of links within the page.
    """
    flat, here = page.flat, list(own_links(page))
    if len(here) < LINKS:
        return []
    found, places = list[int](), [row for row, _, _ in flat.anchors]
    lists = rows_with(vocabulary(flat).tags, LISTS, range(len(flat)))
    for outer in outermost(flat, lists):
        stop = flat.end[outer]
        inside = bisect_left(here, stop) - bisect_left(here, outer)
        every = bisect_left(places, stop) - bisect_left(places, outer)
        before = bisect_left(blocks.first, outer) - 1
        if before < 0 or inside < max(LINKS, HERE * every):
            continue
        if is_contents_line(flat, blocks, before):
            line = blocks.container[before]
            found += [outer] if flat.end[line] > outer else [line, outer]
    return found


def is_contents_line(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a block is a line such as "Table of Contents"."""
    return blocks.chars[block] <= LINE and _CONTENTS.fullmatch(block_text(flat, blocks, block)) is not None
