"""Tests of titles without their site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.metadata.title_pieces import affixes
from sitecrawl.metadata.titles import page_title


def never(kind, value):
    return False


@pytest.mark.parametrize(
    ("title", "names", "headings", "expected"),
    [
        ("A storm | Daily Wind", ["A storm"], [], "A storm"),
        ("Wind: A storm - Daily - Press", [], ["A storm"], "A storm"),
        ("A storm hits the harb…", [], ["A storm hits the harbour"], "A storm hits the harbour"),
        ("A storm hits the harb…", ["A storm hits the harbour | example"], [], "A storm hits the harbour"),
        ("A storm", ["Storm"], ["Other"], "A storm"),
        (None, ["A storm"], [], "A storm"),
        (None, [], [], None),
        ("Quick start — Storms 2.0 Documentation", [], ["Storms 2.0 Documentation", "Quick start"], "Quick start"),
        ("台风来了_中国网", ["台风来了"], [], "台风来了"),
        ("Mole (Harbour 17)", [], ["Class Mole<Stone extends Set<Sand>,V>"], "Class Mole<Stone extends Set<Sand>,V>"),
    ],
)
def test_what_the_page_calls_itself(title, names, headings, expected):
    assert page_title(title, names, headings, ["example"], never) == expected


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
        ("Moles - The book", [], ["Section 2.1 Moles"], "Section 2.1 Moles"),
        ("The book: Moles", ["Moles"], ["2.1.3. Moles"], "2.1.3. Moles"),
        ("Moles", [], ["Appendix A Moles"], "Appendix A Moles"),
        ("Moles", [], ["Chapter IV Moles"], "Chapter IV Moles"),
        ("The best moles of a harbour", [], ["7 moles"], "7 moles"),
        ("The best moles of a harbour", [], ["7 old moles built"], "The best moles of a harbour"),
        ("Moles", [], ["2019 saw moles"], "Moles"),
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
        ("Storms: the harbour app", ["Storms: The harbour app"], "Storms: the harbour app"),
        ("Storms", ["Posts"], "Storms"),
        (None, ["Posts"], "Posts"),
    ],
)
def test_a_front_page_is_named_after_its_site(title, headings, expected):
    assert page_title(title, [], headings, ["Storms"], never, alone=True, front=True) == expected


@pytest.mark.parametrize(
    ("title", "headline", "expected"),
    [
        ("Bug 10: The mole leaks - Wind tracker", "Bug 10", "Bug 10: The mole leaks"),
        ("Bug #10: The mole: it leaks", "Bug #10", "Bug #10: The mole: it leaks"),
        ("10: The mole leaks", "10: The mole", "10: The mole"),
        ("Bug 10: Wind tracker", "Bug 10", "Bug 10"),
        ("Page 2: News - Wind tracker", "Page 2", "Page 2"),
        ("Page 2 - The mole leaks", "Page 2", "Page 2"),
        ("The mole: it leaks", "The mole", "The mole"),
    ],
)
def test_a_number_in_the_headline_keeps_the_words_behind_it_in_the_title(title, headline, expected):
    shared = shares(suffix={"wind tracker": 0.9}, heading={"news": 1.0})
    assert page_title(title, [], [headline], [], shared) == expected


@pytest.mark.parametrize(
    ("title", "headline", "expected"),
    [
        ("A Storm at Sea | Daily Wind", "A STORM AT SEA", "A Storm at Sea"),
        ("A Storm at Sea", "A STORM, AT SEA", "A Storm at Sea"),
        ("A STORM AT SEA | Daily Wind", "A STORM AT SEA", "A STORM AT SEA"),
        ("A Storm at Sea in May", "A STORM AT SEA", "A STORM AT SEA"),
        ("Nato | Daily Wind", "NATO", "NATO"),
    ],
)
def test_a_headline_in_capitals_is_written_as_in_the_title(title, headline, expected):
    assert page_title(title, [], [headline], [], never) == expected


def test_a_headline_that_the_page_repeats_with_other_case_or_marks_is_one_headline():
    headings = ["How to mend a mole – in a day", "How To Mend a Mole - In a Day"]
    assert page_title("Mole guide - In a day", ["How to mend a mole - in a day"], headings, [], never) == headings[0]


def test_a_headline_of_several_pages_names_a_part_of_the_site():
    assert page_title("A storm - Blog", [], ["Blog"], [], never) == "Blog"
    repeated = lambda kind, one: (kind, one) == ("heading", "Blog")  # noqa: E731
    assert page_title("A storm | Blog", [], ["Blog"], [], repeated) == "A storm | Blog"
    assert page_title("A storm | Blog", [], ["Blog", "A storm"], [], repeated) == "A storm"
    assert page_title("Blog | A storm at sea", [], ["Blog"], [], repeated) == "Blog"
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


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A storm hits the harbour | Weather | Daily Wind", "A storm hits the harbour"),
        ("A storm hits the harbour - News - Daily Wind - your paper", "A storm hits the harbour"),
        ("A storm hits » General talk » Harbour forums", "A storm hits"),
        ("A storm < Harbour < University", "A storm"),
        ("Storms / calms", "Storms / calms"),
        ("A storm at sea / General talk / Harbour forums", "A storm at sea"),
        ("台风袭击了海港 - 天气 - 中国网", "台风袭击了海港"),
        ("台风袭击了海港_天气_中国网", "台风袭击了海港"),
        ("Module storm_harbour", "Module storm_harbour"),
        ("The keeper - a tale of six words and more | Wind", "The keeper - a tale of six words and more"),
    ],
)
def test_a_page_alone_loses_the_section_and_the_site_at_its_end(title, expected):
    assert page_title(title, [], [], [], never, alone=True) == expected
    assert page_title(title, [], [], [], never) == title


def test_the_front_page_loses_one_end_only():
    title = "The Storm App | Free Weather | Daily Wind"
    assert page_title(title, [], [], [], never, alone=True, front=True) == "The Storm App | Free Weather"


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        ("A storm at sea | Wind", ["Thread: A storm at sea"], "A storm at sea"),
        ("A storm at sea | Wind", ["The blog: A storm at sea"], "A storm at sea"),
        ("A storm at sea | Wind", ["Storms: a storm at sea and its end"], "Storms: a storm at sea and its end"),
        ("Wind: RE: A storm at sea", ["RE: A storm at sea"], "RE: A storm at sea"),
        ("Storms: a harbour at sea", ["Storms: a harbour at sea"], "Storms: a harbour at sea"),
    ],
)
def test_a_headline_loses_a_label_that_the_title_does_not_have(title, headings, expected):
    assert page_title(title, [], headings, [], never, alone=True) == expected


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        ("How the keeper of the mole saw a storm", ["Mole", "Rules"], "How the keeper of the mole saw a storm"),
        ("Mole - How the keeper saw a storm at sea", ["Mole", "Rules"], "Mole"),  # a piece at its beginning
        ("The mole", ["Mole", "Rules"], "Mole"),
    ],
)
def test_one_of_several_headlines_is_more_than_a_word_of_the_title(title, headings, expected):
    assert page_title(title, [], headings, [], never) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/t/12/how_to_moor_in_a_storm/", "How to moor in a storm?"),
        ("/how-to-moor-in-a-storm.html", "How to moor in a storm?"),
        ("/how-to-moor-in", "How to moor in a storm?"),
        ("/how-to-moor-in-a-storm/12", "The heart of the sea"),
        ("/how-to-moor", "The heart of the sea"),
        ("/", "The heart of the sea"),
    ],
)
def test_a_headline_that_the_url_spells_is_the_title(path, expected):
    url = f"http://wind.example{path}"
    assert page_title("The heart of the sea", [], ["How to moor in a storm?"], [], never, url) == expected
    everywhere = lambda kind, one: kind == "heading"  # noqa: E731
    headings = ["How to moor in a storm?"]
    assert page_title("The heart of the sea", [], headings, [], everywhere, url) == "The heart of the sea"


def test_names_of_the_site_are_removed():
    assert page_title("A storm – Daily Wind", [], [], ["Daily Wind"], never) == "A storm"
    assert page_title("Daily Wind: A storm", [], [], ["Daily Wind"], never) == "A storm"
    assert page_title("A storm | Daily Wind", [], [], [], never, "http://www.dailywind.example/") == "A storm"
    assert page_title("Daily Wind", [], ["A storm"], ["Daily Wind"], never) == "A storm"
    assert page_title("Daily Wind", [], [], ["Daily Wind"], never) == "Daily Wind"


def test_ends_that_pages_share_are_removed():
    shared = {("suffix", "World | Daily"), ("suffix", "Daily"), ("prefix", "View")}
    assert page_title("View - A storm | World | Daily", [], [], [], lambda *one: one in shared) == "A storm"
    assert page_title("A | storm", [], [], [], lambda kind, _: kind == "suffix") == "A"


@pytest.mark.parametrize(
    ("title", "headline", "expected"),
    [
        ("Gtk.Window.show", "GtkWindowshow", "Gtk.Window.show"),
        ("Gtk.Window.show", "Gtk Window show", "Gtk Window show"),
        ("The wind-mill", "The wind mill", "The wind mill"),
        ("Gtk.Window.hide", "GtkWindowshow", "Gtk.Window.hide"),
    ],
)
def test_a_headline_whose_words_are_not_apart_is_spelled_as_in_the_title(title, headline, expected):
    assert page_title(title, [], [headline], [], never) == expected


def test_a_title_that_pages_share_gives_way_to_a_heading():
    assert page_title("Docs", [], ["Docs", "Sockets"], [], lambda kind, one: one == "Docs") == "Sockets"


@given(st.text(max_size=60), st.booleans(), st.lists(st.text(max_size=20), max_size=3))
def test_something_of_the_title_stays(title, shared, names):
    found = page_title(title, names, [], [], lambda kind, _: shared and kind != "title")
    assert found == title or found in title or found in names
    assert all(piece in title for piece in [*affixes(title)[0], *affixes(title)[1]])


def shares(**known):
    """Return what the pages of a site share: kinds of pieces, each with the share of the pages that have them."""
    return lambda kind, one: known.get(kind, {}).get(one.casefold(), 0.0)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Lists (Storm 5.46 Manual)", "Lists"),
        ("Lists [Storm Wiki]", "Lists"),
        ("Lists (plain ones) (Storm 5.46 Manual)", "Lists (plain ones)"),
        ("The Mole (film)", "The Mole (film)"),
        ("(Storm 5.46 Manual)", "(Storm 5.46 Manual)"),
    ],
)
def test_a_last_piece_in_brackets_goes_if_it_is_the_site_s(title, expected):
    shared = shares(bracket={"(storm 5.46 manual)": 0.9, "[storm wiki]": 0.9})
    assert page_title(title, [], [], [], shared) == expected


def test_the_pieces_of_a_title_include_the_last_one_in_brackets():
    assert affixes("Lists (Storm 5.46 Manual)") == ((), ("(Storm 5.46 Manual)",))
    assert affixes("(Storm)") == ((), ())


@pytest.mark.parametrize(
    ("title", "known"),
    [
        ("Module edoc_lib", {"prefix": {"module edoc": 0.9}, "suffix": {"lib": 0.2}}),
        ("class Net::HTTP", {"prefix": {"class net": 0.9}}),
        ("class Net::HTTP::Error", {"prefix": {"class net": 0.9}, "suffix": {"error": 0.3, "http::error": 0.2}}),
        ("bcc_field.rb", {"suffix": {"field.rb": 0.9}}),
        ("Harbour::Builder", {"prefix": {"harbour": 0.9}}),
        ("storm__init", {"suffix": {"init": 0.9}}),
    ],
)
def test_an_identifier_in_a_title_stays_whole(title, known):
    assert page_title(title, [], [], [], shares(**known)) == title
    assert page_title(title, [], [title], [], shares(**known)) == title
    assert page_title(f"{title} - Wind", [], [], ["Wind"], shares(**known)) == title


def test_the_first_part_of_an_identifier_is_no_label():
    assert page_title("Storm API: Geometry", [], ["Storm::Geometry"], ["Storm API"], never) == "Storm::Geometry"


@pytest.mark.parametrize(
    ("title", "known", "site_names", "expected"),
    [
        ("台风来了_中国网", {"suffix": {"中国网": 0.2}}, [], "台风来了"),
        ("中国网_台风来了", {"prefix": {"中国网": 0.2}}, [], "台风来了"),
        ("A storm at sea_Daily Wind", {"suffix": {"daily wind": 0.2}}, [], "A storm at sea"),
        ("A storm at sea_Wind", {"suffix": {"wind": 0.9}}, [], "A storm at sea"),
        ("A storm at sea_Wind", {"suffix": {"wind": 0.2}}, [], "A storm at sea_Wind"),
        ("Storm_Wind", {}, ["Wind"], "Storm"),
        ("Wind_A storm at sea", {}, ["Wind"], "A storm at sea"),
        ("Wind::Builder - Reference", {"suffix": {"reference": 0.9}}, ["Wind"], "Wind::Builder"),
        ("Wind :: Builder", {"prefix": {"wind": 0.9}}, [], "Builder"),
    ],
)
def test_a_mark_of_identifiers_may_separate_the_site_s_name(title, known, site_names, expected):
    assert page_title(title, [], [], site_names, shares(**known)) == expected


@pytest.mark.parametrize(
    "title", ["Storms (Index - N)", "Storms: a library (Index - N)", "Storms [a | b: c]", "风暴（天气 - 中国）"]
)
def test_a_title_is_not_cut_inside_brackets(title):
    ends = [end for one in affixes(title) for end in one]
    assert all(end.count(left) == end.count(right) for end in ends for left, right in ("()", "[]", "（）"))
    assert page_title(title, [], [], [], shares(suffix={"n)": 0.9, "b: c]": 0.9}), alone=True) == title


@pytest.mark.parametrize(
    ("title", "expected", "end"),
    [
        ("Storms::Sea< Wind, Rain > Class", "Storms::Sea< Wind, Rain > Class", "class"),
        ("Sea< Wind, List< Rain > > Class", "Sea< Wind, List< Rain > > Class", "class"),
        ("The sea< Wind > - Storms", "The sea< Wind >", "storms"),
    ],
)
def test_a_title_is_not_cut_at_the_types_of_a_name(title, expected, end):
    assert page_title(title, [], [], [], never, alone=True) == expected
    assert page_title(title, [], [], [], shares(suffix={end: 0.9})) == expected


def test_an_open_bracket_holds_no_title_together():
    assert affixes("Storms (a - b") == (("Storms (a",), ("b",))


@pytest.mark.parametrize(
    ("headings", "lower", "expected"),
    [
        (["Re: The mole of the harbour"], None, "Re: The mole of the harbour"),
        ([], "Re: The mole of the harbour", "Re: The mole of the harbour"),
        (["Storms"], "Re: The mole of the harbour", "Re: The mole of the harbour"),  # its `h1` is the site's name
        (["Re: The mole", "Re: The pier"], None, "Posts of the list"),
        ([], "12", "Posts of the list"),
        ([], "Older", "Posts of the list"),  # other pages have it too
        ([], None, "Posts of the list"),
    ],
)
def test_a_title_of_several_pages_gives_way_to_the_only_headline_of_one(headings, lower, expected):
    shared = shares(heading={"posts of the list": 1.0, "older": 1.0})
    assert page_title("Posts of the list", [], headings, ["Storms"], shared, lower=lower) == expected


def test_a_title_of_one_page_stays_beside_a_lower_headline():
    assert page_title("The harbour at night", [], [], [], never, lower="Menu") == "The harbour at night"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A storm -", "A storm"),
        ("A storm «", "A storm"),
        ("- A storm", "A storm"),
        ("» A storm |", "A storm"),
        ("C:", "C:"),
        ("A-storm", "A-storm"),
    ],
)
def test_separators_that_separate_nothing_go(title, expected):
    assert page_title(title, [], [], [], never) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.2, "Harbour talk - Page 23"), (0.9, "Page 23")],
)
def test_the_number_of_a_page_keeps_its_thread(share, expected):
    assert page_title("Harbour talk - Page 23", [], [], [], shares(prefix={"harbour talk": share})) == expected


def test_the_end_that_more_pages_have_is_cut():
    shared = shares(prefix={"storms": 0.9}, suffix={"a thread of ten pages": 0.2})
    assert page_title("Storms: A thread of ten pages", [], [], [], shared) == "A thread of ten pages"
    shared = shares(prefix={"a thread of ten pages": 0.2}, suffix={"storms": 0.9})
    assert page_title("A thread of ten pages - Storms", [], [], [], shared) == "A thread of ten pages"


def test_a_long_beginning_of_few_pages_is_a_thread_of_the_site():
    shared = shares(
        prefix={"storms": 1.0, "storms: re": 0.6, "storms: re: the mole": 0.16},
        suffix={"re: the mole: who built it": 0.16},
    )
    assert page_title("Storms: Re: The mole: Who built it", [], [], [], shared) == "The mole: Who built it"


def test_an_end_of_few_pages_stays_once_a_beginning_of_nearly_all_is_cut():
    known = {"prefix": {"storms": 1.0}, "suffix": {"who built it": 0.2}}
    assert page_title("Storms: The mole: Who built it", [], [], [], shares(**known)) == "The mole: Who built it"
    known["suffix"] = {"who built it": 0.3}
    assert page_title("Storms: The mole: Who built it", [], [], [], shares(**known)) == "The mole"


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        ("| Wind Magazine", ["Electric lamps"], "Electric lamps"),
        ("Wind Magazine: ", ["Electric lamps"], "Electric lamps"),
        ("- Wind - Magazine", ["Electric lamps"], "Electric lamps"),
        ("Wind Magazine |", ["Electric lamps"], "Wind Magazine"),
        ("| Wind Magazine", ["Electric lamps", "Old lamps"], "Wind Magazine"),
    ],
)
def test_a_title_that_begins_with_a_separator_does_not_name_its_page(title, headings, expected):
    assert page_title(title, [], headings, [], never) == expected


@pytest.mark.parametrize(
    ("title", "headings", "below", "expected"),
    [
        ("A storm at sea | Daily Wind, your paper", [], ["A storm at sea", "Read on"], "A storm at sea"),
        ("A storm at sea | Wind - Sea news", ["Wind: The Sea News of the World"], ["A storm at sea"], "A storm at sea"),
        ("A storm at sea - Storms - Wind", ["Storms"], ["A storm at sea"], "A storm at sea"),
        ("Sea news - Wind - A storm at sea", ["A storm at sea"], ["Sea news"], "A storm at sea"),
        ("A storm at sea - a tale | Wind", ["The tale of a storm at sea"], ["A storm at sea"], None),
        ("A storm at sea: a tale", ["A storm at sea: a tale"], ["A storm at sea"], None),
        ("A storm - Page 2 - Wind", ["Wind"], ["A storm"], "A storm - Page 2"),
        ("Storms | Daily Wind, your paper", [], ["Storms"], None),
        ("A storm - At sea - Wind", [], ["A storm", "A storm - At sea"], None),
    ],
)
def test_a_lower_headline_that_begins_the_title_names_the_page(title, headings, below, expected):
    plain = page_title(title, [], headings, ["Wind"], never)
    assert page_title(title, [], headings, ["Wind"], never, below=below) == (expected or plain)


def test_a_lower_headline_that_several_pages_begin_with_does_not_name_them():
    shared = {("prefix", "Sea news")}
    assert page_title("Sea news | A storm", [], [], [], lambda *one: one in shared, below=["Sea news"]) == "A storm"


@pytest.mark.parametrize(
    ("title", "names", "headline", "expected"),
    [
        ("News - A storm at sea | Wind", ["A storm at sea"], "News A storm at sea", "A storm at sea"),
        ("News - A storm at sea | Wind", [], "News A storm at sea", "News A storm at sea"),
        ("News - A storm at sea | Wind", ["A storm at sea"], "News - A storm at sea", "News - A storm at sea"),
        ("A storm at sea - Wind", [], "You are here: Home > News > A storm at sea", "A storm at sea"),
        ("台风袭击了海港的渔船 - 中国网", [], "中国网 〉新闻 〉台风袭击了海港的渔船", "台风袭击了海港的渔船"),
        ("A storm at sea - Wind", [], "News > A storm at sea", "News > A storm at sea"),
        ("A storm at sea - Wind", [], "A storm at sea (wind.example) 87", "A storm at sea"),
        ("A storm at sea - Wind", [], "A storm at sea Posted on by Ana", "A storm at sea"),
        ("A storm at sea - Wind", [], "A storm at seaThe whole story", "A storm at sea"),
        ("A storm at sea - Wind", [], "A storm at sea and its end", "A storm at sea and its end"),
        ("A storm at sea (film) - Wind", ["A storm at sea"], "A storm at sea (film)", "A storm at sea (film)"),
        ("A storm at sea | Wind", [], "A storm at sea - Harbour Funds", "A storm at sea"),
        ("A storm at sea - the end | Wind", [], "A storm at sea - the end", "A storm at sea - the end"),
        (
            "What a storm at sea does",
            ["A storm at sea - The end"],
            "A storm at sea - The end",
            "A storm at sea - The end",
        ),
    ],
)
def test_a_headline_loses_what_another_name_does_not_have(title, names, headline, expected):
    assert page_title(title, names, [headline], ["Wind"], never, alone=True) == expected


@pytest.mark.parametrize(
    ("title", "names", "headings", "expected"),
    [
        ("A first day at sea - Sea Forum - Wind", [], ["A first day at sea - Sea Forum", "A first day at sea"], 1),
        ("Reply: A storm at sea | Wind", ["A storm at sea"], ["Reply: A storm at sea", "A storm at sea"], 1),
        ("A storm at sea (with a map) - Wind", [], ["A storm at sea (with a map)", "The storm at sea"], 0),
        ("A storm at sea | Ana | Wind", [], ["A storm at sea | Ana", "A storm at sea"], 1),
    ],
)
def test_of_several_headlines_the_one_that_is_a_piece_of_the_title_counts(title, names, headings, expected):
    assert page_title(title, names, headings, ["Wind"], never) == headings[expected]


def test_of_several_headlines_that_are_no_piece_of_the_title_none_counts():
    entries = ["86 - A storm", "II", "61 - A calm"]
    assert page_title("Moles and piers", entries, entries, [], never) == "Moles and piers"


def test_a_lower_headline_with_the_site_s_end_does_not_name_the_page():
    shared = {("suffix", "by Ana | Wind")}
    title = "A storm at sea / by Ana | Wind"
    below = ["A storm at sea / by Ana"]
    assert page_title(title, [], [], [], lambda *one: one in shared, below=below) == "A storm at sea"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("樹を描画できる「木」:開発日誌帳", "樹を描画できる「木」"),
        ("The storm came:開発日誌帳", "The storm came"),
        ("A storm|開発日誌帳", "A storm"),
        ("Storm:開発日誌帳", "Storm:開発日誌帳"),  # one word is left
        ("開発日誌帳", "開発日誌帳"),
        ("The storm and開発日誌帳", "The storm and開発日誌帳"),
    ],
)
def test_the_name_of_the_site_may_be_joined_without_spaces(title, expected):
    assert page_title(title, [title], [], ["開発日誌帳"], never) == expected


@pytest.mark.parametrize(
    ("title", "url", "headings", "expected"),
    [
        ("protpars", "/doc/protpars.html", ["A method of storms"], "A method of storms"),
        ("L3_lti-moles", "/L3_lti-moles.html", ["Tools for old moles"], "Tools for old moles"),
        ("about-book - The storms", "/about-book.pt_BR.html", ["Zum Buch", "1. Zum Buch"], "Zum Buch"),
        ("setup - The storms", "/setup.html", ["Aufbau", "3. Aufbau"], "3. Aufbau"),
        ("protpars", "/protpars", ["A method of storms"], "A method of storms"),
        ("protpars", "/protpars.html", ["Method"], "protpars"),
        ("Protpars", "/protpars.html", ["A method of storms"], "Protpars"),
        ("protpars", "/other.html", ["A method of storms"], "protpars"),
        ("security", "/security.html", ["Probable holes", "Fixed holes"], "security"),
        ("roadmap", "/roadmap.html", ["1.0", "Compatible changes"], "roadmap"),
        ("storms", "/storms/", ["A method of moles"], "storms"),
    ],
)
def test_the_name_of_a_file_is_no_title(title, url, headings, expected):
    assert page_title(title, [], headings, [], never, f"https://harbour.example{url}") == expected


@pytest.mark.parametrize(
    ("title", "headline", "expected"),
    [
        ("Storms 2.0 Manual: Section 2.1", "2.1 Moles of stone", "2.1 Moles of stone"),
        ("Storms 2.0 Manual: Chapter 3.", "3. Moles", "3. Moles"),
        ("Storms 2.0 Manual: Section 2.1", "2.1.1 Moles of stone", "Section 2.1"),
        ("Storms 2.0 Manual: Section 2.1", "Moles of stone", "Section 2.1"),
        ("Storms 2.0 Manual: Page 2", "2 Moles", "2 Moles"),
        ("Storms 2.0 Manual: May 2023", "2023 moles", "May 2023"),
    ],
)
def test_a_title_that_is_the_number_of_a_section_gives_way_to_its_headline(title, headline, expected):
    known = shares(prefix={"storms 2.0 manual": 0.9})
    assert page_title(title, [], [], [], known, lower=headline) == expected


@pytest.mark.parametrize(
    ("title", "opening", "expected"),
    [
        ("Wind of the north : A storm at sea", ["Monday", "A storm at sea"], "A storm at sea"),
        ("Wind of the north : A storm - at sea", ["A storm - at sea"], "A storm - at sea"),
        ("A storm at sea - The end - Wind", ["A storm at sea - The end"], "A storm at sea - The end"),
        ("Wind of the north : A storm at sea", ["A storm at sea broke"], "Wind of the north : A storm at sea"),
        ("Wind of the north : Storm", ["Storm"], "Wind of the north : Storm"),
        ("North : A storm : Sea of the harbour masters", ["A storm"], "North : A storm : Sea of the harbour masters"),
        ("A storm at sea | Wind", ["A storm at sea | Wind"], "A storm at sea"),
    ],
)
def test_a_piece_of_the_title_that_begins_the_text_is_the_title(title, opening, expected):
    assert page_title(title, [], [], ["Wind"], never, alone=True, opening=opening) == expected


@pytest.mark.parametrize(
    ("title", "opening", "above", "expected"),
    [
        (
            "Harbour • View topic - A storm at sea",
            [],
            ["Re:", "A storm at sea", "View topic - A storm"],
            "A storm at sea",
        ),
        ("A storm at sea - Winds of the north", ["A storm at sea"], ["Winds of the north"], "A storm at sea"),
        ("Storms - Wind Harbour", [], ["Wind Harbour"], "Storms"),  # the letters of the host
    ],
)
def test_a_piece_of_the_title_right_above_the_text_is_the_title(title, opening, above, expected):
    url = "https://wind-harbour.example/a"
    assert page_title(title, [], [], [], never, url, alone=True, opening=opening, above=above) == expected


@pytest.mark.parametrize(
    "title", ["台风报名人数已超10%_畅游", "台风来了[组图]_娱乐八卦", "今年不放鞭炮！_新闻_正北方网"]
)
def test_an_end_of_an_unspaced_title_may_follow_a_sign(title):
    assert page_title(title, [], [], [], never, alone=True) == title.partition("_")[0]


def test_a_title_of_all_pages_of_a_small_site_gives_way_to_the_headline():
    title, known = "Harbour of the north | Wind", shares(heading={"harbour of the north | wind": 1.0})
    found = page_title(title, [], ["A storm at sea"], [], known, alone=True, opening=["Harbour of the north"])
    assert found == "A storm at sea"


def test_with_other_pages_the_lines_of_the_text_do_not_count():
    title = "Wind of the north : A storm at sea"
    assert page_title(title, [], [], [], never, opening=["A storm at sea"]) == title


def test_a_site_that_declares_the_whole_title_as_its_name_has_a_shorter_one():
    title = "Storms: how they begin at sea | Harbour Wind"
    assert page_title(title, [title], [], [title, "Harbour Wind"], never) == "Storms: how they begin at sea"
    assert page_title("Harbour Wind", [], [], ["Harbour Wind"], never) == "Harbour Wind"


def test_a_title_of_all_pages_stays_whole_without_another_name():
    assert page_title("Moles | Wind", [], [], ["Wind"], lambda kind, value: kind == "title") == "Moles | Wind"
