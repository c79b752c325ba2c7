"""Cuts main content into chunks: pieces of Markdown by heading and block, for retrieval.

A chunk never spans two headings. Long sections are cut between blocks. Cutting points depend on the blocks themselves
(content-defined chunking), so an insertion does not change the chunks after it.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final, NamedTuple

from sitecrawl.dom.markdown import markdown

MOST: Final = 400
"""Maximum estimated tokens of a chunk [OWN]: small enough for the context of embedding models with 512 tokens."""
LEAST: Final = MOST // 4
"""Estimated tokens from which a chunk may end before it is full [OWN]."""
RULE: Final = 2
"""Version of these rules. If it increases, all pages are cut again."""
_LINK: Final = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*+)\]\((?:[^()\\]|\\.|\([^()]*+\))*+\)")
"""Matches a link or a picture in Markdown."""
_HEADING: Final = re.compile(r"(#{1,6}) (.+)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_BYTES_OF_A_TOKEN: Final = 4
"""UTF-8 bytes per token: the usual rule of thumb for English, and a good estimate for other scripts, which have more
bytes per letter and fewer letters per token."""


class Chunk(NamedTuple):
    """A piece of a page."""

    id: str
    """32 hexadecimal digits: a hash of page, headings and text, so it is stable while these do not change."""
    headings: tuple[str, ...]
    """Headings above the piece, the highest first; empty before the first one, and without stored HTML."""
    text: str
    """Markdown, without the headings; the lines of the plain text if no HTML is stored."""
    tokens: int
    """Estimated tokens."""


def tokens(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    return -(-len(text.encode()) // _BYTES_OF_A_TOKEN)


def chunks(page: str, text: str, html: str | None) -> list[Chunk]:
    """Return the chunks of a page in order, from its HTML if there is any, else from its text, one block per line."""
    blocks = _blocks(markdown(html)) if html else text.split("\n")
    found: dict[str, Chunk] = {}
    for headings, piece in _pieces(blocks, marked=bool(html)):
        number = 0
        identifier = _identifier(page, headings, piece, number)
        while identifier in found:  # a repeated piece needs another id
            number += 1
            identifier = _identifier(page, headings, piece, number)
        found[identifier] = Chunk(identifier, headings, piece, tokens(piece))
    return list(found.values())


def _identifier(page: str, headings: tuple[str, ...], text: str, number: int) -> str:
    name = "\0".join((page, *headings, text, str(number)))
    return blake2b(name.encode(), digest_size=16).hexdigest()


def _blocks(text: str) -> Iterator[str]:
    """Yield the blocks of Markdown: parts between blank lines, and code between fences as a whole."""
    block: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        if line.strip() or fence:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _pieces(blocks: Iterable[str], *, marked: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield (headings, text) of the chunks."""
    path: list[tuple[int, str]] = []
    open_blocks: list[str] = []
    size = 0
    separator = "\n\n" if marked else "\n"

    def close() -> Iterator[tuple[tuple[str, ...], str]]:
        if open_blocks:
            yield tuple(name for _, name in path), separator.join(open_blocks)
            open_blocks.clear()

    for block in blocks:
        heading = _HEADING.fullmatch(block) if marked else None
        if heading is not None:
            yield from close()
            size, level = 0, len(heading[1])
            path = [*(one for one in path if one[0] < level), (level, _without_links(heading[2]))]
            continue
        for part in _parts(block):
            own = tokens(part)
            if open_blocks and size + own > MOST:
                yield from close()
                size = 0
            open_blocks.append(part)
            size += own
            if size >= LEAST and _ends(part):
                yield from close()
                size = 0
    yield from close()


def _without_links(heading: str) -> str:
    """Return a heading with links and pictures replaced by their texts."""
    plain = heading
    for _ in range(2):  # a picture may be in a link
        plain = _LINK.sub(r"\1", plain)
    return " ".join(plain.split()) or heading


def _ends(block: str) -> bool:
    """Return whether a chunk may end after a block; decided by a hash of the block, for half of all blocks."""
    return blake2b(block.encode(), digest_size=1).digest()[0] % 2 == 0


def _parts(block: str) -> Iterator[str]:
    """Yield a block; if it is too long, pieces of it: of whole lines, else of whole words, else of letters."""
    if tokens(block) <= MOST:
        if block:
            yield block
        return
    for separator in ("\n", " "):
        units = block.split(separator)
        if len(units) > 1:
            for group in _grouped(units, separator):
                yield from _parts(group)
            return
    letters = MOST * _BYTES_OF_A_TOKEN // 4
    for first in range(0, len(block), letters):
        yield block[first : first + letters]


def _grouped(units: Iterable[str], separator: str) -> Iterator[str]:
    """Yield units joined up to the size of a chunk; a longer one alone."""
    group: list[str] = []
    size = 0
    for unit in units:
        own = tokens(unit + separator)
        if group and size + own > MOST:
            yield separator.join(group)
            group, size = [], 0
        group.append(unit)
        size += own
    if group:
        yield separator.join(group)
