import sys
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.storage.search import terms
from sitecrawl.storage.search.terms import RUN, Clause, Width, fold, neighbours, parse_query, segment, widened, widths


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Élan vital, ÜBER Straße!", "elan vital uber strasse"),
        ("Đà Nẵng łódź ærlig İstanbul", "da nang lodz aerlig istanbul"),
        ("Новый ёлка", "новый елка"),  # й is a letter of its own, ё is not written everywhere
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("हिन्दी की", "हिन्दी की"),  # vowel signs belong to the word
        ("مُحَمَّد", "محمد"),
        ("\ufb2aלום", "שלום"),  # a letter with its point in one character
        ("foo_bar foo-bar 3.14 a\x00b", "foo bar foo bar 3 14 a b"),
        ("ｆｕｌｌ ﬁne", "full fine"),
        ("使用Python编程", "使用 用 python 编程 程"),
        ("学校に", "学校 校に に"),
        ("학교에서 배운다", "학교 교에 에서 서 배운 운다 다"),
        ("字", "字"),
        ("", ""),
    ],
)
def test_a_text_is_cut_into_terms(text, terms):
    assert segment(text) == terms


@given(st.lists(st.text("ab É字\n\t-.\x1c\xa0"), max_size=8))
def test_the_terms_of_a_text_are_those_of_its_lines(lines):
    assert segment("\n".join(lines)).split() == [term for line in lines for term in segment(line).split()]


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        ("two words", [(("two",), False), (("words",), False)]),
        ('"the US House"', [(("the", "us", "house"), False)]),
        ('"the US Hou"*', [(("the", "us", "hou"), True)]),
        ("begin*", [(("begin",), True)]),
        ("foo-bar", [(("foo", "bar"), False)]),
        ("编程语言", [(("编程", "程语", "语言"), False)]),
        ("字", [(("字",), True)]),  # every character begins a term
        ("字a", [(("字", "a"), False)]),
        ('"用 Python"', [(("用", "python"), False)]),
        ('"编程 Python"', [(("编程", "程", "python"), False)]),
        ('stray " quote', [(("stray",), False), (("quote",), False)]),
        ("same same", [(("same",), False)]),
        ('"" * () ^: -', []),
    ],
)
def test_a_query_is_parsed_into_clauses(query, clauses):
    assert parse_query(query).clauses == tuple(Clause(*clause) for clause in clauses)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("one", [Width.ALL]),
        ("one two", [Width.ALL, Width.ANY_CLAUSE]),
        ('"one two"', [Width.ALL, Width.ALL_TERMS, Width.ANY_TERM]),
        ('"one two" three', [Width.ALL, Width.ALL_TERMS, Width.ANY_CLAUSE, Width.ANY_TERM]),
    ],
)
def test_a_query_is_widened_only_by_what_differs(query, wanted):
    assert widths(parse_query(query)) == wanted


def test_the_clauses_of_a_wider_query_are_its_terms_each_once():
    query = parse_query('"one two"* "two one" end*')
    assert widened(query, Width.ALL) == widened(query, Width.ANY_CLAUSE) == list(query.clauses)
    terms = [(("one",), False), (("two",), True), (("two",), False), (("end",), True)]
    assert widened(query, Width.ALL_TERMS) == widened(query, Width.ANY_TERM) == [Clause(*one) for one in terms]


def test_neighbours_are_clauses_without_prefixes():
    query = parse_query('one "two three" four end* last')
    pairs = [("one", "two", "three"), ("two", "three", "four")]
    assert neighbours(query.clauses) == [Clause(pair, False) for pair in pairs]


def test_a_pasted_page_is_cut():
    query = parse_query(" ".join(f"w{i}" for i in range(5000)))
    assert len(query.clauses) == 64
    assert len(parse_query(f'"{" ".join(f"w{i}" for i in range(5000))}"').clauses[0].terms) == 64


@given(st.text())
def test_terms_hold_nothing_that_a_query_language_knows(text):
    for term in segment(text).split(" "):
        assert term == "" or not set(term) & set("\"'*()&|!:<>\\-+^ \x00")


@given(st.text())
def test_terms_are_terms_already(text):
    terms = segment(text)
    if not RUN.search(terms):
        assert segment(terms) == terms


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


def test_folding_any_character_twice_changes_nothing():
    """Of all characters 64 need more than one step, which a random search rarely meets."""
    characters = (chr(code) for code in range(sys.maxunicode + 1))
    folded = {fold(one) for one in characters if category(one) != "Cn"}  # what no character has is folded into itself
    assert [one for one in folded if fold(one) != one] == []


def test_words_are_kept_up_to_a_number_and_long_runs_never(monkeypatch):
    monkeypatch.setattr(terms, "CACHED", 2)
    kept = terms._Terms()
    assert (kept["été"], kept["über"]) == (("ete",), ("uber",))
    assert set(kept) == {"été", "über"}
    assert kept["ärger"] == ("arger",)
    assert set(kept) == {"ärger"}
    longest = "é" * terms.CACHED_LENGTH
    assert [len(kept[word][0]) for word in (longest, longest + "é")] == [terms.CACHED_LENGTH, terms.CACHED_LENGTH + 1]
    assert set(kept) == {"ärger", longest}
