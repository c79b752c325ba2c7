import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.metadata import candidate_rows

TAGS = st.sampled_from(("h1", "time", "h2", "i", "link", "#text"))
NAMES = st.sampled_from(("", "date", "post-meta by", "byline", "Bread-Crumbs top", "x" * 400 + " date", "menu"))
TEXTS = st.text("1920\n x٣²é中😀", max_size=9) | st.sampled_from(
    ("", "2019", "1 2019.", "19\n98", "20", "19", "192", "20٣٣", "20²²")
)


class Columns:
    def __init__(self, found):
        self.tag, self.names, self.text = (list(column) for column in zip(*found, strict=True))


@given(st.lists(st.tuples(TAGS, NAMES, TEXTS), min_size=1, max_size=30))
def test_rows_are_marked_one_by_one(found):
    flat = Columns(found)
    rows = list(enumerate(found))
    assert candidate_rows.marked(flat) == candidate_rows.Marked(
        [row for row, (tag, _, _) in rows if tag == "h1"],
        [row for row, (tag, _, _) in rows if tag == "time"],
        [(row, bits) for row, (_, names, _) in rows if (bits := candidate_rows.name_bits(names))],
        [row for row, (_, _, text) in rows if re.search(r"(?:19|20)\d\d", text)],
    )


@pytest.mark.parametrize(
    ("names", "bits"),
    [
        ("entry-date published", candidate_rows.DATE),
        ("byline", candidate_rows.DATE | candidate_rows.NAME),
        ("nav breadcrumbs", candidate_rows.TRAIL),
        ("crumb-list", candidate_rows.TRAIL),
        ("parentlinks", candidate_rows.TRAIL),
        ("update", 0),
        ("x" * candidate_rows.NAME_LENGTH + " date", 0),
    ],
)
def test_what_names_say(names, bits):
    assert candidate_rows.name_bits(names) == bits


def test_remembered_names_are_bounded(monkeypatch):
    monkeypatch.setattr(candidate_rows, "NAMES", 3)
    for names in (["date", "a", "b", "c"], ["date"]):
        found = candidate_rows.marked(Columns([("p", one, "") for one in names]))
        assert found.named == [(0, candidate_rows.DATE)]
    assert set(candidate_rows._NAME_BITS) == {"date"}
