"""Tests of titles without their site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.metadata.titles import affixes, page_title, whole_names


def never(kind, value):
    return False


@pytest.mark.parametrize(
    ("title", "names", "headings", "expected"),
    [
        ("A storm | Daily Wind", ["A storm"], [], "A storm"),
        ("Wind: A storm - Daily - Press", [], ["A storm"], "A storm"),
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


@pytest.mark.parametrize(
    ("title", "names", "headings", "expected"),
    [
        (
            "Best Electric Cars 2026 | Top Gear",
            [],
            ["The best electric cars of 2026"],
            "The best electric cars of 2026",
        ),
        ("Buy Mac - Apple", ["Shop Mac"], ["Shop Mac"], "Shop Mac"),
        ("Working with forms | Handbook", [], ["Working with forms"], "Working with forms"),
        ("The harbour – a guide", [], ["Welcome home"], "The harbour – a guide"),
        ("The harbour", [], ["Menu"], "The harbour"),
        ("The harbour at night", [], ["The harbour", "A mole in the harbour at night"], "The harbour"),
        ("The harbour at night", [], ["The harbour", "The night"], "The harbour at night"),
        ("The harbour at night", [], ["1", "***"], "The harbour at night"),
        ("Mole", [], ["One two three mole five six seven mole nine ten"], "Mole"),
    ],
)
def test_the_only_headline_that_agrees_with_the_title_is_the_title(title, names, headings, expected):
    assert page_title(title, names, headings, [], never) == expected


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        ("Storms: the harbour app", [], "Storms: the harbour app"),
        (
            "Storms - Weather for Harbour Masters and Their Pilots",
            [],
            "Storms - Weather for Harbour Masters and Their Pilots",
        ),
        ("The Storm App | Free Weather", [], "The Storm App"),
        ("Home - The Storm Blog", [], "The Storm Blog"),
        ("Storms - the harbour app", ["The harbour app"], "The harbour app"),
        ("Storms", ["Posts"], "Storms"),
        (None, ["Posts"], "Posts"),
    ],
)
def test_a_front_page_is_named_after_its_site(title, headings, expected):
    assert page_title(title, [], headings, ["Storms"], never, alone=True, front=True) == expected


@pytest.mark.parametrize(
    ("title", "headings", "lower", "expected"),
    [
        ("Waves and wind - The Book of Storms", ["The Book of Storms"], ["Waves and Wind"], ("The Book of Storms",)),
        ("Waves and wind - The Book of Storms", ["The Book of Storms", "Waves and wind"], [], ("The Book of Storms",)),
        ("Waves and wind - The Book of Storms", ["The Book of Storms"], ["Menu"], ()),
        ("python - Why do waves break?", ["Why do waves break?"], ["python"], ()),  # a tag of one word
        ("Waves and wind - The Book of Storms", [], ["Waves and wind"], ()),
        (None, ["Waves"], ["Waves"], ()),
    ],
)
def test_a_headline_behind_another_one_in_the_title_names_the_whole(title, headings, lower, expected):
    assert whole_names(title, headings, lambda: lower) == expected


def test_lower_headlines_are_read_only_where_they_count():
    def unread():
        raise AssertionError

    assert whole_names("A storm at sea | Wind", ["A storm at sea"], unread) == ()


def test_a_headline_of_several_pages_names_a_part_of_the_site():
    assert page_title("A storm - Blog", [], ["Blog"], [], never) == "Blog"
    assert page_title("A storm | Blog", [], ["Blog"], [], lambda kind, one: kind == "heading") == "Blog"
    several = {("heading", "Blog"), ("suffix", "Blog")}
    assert page_title("A storm | Blog", [], ["Blog"], [], lambda *one: one in several) == "A storm"


def test_a_headline_loses_the_name_of_the_site_too():
    assert page_title("A storm", [], ["A storm | Daily Wind"], ["Daily Wind"], never) == "A storm"


@pytest.mark.parametrize(
    ("title", "names", "headings", "expected"),
    [
        ("What the keeper saw | Harbour Blog", [], [], "What the keeper saw"),
        ("What the keeper saw | Harbour Blog", ["What the keeper saw | Harbour Blog"], [], "What the keeper saw"),
        ("The keeper - a tale", [], ["The keeper - a tale"], "The keeper - a tale"),
        ("Tom - Jerry", [], [], "Tom - Jerry"),
        ("The keeper - a tale of six words and more", [], [], "The keeper - a tale of six words and more"),
        ("The mole-keeper", [], [], "The mole-keeper"),
    ],
)
def test_a_page_alone_loses_a_short_end(title, names, headings, expected):
    assert page_title(title, names, headings, [], never, alone=True) == expected
    assert page_title(title, names, headings, [], never) == title


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
