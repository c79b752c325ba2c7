"""Tag path keys: of the tags from the root, and of an element's own class names."""

from pathlib import Path

import pytest

from sitecrawl.dom.labels import TEXT, chain, element_label
from sitecrawl.dom.page import Page
from sitecrawl.templates import tag_paths as module
from sitecrawl.templates.tag_paths import tag_path_keys, tag_paths

GOLDEN = Path(__file__).parents[2] / "golden"


def flat_of(html):
    return Page.from_html(html, "https://example.org/").flat


def computed(flat):
    """Return the keys row by row, as they are defined."""
    tags = []
    for tag, parent in zip(flat.tag, flat.parent, strict=True):
        tags.append(chain(tags[parent] if parent >= 0 else 0, element_label(tag, "")))
    return [0 if tag == TEXT else chain(key, label) for tag, key, label in zip(flat.tag, tags, flat.label, strict=True)]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*.html")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_keys_follow_from_tags_and_the_own_class_names(path):
    flat = flat_of(path.read_bytes().decode("utf-8", "replace"))
    assert tag_paths(flat) == computed(flat)


def test_names_above_an_element_do_not_count():
    one, other = (flat_of(f"<div class={topic}><p class=lead>Text.</p></div>") for topic in ("rain", "snow"))
    row = one.tag.index("p")
    assert one.path[row] != other.path[row]
    assert tag_paths(one)[row] == tag_paths(other)[row]


def test_known_keys_are_forgotten_before_they_are_too_many(monkeypatch):
    flat = flat_of("<div><p class=lead>Text.</p></div>")
    monkeypatch.setattr(module._TagKeys, "LIMIT", 4)
    rows = {flat.path[row]: row for row in (flat.tag.index("div"), flat.tag.index("p"))}
    assert tag_path_keys(flat, rows).keys() == rows.keys()
    assert tag_paths(flat) == computed(flat)
    assert len(module._KNOWN) <= max(4, len(set(flat.path)))
