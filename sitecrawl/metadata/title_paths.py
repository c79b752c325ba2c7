"""Compares titles with the last segment of a URL's path."""

import re
from typing import Final
from urllib.parse import unquote

from sitecrawl.metadata.title_pieces import first_piece, folded

SLUG_AGREEMENT: Final = 0.8
LEAST_SLUG_WORDS: Final = 4
"""Minimum share of common words of a headline and the last path segment, in both directions; minimum words of a
segment."""
_SEGMENT_END: Final = re.compile(r"\.[a-z]{2,5}$")
_EXTENSIONS: Final = re.compile(r"(?<=.)(?:(?=\.[A-Za-z_-]{2,6}\.[a-z]{2,5}$)|(?=\.[a-z]{2,5}$)|$)")
"""Matches the end of a file name before its extension, which may follow a language: `about.pt_BR.html`."""


def is_spelled(headline: str, path: str) -> bool:
    """Return whether the last path segment consists of the words of a headline or of its beginning."""
    words = folded(headline).split()
    slug = folded(_SEGMENT_END.sub("", unquote(path).rstrip("/").rpartition("/")[2])).split()
    if min(len(words), len(slug)) < LEAST_SLUG_WORDS:
        return False
    own, others = set(words), set(slug)
    return words[: len(slug)] == slug or len(own & others) >= SLUG_AGREEMENT * max(len(own), len(others))


def names_file(title: str, path: str) -> bool:
    """Return whether a title, or its first piece, is the last path segment without extensions."""
    piece, segment = first_piece(title).strip(), unquote(path).rpartition("/")[2]
    names = {segment[: one.start()] for one in _EXTENSIONS.finditer(segment)}
    return piece in names and " " not in piece
