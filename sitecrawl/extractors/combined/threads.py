"""Extracts the pages of a thread record by record: posts are kept whole, and the rest of each record is dropped.

The posts of a forum or tracker are similar siblings, the records. Each contains the body of the post, and beside it the
name of the poster, the date, the rank and links to quote it. The passes judge single blocks: a short answer looks like
a date, and a rank like a short answer. So the records are judged together: the body is the deepest element that
contains most of their new text, that is, text without names and ranks, which the site repeats (`thread_bodies`). In a
tracker, records without a comment have an empty body; their kept text, the changed fields, is kept in records with a
body as well. A block that is once in each record, and is short and dated, linked or repeated, is a head, unless it is
in a body. [OWN]
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.region import SHARED, Known
from sitecrawl.extractors.combined.thread_bodies import POST, USUAL, Step, body_steps, cell_steps, rows_below

LEAST: Final = 2
"""Minimum number of records."""
OFTEN: Final = 1.5
"""Mean number of records per page of the site from which a single element on a page counts as a record."""
HELD: Final = 0.2
"""Minimum share of a page's characters outside links in its records; below a long report there may be two short
answers. Chosen on ten sites of forums and trackers (docs/combined-rules.md)."""
PARTS: Final = 2
"""Minimum number of paths in nearly every record, of which all share one: a head, and a body or changed fields."""
TABLES: Final = 20
"""Maximum tables whose rows are examined: hostile pages nest thousands."""
LIKE: Final = 0.5
"""Minimum share of common child elements for a sibling to count as a record."""
SHORT: Final = 100
"""Maximum mean characters of a head."""
TITLES: Final = 5
"""Minimum number of links with different texts that are titles of other threads. Own choice."""
TITLE: Final = 20
"""Minimum mean number of characters of titles of other threads. Own choice."""
REPEATED: Final = 0.7
"""Maximum share of different texts among repeated ones."""

_SIGNATURE: Final = re.compile(r"(?<![a-z])(?:signature|sig)(?![a-z])", re.IGNORECASE)


class Records(NamedTuple):
    """The records of a page."""

    rows: list[int]
    """Their rows, in document order."""
    body: tuple[Step, ...]
    """The elements from a record down to its body; () if the record itself is its body."""


def posts(flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known) -> list[bool]:
    """Return which blocks are kept when all records of a thread are cut in the same way; other blocks do not change."""
    found = _records(flat, blocks, known)
    if found is None:
        return kept
    wanted = list(kept)
    whole = bool(found.body) or all(_is_new(flat, blocks, record, known) for record in found.rows)
    bodies = {
        record: [blocks_below(flat, blocks, body) for body in rows_below(flat, [record], found.body)]
        for record in (found.rows if whole else ())
    }
    empty = {record for record, spans in bodies.items() if all(begin == stop for begin, stop in spans)}
    changes = {  # fields that are kept in records without a comment are kept in records with a comment too
        flat.path[blocks.container[block]]
        for record in empty
        for block in range(*blocks_below(flat, blocks, record))
        if kept[block]
    }
    inside = set[int]()
    for record, spans in bodies.items():
        if record in empty:  # the text of this record is in another place
            continue
        own = {block for span in spans for block in range(*span)}
        for block in range(*blocks_below(flat, blocks, record)):
            wanted[block] = False
            if block in own or flat.path[blocks.container[block]] in changes:
                wanted[block] = not again[block] and (kept[block] or known.share(flat, blocks, block) < SHARED)
        inside |= own
    for block in _heads(flat, blocks, found.rows):
        if not found.body or block not in inside:  # a post may be one short line
            wanted[block] = False
    index = vocabulary(flat).names
    signatures = [names for names in index if _SIGNATURE.search(names)]
    for row in rows_with(index, signatures, range(found.rows[0], flat.end[found.rows[-1]])):
        begin, stop = blocks_below(flat, blocks, row)
        wanted[begin:stop] = [False] * (stop - begin)
    return wanted


def _is_new(flat: FlatDom, blocks: Blocks, row: int, known: Known) -> bool:
    """Return whether most of a row's text is on no other page; header and footer of a page look like records too."""
    new = total = 0
    for block in range(*blocks_below(flat, blocks, row)):
        total += blocks.chars[block]
        if known.share(flat, blocks, block) < SHARED:
            new += blocks.chars[block]
    return new > total / 2


def _records(flat: FlatDom, blocks: Blocks, known: Known) -> Records | None:
    """Return the records of a page: the largest group of similar siblings with enough of its text; else None."""
    plain = [chars - linked for chars, linked in zip(blocks.chars, blocks.link_chars, strict=True)]
    within: dict[int, int] = {}  # a post has many blocks in one element
    for container, count in zip(blocks.container, plain, strict=True):
        within[container] = within.get(container, 0) + count
    held, kinds = _gathered(flat, within)
    alike: dict[tuple[int, int], list[int]] = {}
    for row in sorted(held):
        alike.setdefault((flat.parent[row], flat.path[row]), []).append(row)
    best: tuple[int, float, int, list[int]] | None = None
    least, tables = HELD * sum(plain), 0
    for every in alike.values():
        if sum(map(held.__getitem__, every)) < least:
            continue
        rows = every
        if flat.tag[every[0]] == "tr" and tables < TABLES:
            tables += 1
            rows = _with_text(flat, every, kinds, within)
            if sum(map(held.__getitem__, rows)) < least:
                continue
        usual = known.site.paths.get(flat.path[rows[0]])
        if len(rows) < LEAST and (usual is None or usual.nodes < OFTEN * usual.pages):
            continue
        shared = Counter(path for row in rows for path in kinds[row])
        built = sum(len(kinds[row]) >= PARTS for row in rows)
        if min(built, max(shared.values())) < USUAL * len(rows):
            continue
        # a single element is a record if such elements are the most frequent ones on other pages, and the outermost
        alone = usual is not None and len(rows) < LEAST
        frequent = usual.nodes / usual.pages if alone and usual is not None else 0.0
        found = (len(rows), frequent, flat.depth[rows[0]] * (-1 if alone else 1), rows)
        best = max(best, found) if best is not None else found
    if best is None:
        return None
    body = body_steps(flat, best[3], known.site.paths)
    if best[0] >= LEAST:
        body += cell_steps(flat, blocks, rows_below(flat, best[3], body), known)
    if flat.tag[best[3][0]] == "tr":  # other rows of the table are no posts
        return Records(best[3], body)
    return Records(_others(flat, best[3], body), body)


def _with_text(flat: FlatDom, rows: list[int], kinds: Mapping[int, set[int]], within: Mapping[int, int]) -> list[int]:
    """Return the similar rows of a table with text on the path that has the most text; for a data table, all rows.

    In old forums a post is a row, and its buttons and the line below it are separate rows.
    """
    most = Counter[int]()
    for container, count in within.items():
        if rows[0] <= container < flat.end[rows[-1]]:
            most[flat.path[container]] += count
    (path, chars), *_ = most.most_common(1)
    found = [row for row in rows if path in kinds[row]]
    return found if found and chars >= POST * len(found) else rows


def _gathered(flat: FlatDom, within: Mapping[int, int]) -> tuple[dict[int, int], dict[int, set[int]]]:
    """Return by row, except the root: the characters, and the paths of the containers, in its subtree.

    `within` are the characters by container.
    """
    parent, path = flat.parent, flat.path
    rows = set[int]()
    for container in within:
        row = container
        while row > 0 and row not in rows:
            rows.add(row)
            row = parent[row]
    held = {row: within.get(row, 0) for row in rows}
    kinds = {row: {path[row]} if row in within else set[int]() for row in rows}
    for row in sorted(rows, reverse=True):  # descendants before their ancestors
        above = parent[row]
        if above > 0:
            held[above] += held[row]
            kinds[above] |= kinds[row]
    return held, kinds


def _others(flat: FlatDom, rows: list[int], body: tuple[Step, ...]) -> list[int]:
    """Return further records with other names but the same structure: siblings, and a separate first post."""
    parts = {flat.label[child] for row in rows for child in element_rows(flat, row)}
    found = set(rows)
    for row in element_rows(flat, flat.parent[rows[0]]):
        own = {flat.label[child] for child in element_rows(flat, row)}
        if flat.tag[row] == flat.tag[rows[0]] and own and len(own & parts) >= LIKE * len(own):
            found.add(row)
    if body:
        words = set(flat.names[rows[0]].split())
        for row in range(1, rows[0]):
            if flat.tag[row] == flat.tag[rows[0]] and not words.isdisjoint(flat.names[row].split()):
                found.update([row] if rows_below(flat, [row], body) else [])
    return sorted(found)


def _heads(flat: FlatDom, blocks: Blocks, rows: list[int]) -> list[int]:
    """Return the blocks that are once in each record, and are short and dated, linked or repeated."""
    where: dict[int, list[int]] = {}
    holders: dict[int, set[int]] = {}
    for record in rows:
        for block in range(*blocks_below(flat, blocks, record)):
            path = flat.path[blocks.container[block]]
            where.setdefault(path, []).append(block)
            holders.setdefault(path, set()).add(record)
    found = []
    for path, held in where.items():
        if len(held) > len(holders[path]) or len(held) < USUAL * len(rows):
            continue
        texts = [block_text(flat, blocks, block) for block in held]
        if sum(blocks.chars[block] for block in held) > SHORT * len(held):
            continue
        dated = sum(any(map(str.isdigit, text)) for text in texts) >= USUAL * len(texts)
        repeated = len(set(texts)) <= REPEATED * len(texts)
        linked = sum(2 * blocks.link_chars[block] >= blocks.chars[block] for block in held) >= USUAL * len(texts)
        titles = len(set(texts)) == len(held) >= TITLES and sum(map(len, texts)) >= TITLE * len(held)
        linked = linked and not titles  # titles of other threads are those of a list of threads
        if dated or linked or repeated:
            found += held
    return found
