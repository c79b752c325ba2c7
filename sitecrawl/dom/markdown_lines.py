"""Inline Markdown: emphasis, code and links."""

import re
from itertools import groupby
from typing import Final

TICKS: Final = re.compile("`+")


class Whole(str):
    """A finished piece of a line: a link within code."""

    __slots__ = ()


def around(inline: list[str], before: str, after: str) -> list[str]:
    """Put marks around a text, leaving white space at its ends outside; an empty text gets none."""
    text = "".join(inline)
    bare = text.strip()
    if not bare:
        return inline
    start = text.index(bare)
    return [part for part in (text[:start], before, bare, after, text[start + len(bare) :]) if part]


def code_span(inline: list[str]) -> list[str]:
    """Return a code span; links in it stay links."""
    if any(isinstance(part, Whole) for part in inline):
        groups = groupby(inline, lambda part: isinstance(part, Whole))
        return [piece for whole, parts in groups for piece in (parts if whole else code_span(["".join(parts)]))]
    text = "".join(inline).replace("\n", " ")
    ticks = "`" * (1 + max((len(run) for run in TICKS.findall(text)), default=0))
    pad = " " if "`" in text else ""
    return around([text], f"{ticks}{pad}", f"{pad}{ticks}")


def destination(url: str) -> str:
    """Return an address in the syntax of a link destination."""
    return f"<{url}>" if any(character in url for character in " ()") else url


def link(inline: list[str], href: str, *, code: bool) -> list[str]:
    """Return a link around a text, or around code."""
    if not href:
        return inline
    if not code:
        text = "".join(inline)
        plain = text.replace("\\", "") == href and " " not in href
        return [f"<{href}>"] if plain else around(inline, "[", _target(href))
    found = around(code_span(inline), "[", _target(href))
    return [Whole("".join(found))] if len(found) > 1 else inline


def _target(href: str) -> str:
    return f"]({destination(href)})"


def linked_block(block: str, href: str) -> str:
    """Turn a block of one line, such as the heading of a teaser, into a link."""
    if not href or "\n" in block or "](" in block:
        return block
    marks = re.match(r"(?:#{1,6} )?", block)
    start = marks.end() if marks else 0
    return f"{block[:start]}[{block[start:]}{_target(href)}"
