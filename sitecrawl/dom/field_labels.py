"""Finds the labels of form fields: "Your name", "Message".

A label belongs to the field inside it, to the field in its `for`, or to the field beside it. Labels of checkboxes do
not count, since many sites fold answers and tabs with them; questions do not count either. [OWN]
"""

import re
from bisect import bisect_left
from itertools import islice
from typing import Final

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, elements_of
from sitecrawl.dom.vocabulary import rows_with, vocabulary

LABELS: Final = frozenset(("label", "legend"))
FIELDS: Final = frozenset(("input", "textarea", "select"))
MOST: Final = 500
"""Maximum labels, and fields, of a page that are examined. Own choice."""
LONGEST: Final = 60
"""Maximum characters of a label, and of the group of a `legend`. Own choice."""
NEAR: Final = 2
"""Number of elements around a label that may contain the field beside it and nothing else. Own choice."""
_NO_TEXT: Final = frozenset(("button", "checkbox", "color", "hidden", "image", "radio", "range", "reset", "submit"))
"""Types of `input` without text entry or choice."""
_ASKS: Final = re.compile(r"[?？؟;]\W*$")
"""Matches the end of a question: the questions of a survey are its text. Greek ends them with a semicolon."""


def field_labels(flat: FlatDom, root: _Element) -> tuple[int, ...]:
    """Return the rows of the labels of fields for text or choices, in document order."""
    tags = vocabulary(flat).tags
    if FIELDS.isdisjoint(tags) or LABELS.isdisjoint(tags):
        return ()
    rows = [row for row in rows_with(tags, LABELS, range(len(flat))) if 0 < flat.chars[row] <= LONGEST][:MOST]
    every = rows_with(tags, FIELDS, range(len(flat)))[:MOST] if rows else []
    written = [(row, one) for row, one in zip(every, elements_of(flat, root, every), strict=True) if _is_text(one)]
    fields, ids = [row for row, _ in written], {one.get("id") for _, one in written} - {None, ""}
    return tuple(
        row
        for row, label in zip(rows, elements_of(flat, root, rows), strict=True)
        if (label.get("for") in ids or _has_field(flat, row, fields)) and not _asks(flat, row)
    )


def _has_field(flat: FlatDom, row: int, fields: list[int]) -> bool:
    """Return whether one of `fields` is in a label, beside it in an element without other text, or in its group."""
    near = list(islice(flat.ancestors(row), NEAR))
    grouped = flat.tag[row] == "legend" and flat.tag[near[0]] == "fieldset" and flat.chars[near[0]] <= LONGEST
    around = near[0] if grouped else [row, *(one for one in near if flat.chars[one] == flat.chars[row])][-1]
    return bisect_left(fields, around) < bisect_left(fields, flat.end[around])


def _asks(flat: FlatDom, row: int) -> bool:
    """Return whether a label is a question."""
    return _ASKS.search("".join(flat.text[row : flat.end[row]])) is not None


def _is_text(field: _Element) -> bool:
    """Return whether a field is for text or a choice."""
    return field.tag != "input" or (field.get("type") or "").strip().lower() not in _NO_TEXT
