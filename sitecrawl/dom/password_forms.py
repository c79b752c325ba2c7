"""Finds the forms to log in or to register: those with a password field."""

from collections.abc import Sequence

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.vocabulary import vocabulary


def password_forms(flat: FlatDom, root: _Element, inputs: Sequence[_Element]) -> tuple[int, ...]:
    """Return the rows of the forms with a password field, in document order; `inputs` are all `input` elements."""
    fields = [(element.get("type") or "").strip().lower() == "password" for element in inputs]
    if True not in fields:
        return ()
    rows: Sequence[int] = vocabulary(flat).tags.get("input", ())
    if len(rows) != len(inputs):  # some are in elements that have no rows
        own = (row for row, tag in enumerate(flat.tag) if tag != TEXT)
        places = {element: row for row, element in zip(own, elements(root), strict=True) if element.tag == "input"}
        rows = [places.get(element, -1) for element in inputs]
    forms = {_form(flat, row) for row, is_password in zip(rows, fields, strict=True) if is_password and row > 0}
    return tuple(sorted(forms - {-1}))


def _form(flat: FlatDom, row: int) -> int:
    """Return the form around a row; -1 if there is none."""
    return next((above for above in flat.ancestors(row) if flat.tag[above] == "form"), -1)
