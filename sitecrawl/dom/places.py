"""Readable names of places on a page."""

from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, label_name

AROUND: Final = 3
"""Number of elements in the name of a place."""


def place(flat: FlatDom, row: int) -> str:
    """Return the name of an element with its ancestors: `div.main > p`; digits in names are folded."""
    names: list[str] = []
    while row >= 0 and len(names) < AROUND and flat.tag[row] not in ("html", "body"):
        if flat.tag[row] != TEXT:
            names.append(label_name(flat.tag[row], flat.names[row]))
        row = flat.parent[row]
    return " > ".join(reversed(names)) or "body"
