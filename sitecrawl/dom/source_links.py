"""Finds the links of a reference from a member to its source code ("Source", "[src]", "line 22").

They are at the end of the text about the member, above it, or in a separate line, and are not part of it. They are
distinguished from ordinary links by their URL: it contains lines of a file, or a path of pages that show or edit code.
Pages with source code have links back to the text about a member ("[docs]"). [OWN]
"""

import re
from collections.abc import Container
from itertools import islice, takewhile
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, PREFORMATTED, TEXT

MOST: Final = 20
"""Maximum characters of such a link. Own choice."""
ABOVE: Final = 6
"""Number of ancestors that may be the block around the link. Own choice."""
WORDS: Final = frozenset(("source", "src", "source code", "view source", "view code", "code", "edit", "edit source"))
"""Texts of such links, without brackets. Generators of references use English ones in any language."""
_DOCS: Final = frozenset(("[doc]", "[docs]", "[documentation]"))
"""Texts of links from code to the text about it."""
_BRACKETS: Final = " \t\r\n\xa0[](){}<>/|"
_CODE: Final = re.compile(
    r"#(?:l|line|line-)?\d+(?:-l?\d+)?$|(?:^|/)(?:_modules|src|blob|tree|edit)/[^#]*#.", re.IGNORECASE
)
"""Matches URLs with lines of a file, or of a place on a page that shows code."""
_MARKS: Final = ("·", "•", "|")
"""Marks that separate such a link from the text before it: "1.57.0 · Source"."""
_LINES: Final = re.compile(r"(?:lines?\s*|l)\d+(?:\s*[-–]\s*\d+)?|[\w./\\@+-]{1,200}:\d+", re.IGNORECASE)
"""Matches the text of a link to lines of a file: "line 22", "src/observable.ts:12"."""
_BESIDE: Final = re.compile(
    r"[\W\d]*(?:(?:sources?|src|code|defined|declared|view|in|at|on|file|lines?)\b[\W\d]*){0,6}", re.IGNORECASE
)
"""Matches the text beside the links of such a line: "Defined in", "on line"."""
FILES: Final = 4
"""Maximum links of such a line. Own choice."""
LONGEST_FILE: Final = 200
"""Maximum characters of such a link. Own choice."""
LONGEST: Final = 40
"""Maximum characters beside the links of such a line. Own choice."""
_LABEL: Final = re.compile(r"(?:sources?(?: code)?|src|(?:defined|declared) in|view source)", re.IGNORECASE)
"""Matches the term (`dt`) above such a line."""
_FILE: Final = re.compile(r"[\w./@+-]{1,200}\.\w{1,5}")
"""Matches the text of a link that is the path of a file: "R/season.R"."""
_SHOWN: Final = re.compile(r"/(?:blob|tree|src|browse|raw)/", re.IGNORECASE)
"""Matches the path of a URL by which hosts of repositories show a file."""
_NAMED: Final = re.compile(r"sources?(?: code| file)? ?: ?", re.IGNORECASE)
"""Matches the text before the link of a line that names the file of a whole page: "Source:"."""


def source_links(flat: FlatDom) -> list[int]:
    """Return the rows of links to source code at the ends of lines, and of whole lines of them with their terms.

    A line may end with several such links, with white space between them. A line may also name the file of the page:
    "Source: R/season.R".
    """
    return _at_ends(flat) + _lines(flat) + _named_files(flat) + _to_documentation(flat)


def _at_ends(flat: FlatDom) -> list[int]:
    """Return the rows of the links to source code at the ends of lines, with the marks before them, the last one first.

    A line ends with its block, or where another block begins in it: a signature below "1.57.0 · Source".
    """
    found: dict[int, None] = {}
    for row, target, _ in reversed(flat.anchors):
        if not 0 < flat.chars[row] <= MOST or "#" not in target or not _CODE.search(target):
            continue
        if _text(flat, row).strip(_BRACKETS).lower() not in WORDS:
            continue
        block = next((one for one in islice(flat.ancestors(row), ABOVE) if flat.tag[one] in BLOCK), -1)
        if block >= 0 and _ends_line(flat, row, flat.end[block], found):
            found[row] = None
            if flat.tag[row - 1] == TEXT and flat.text[row - 1].strip() in _MARKS:
                found[row - 1] = None
    return list(found)


def _ends_line(flat: FlatDom, row: int, stop: int, found: Container[int]) -> bool:
    """Return whether only the `found` links to source code, and links of signs ("§"), follow a link in its line."""
    for one in range(flat.end[row], stop):
        if one in found or flat.tag[one] in BLOCK:
            return True
        sign = flat.tag[flat.parent[one]] == "a" and not any(map(str.isalnum, flat.text[one]))
        if flat.tag[one] == TEXT and flat.chars[one] and not sign:
            return False
    return True


def _lines(flat: FlatDom) -> list[int]:
    """Return the rows of the lines that consist of links to one file, and of the terms above them."""
    found: dict[int, None] = {}
    passed: set[int] = set()
    for place, (row, target, _) in enumerate(flat.anchors):
        if not 0 < flat.chars[row] <= LONGEST_FILE or "#" not in target or not _CODE.search(target):
            continue
        if not _LINES.fullmatch(_text(flat, row)):
            continue
        block = next((one for one in islice(flat.ancestors(row), ABOVE) if flat.tag[one] in BLOCK), -1)
        if block < 0 or block in passed:
            continue
        passed.add(block)
        if _leads_to_one_file(flat, block, place):
            found[block] = None
            term = _term_above(flat, block)
            if term >= 0:
                found[term] = None
    return list(found)


def _named_files(flat: FlatDom) -> list[int]:
    """Return the rows of the elements that consist of "Source:" and a link to the file that its text names."""
    found = []
    for row, target, _ in flat.anchors:
        if not _SHOWN.search(target) or not 0 < flat.chars[row] <= LONGEST_FILE:
            continue
        name = _text(flat, row)
        if not _FILE.fullmatch(name) or not target.partition("#")[0].endswith(name):
            continue
        around = next((one for one in islice(flat.ancestors(row), ABOVE) if flat.chars[one] > flat.chars[row]), -1)
        if around < 0 or flat.chars[around] - flat.chars[row] > MOST:
            continue
        line = _text(flat, around)
        if line.endswith(name) and _NAMED.fullmatch(line, 0, len(line) - len(name)):
            found.append(around)
    return found


def _to_documentation(flat: FlatDom) -> list[int]:
    """Return the rows of the links in code from a member to a place in the text about it."""
    return [
        row
        for row, target, _ in flat.anchors
        if "#" in target
        and 0 < flat.chars[row] <= MOST
        and _text(flat, row).lower() in _DOCS
        and any(flat.tag[one] in PREFORMATTED for one in islice(flat.ancestors(row), ABOVE))
    ]


def _text(flat: FlatDom, row: int) -> str:
    return " ".join("".join(flat.text[row : flat.end[row]]).split())  # the text of an element is ""


def _leads_to_one_file(flat: FlatDom, block: int, place: int) -> bool:
    """Return whether a block is links to one file and little else; `place` is the index of one of them in `anchors`."""
    links = flat.anchors
    begin = place
    while begin and links[begin - 1][0] > block and place - begin < FILES:
        begin -= 1
    own = list(takewhile(lambda link: link[0] < flat.end[block], links[begin : begin + FILES]))
    if len({target.partition("#")[0] for _, target, _ in own}) != 1:
        return False
    if flat.chars[block] - sum(flat.chars[row] for row, _, _ in own) > LONGEST:
        return False
    linked = {one for row, _, _ in own for one in range(row, flat.end[row])}
    beside = "".join(flat.text[one] for one in range(block, flat.end[block]) if one not in linked)
    return _BESIDE.fullmatch(beside) is not None


def _term_above(flat: FlatDom, block: int) -> int:
    """Return the row of the term whose only description is this block, if it matches `_LABEL`; else -1."""
    row = block
    while row > 0 and flat.tag[row] != "dd" and flat.chars[flat.parent[row]] == flat.chars[block]:
        row = flat.parent[row]
    if flat.tag[row] != "dd":
        return -1
    above, list_row = row - 1, flat.parent[row]
    while above > list_row and flat.parent[above] != list_row:
        above = flat.parent[above]
    named = above > list_row and flat.tag[above] == "dt" and flat.chars[above] <= LONGEST
    return above if named and _LABEL.fullmatch(_text(flat, above).strip(": ")) else -1
