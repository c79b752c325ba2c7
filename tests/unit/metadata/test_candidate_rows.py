import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.metadata import candidate_rows

TAGS = st.sampled_from(("h1", "time", "h2", "i", "link", "#text"))
NAMES = st.sampled_from(("", "date", "post-meta by", "byline", "Bread-Crumbs top", "x" * 400 + " date", "menu"))
TEXTS = st.text("1920 x٣²é中😀", max_size=9) | st.sampled_from(("", "2019", "1 2019.", "192", "20٣٣", "20²²"))


class Columns:
    def __init__(self, found):
        self.tag, self.names, self.text = (list(column) for column in zip(*found, strict=True))


@given(st.lists(st.tuples(TAGS, NAMES, TEXTS), min_size=1, max_size=30))
def test_the_compiled_twin_is_equal(found):
    flat = Columns(found)
    assert candidate_rows._twin is not None
    assert candidate_rows.Marked(
        *candidate_rows._twin.scanned(flat.tag, flat.names, flat.text, candidate_rows._SAYS)
    ) == candidate_rows.scanned(flat)


def test_the_compiled_twin_is_used(monkeypatch):
    page = Page.from_html("<h1>One</h1><p class=date>in 2019 <time>now</time></p>", "https://example.org/")
    expected = candidate_rows.marked(page.flat)
    assert [len(column) for column in expected] == [1, 1, 1, 1]
    monkeypatch.setattr(candidate_rows, "scanned", lambda flat: pytest.fail("the reference was used"))
    assert candidate_rows.marked(page.flat) == expected


def test_columns_of_two_pages_are_refused():
    with pytest.raises(ValueError, match="several pages"):
        candidate_rows._twin.scanned(["p"], [], [""], candidate_rows._SAYS)


@pytest.mark.parametrize(
    ("names", "bits"),
    [
        ("entry-date published", candidate_rows.DATE),
        ("byline", candidate_rows.DATE | candidate_rows.NAME),
        ("nav breadcrumbs", candidate_rows.TRAIL),
        ("update", 0),
        ("x" * candidate_rows.NAME_LENGTH + " date", 0),
    ],
)
def test_what_names_say(names, bits):
    assert candidate_rows.says(names) == bits


def test_remembered_names_are_bounded(monkeypatch):
    monkeypatch.setattr(candidate_rows, "NAMES", 3)
    said = candidate_rows._Says()
    assert [said(name) for name in ("date", "a", "b", "c", "date")] == [
        candidate_rows.DATE,
        0,
        0,
        0,
        candidate_rows.DATE,
    ]
    assert len(said.known) <= 3
