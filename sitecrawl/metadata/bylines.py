"""The names of authors that a page shows, with their rows."""

import re
from collections.abc import Iterator
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.metadata.candidate_rows import YEAR
from sitecrawl.metadata.declared import clean_author
from sitecrawl.metadata.places import Places
from sitecrawl.metadata.row_texts import SHORT, row_text

MAX_ROWS: Final = 20
"""Maximum rows of a byline, and of a link to the page of an author that are searched for a name."""
MAX_WORDS: Final = 5
"""Maximum words of a name."""
_WHOLE: Final = frozenset(("article", "body", "main", "section"))
"""Elements that hold a page or an entry: Drupal names them after the account of their author."""
_BYLINE: Final = re.compile(r"\s*(?:(?:written|posted|published|words)\s+)?by:?\s+(\w[^|•·,(]{2,60})", re.IGNORECASE)
_LABEL: Final = re.compile(r"(?:(?:written|posted|published|words)\s+)?by:?|authors?:?", re.IGNORECASE)
"""Matches words before a name, which is in another element."""
_AUTHOR_PAGE: Final = re.compile(r"/(?:authors?|autor(?:e[ns]?)?|auteurs?)/[^/?#]|[?&]author=[^&#]")
"""Matches the address of the page about an author."""
_NAME: Final = frozenset(("name", "author-name", "authorname", "author__name", "fn", "n"))
"""Class names of the name in a byline, beside a rank or a picture."""
_BESIDE: Final = re.compile(
    r"(?<![a-z])(?:badge|level|rank|avatar|bio|role|job|position|desc(?:ription)?)(?![a-z])", re.IGNORECASE
)
"""Parts of class names of what stands beside a name."""


def shown_authors(flat: FlatDom, classed: list[int], places: Places, most: int) -> Iterator[tuple[int, str]]:
    """Yield (row, name) of up to `most` bylines, by row; `classed` are rows whose names announce an author.

    Links to the page of an author are bylines too.
    """
    rows = {row for row in classed if flat.end[row] - row <= MAX_ROWS and flat.tag[row] not in _WHOLE}
    rels = {rel for rel in {rel for _, _, rel in flat.anchors} if "author" in rel.lower().split()}
    rows.update([row for row, _, rel in flat.anchors if rel in rels] if rels else ())
    rows.update([row for row, target, _ in flat.anchors if "aut" in target and _AUTHOR_PAGE.search(target)])
    found = 0
    for row in sorted(rows):
        if found == most:
            return
        if places.elsewhere(row) or _BESIDE.search(flat.names[row]):
            continue
        text = row_text(flat, _name_in(flat, row))
        by = _BYLINE.match(text)
        name = clean_author(by[1] if by else text) if len(text) <= SHORT else None
        if name and len(name.split()) <= MAX_WORDS and not YEAR.search(name) and not _LABEL.fullmatch(name):
            found += 1
            yield row, name


def _name_in(flat: FlatDom, row: int) -> int:
    """Return the row of the name inside a byline, where an element is named so; else the row itself."""
    inner = range(row + 1, min(flat.end[row], row + MAX_ROWS))
    return next((one for one in inner if flat.chars[one] and not _NAME.isdisjoint(flat.names[one].split())), row)
