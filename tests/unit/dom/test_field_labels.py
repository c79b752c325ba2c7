"""The labels of fields, found in the tree and known by their rows."""

import pytest

from sitecrawl.dom.page import Page


def labels(html):
    """Return the texts of the labels of fields."""
    page = Page.from_html(f"<main>{html}</main>", "https://example.org/")
    flat = page.flat
    return ["".join(flat.text[row : flat.end[row]]) for row in page.field_labels]


@pytest.mark.parametrize("field", ["<input>", "<input type=TEXT>", "<textarea></textarea>", "<select></select>"])
def test_a_label_beside_or_around_a_field(field):
    assert labels(f"<div><label>Name</label>{field}</div><p><label>Ship {field}</label></p>") == ["Name", "Ship "]


def test_labels_without_a_field_and_fields_without_a_label():
    assert labels("<label>Name</label><p>Ships</p>") == labels("<input><p>Ships</p>") == []


def test_they_are_known_when_the_tree_is_released():
    page = Page.from_html("<p><label>Name<input></label></p>", "https://example.org/")
    page.release(lambda: "")
    assert len(page.field_labels) == 1
