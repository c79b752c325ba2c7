"""The labels of fields are dropped; those of check boxes, and pages that contain only labels, stay."""

import time

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.field_labels import without_field_labels

TEXT = "The harbour office is open from nine to five, and on Saturdays until noon."
SECONDS = 4.0
"""Far above what a page with a thousand labels takes."""


def dropped(form, text=TEXT):
    page = Page.from_html(f"<main><p>{text}</p>{form}</main>", "https://a.example/contact")
    blocks = text_blocks(page.flat)
    found = without_field_labels(page, blocks, [True] * len(blocks))
    return [block_text(page.flat, blocks, block) for block, wanted in enumerate(found) if not wanted]


@pytest.mark.parametrize(
    "field",
    [
        "<div><label>Name</label><input></div>",
        "<p><label>Name<br><textarea></textarea></label></p>",
        "<div><div><label>Name</label></div><select></select></div>",
        "<label for=a>Name</label><p>Your own</p><input id=a type=email>",
        "<fieldset><legend>Name</legend><p>First</p><input></fieldset>",
    ],
)
def test_the_label_of_a_field_is_dropped(field):
    assert dropped(f"<form>{field}</form>") == ["Name"]


@pytest.mark.parametrize(
    "field",
    [
        "<div><label>Name</label><input type=checkbox></div>",
        "<div><label for=a>Name</label><input id=a type=radio></div>",
        "<div><label>Name</label></div><p>Of yours</p><div><input></div>",
        "<fieldset><legend>Name</legend><input type=radio></fieldset><input>",
        f"<label>{'Name' * 16}<input></label>",
        "<div><b>Name</b><input></div>",
        "<fieldset><label>Name</label><p>First</p><input></fieldset>",
        "<div><legend>Name</legend><p>First</p><input></div>",
        "<div><label>Which ship?</label><input></div>",
        "<div><label>Wind</label><input type=range></div>",
        f"<fieldset><legend>Name</legend><p>{'First' * 12}</p><input></fieldset>",
    ],
)
def test_other_labels_stay(field):
    assert dropped(f"<form>{field}</form>") == []


def test_a_page_of_labels_keeps_them():
    assert dropped("<form><label>Length of the ship<input></label><label>Name<input></label></form>", "Ships") == []


def test_many_labels_cost_little():
    form = "<label>" * 300 + "<input>" * 1_000 + "a<label>x</label>" * 1_000
    begun = time.perf_counter()
    dropped(form)
    assert time.perf_counter() - begun < SECONDS
