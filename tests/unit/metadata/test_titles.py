"""Tests of titles without their site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.metadata.titles import affixes, page_title


def never(kind, value):
    return False


@pytest.mark.parametrize(
    ("title", "names", "headings", "expected"),
    [
        ("A storm | Daily Wind", ["A storm"], [], "A storm"),
        ("Wind: A storm - Daily - Press", [], ["A storm"], "Wind: A storm - Daily - Press"),
        ("A storm hits the harb…", [], ["A storm hits the harbour"], "A storm hits the harbour"),
        ("A storm", ["Storm"], ["Other"], "A storm"),
        (None, ["A storm"], [], "A storm"),
        (None, [], [], None),
        ("Quick start — Storms 2.0 Documentation", [], ["Storms 2.0 Documentation", "Quick start"], "Quick start"),
        ("台风来了_中国网", ["台风来了"], [], "台风来了"),
    ],
)
def test_what_the_page_calls_itself(title, names, headings, expected):
    assert page_title(title, names, headings, [], never) == expected


def test_names_of_the_site_are_removed():
    assert page_title("A storm – Daily Wind", [], [], ["Daily Wind"], never) == "A storm"
    assert page_title("Daily Wind: A storm", [], [], ["Daily Wind"], never) == "A storm"
    assert page_title("A storm | Daily Wind", [], [], [], never, "www.dailywind.example") == "A storm"
    assert page_title("Daily Wind", [], ["A storm"], ["Daily Wind"], never) == "A storm"
    assert page_title("Daily Wind", [], [], ["Daily Wind"], never) == "Daily Wind"


def test_ends_that_pages_share_are_removed():
    shared = {("suffix", "World | Daily"), ("suffix", "Daily"), ("prefix", "View")}
    assert page_title("View - A storm | World | Daily", [], [], [], lambda *one: one in shared) == "A storm"
    assert page_title("A | storm", [], [], [], lambda kind, _: kind == "suffix") == "A"


def test_a_title_that_pages_share_gives_way_to_a_heading():
    assert page_title("Docs", [], ["Docs", "Sockets"], [], lambda kind, one: one == "Docs") == "Sockets"


@given(st.text(max_size=60), st.booleans(), st.lists(st.text(max_size=20), max_size=3))
def test_something_of_the_title_stays(title, shared, names):
    found = page_title(title, names, [], [], lambda kind, _: shared and kind != "title")
    assert found == title or found in title or found in names
    assert all(piece in title for piece in [*affixes(title)[0], *affixes(title)[1]])
