"""Finds the author in a line beside the main content without markup: "By Ann Lee", or a name below "Author"."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from sitecrawl.dom.blocks import block_text, blocks_below, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.metadata.bylines import MAX_WORDS, PARTICLES, byline_name, leads_to_place
from sitecrawl.metadata.candidate_rows import YEAR
from sitecrawl.metadata.date_lines import CHANGED, NESTED, REST
from sitecrawl.metadata.declared import clean_author
from sitecrawl.metadata.places import Places
from sitecrawl.metadata.row_texts import SHORT

ABOVE: Final = 3
"""Number of lines right above the main content that are read. Own choice."""
FIRST: Final = 2
"""Number of its first and of its last lines that are read. Own choice."""
BELOW: Final = 3
"""Number of lines right below it that are read. Own choice."""
_LABELS: Final = (
    r"(?:(?:about the )?authors?|(?:written|posted) by|(?:sobre (?:el|o) )?autor(?:a|es|en|in)?|auteure?s?|autor[ei]"
    r"|verfasser(?:in)?|автор|作者)(?:\(\w{1,4}\))?"
)
_LABEL: Final = re.compile(_LABELS, re.IGNORECASE)
"""Matches a line above the name of the author."""
_LABELLED: Final = re.compile(rf"{_LABELS}\s?[:：]\s?(\w[^:：]+)", re.IGNORECASE)
"""Matches a line with the name behind such a label: "Author(s): Ann Lee"."""
_ACCOUNT: Final = re.compile(r"(?:(?:written|posted|published) )?by:? (\w[\w.-]{2,30}) ?[|•·–—] ", re.IGNORECASE)
"""Matches the beginning of a byline with the name of an account, which may be in small letters, before a date."""
_SENTENCE: Final = (".", "!", "?", ":", ";")
"""Last characters of lines that are no bylines."""


def line_author(flat: FlatDom, nodes: Sequence[int], headings: Sequence[int]) -> str | None:
    """Return the author named in the lines around the main content; None if there is none.

    It is the only name in the bylines above and at its beginning; without any, the name below a label at its end.
    `headings` are the rows of the headlines.
    """
    if not nodes:
        return None
    blocks = text_blocks(flat)
    begin, end = blocks_below(flat, blocks, nodes[0])[0], blocks_below(flat, blocks, nodes[-1])[1]
    short = [one for one in range(max(0, begin - ABOVE), min(end, begin + FIRST)) if blocks.chars[one] <= SHORT]
    found = [(blocks.first[one], name) for one in short if (name := _in_line(block_text(flat, blocks, one)))]
    if found:
        places = Places(flat, headings)
        names = {name for row, name in found if not _is_heading(flat, row) and not places.elsewhere(row)}
        return names.pop() if len(names) == 1 else None
    last = min(len(blocks.first), end + BELOW)
    below = range(max(begin, end - FIRST), last)
    lines = [block_text(flat, blocks, one) for one in below]
    for one, name in zip(below, map(_below, lines, lines[1:]), strict=False):
        if name and not _leads_inside(flat, blocks.first[one + 1]):
            return name
    return None


def _leads_inside(flat: FlatDom, row: int) -> bool:
    """Return whether a text is in a link to a place on its page: "Author" and "See also" in a table of contents."""
    above = set(islice(flat.ancestors(row), NESTED))
    return any(leads_to_place(target) for one, target, _ in flat.anchors if one in above)


def _is_heading(flat: FlatDom, row: int) -> bool:
    """Return whether a text is in a heading: "By Seniority Level"."""
    return any(flat.tag[above] in HEADINGS for above in islice(flat.ancestors(row), NESTED))


def _in_line(text: str) -> str | None:
    """Return the name in a line that is a byline as a whole; one word is a name only with a colon or a date."""
    account = _ACCOUNT.match(text) if YEAR.search(text) else None
    labelled = _LABELLED.fullmatch(text)
    if labelled is not None:
        name = clean_author(labelled[1])
        return name if name and _is_full_name(name) else None
    name = byline_name(text) or (clean_author(account[1]) if account is not None else None)
    if name is None or text.endswith(_SENTENCE) or len(text) - len(name) > REST:
        return None
    if CHANGED.search(text[: text.find(name)]):
        return None
    if _is_full_name(name):
        return name
    marked = text[: text.find(name)].rstrip().endswith(":") or YEAR.search(text) is not None
    return name if marked and " " not in name else None


def _below(label: str, text: str) -> str | None:
    """Return the name in a line below a label."""
    if _LABEL.fullmatch(label.rstrip(" :：")) is None or text.endswith(_SENTENCE):
        return None
    name = clean_author(text) if len(text) <= SHORT else None
    return name if name and _is_full_name(name) else None


def _is_full_name(name: str) -> bool:
    """Return whether a name has several words, all capitalised but for particles."""
    words = [word for word in name.split() if word not in PARTICLES]
    return 2 <= len(words) <= MAX_WORDS and all(word[0].isupper() for word in words)
