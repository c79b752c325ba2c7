import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.index.snippets import WIDTH, snippet
from sitecrawl.storage.search.terms import parse_query

FILLER = "nothing of interest is written here, " * 40


def marked(text, query, config="simple"):
    return snippet(text, parse_query(query), config).as_text("[", "]")


def test_found_words_are_marked_as_they_are_written():
    assert marked("La Canción más bonita.", "cancion MAS") == "La [Canción] [más] bonita."
    assert marked("The US House of\nRepresentatives", '"house of representatives"') == (
        "The US [House] [of] [Representatives]"
    )
    assert marked("beginning begins", "begin*") == "[beginning] [begins]"
    assert marked("houses house", "house") == "houses [house]"


@pytest.mark.parametrize(
    ("text", "query", "config", "expected"),
    [
        ("houses house household", "house", "english", "[houses] [house] household"),
        ("a theory of the", "the", "english", "a theory of [the]"),
        ("One query, 2 QUERIES, the queryset", "queries", "english", "One [query], 2 [QUERIES], the queryset"),
        ("The bakery baked, bakes", "baking", "english", "The bakery [baked], [bakes]"),
        ("Die Straßen, eine STRASSE", "strasse", "german", "Die [Straßen], eine [STRASSE]"),
        ("Сборка пакетов и пакета", "пакеты", "russian", "Сборка [пакетов] и [пакета]"),
        ("La canción, las canciones", "cancion", "spanish", "La [canción], las [canciones]"),
        ("2 in 25", "2", "english", "[2] in 25"),
    ],
)
def test_words_of_one_stem_are_marked(text, query, config, expected):
    assert marked(text, query, config) == expected


def test_words_of_one_stem_are_one_word_when_a_piece_is_chosen():
    text = f"crawl crawls crawled crawling {FILLER} crawl politely {FILLER}"
    assert "politely" in snippet(text, parse_query("crawling politely"), "english").text


def test_words_that_say_nothing_are_not_marked():
    assert marked("How to test the app: the tests", "how to test the app", "english") == (
        "How to [test] the [app]: the [tests]"
    )
    assert (
        marked("The US House of the Representatives", '"house of"', "english")
        == "The US [House] [of] the Representatives"
    )
    assert marked("the the", "the", "english") == "[the] [the]"
    assert marked("La casa del más alto", "la casa mas alto", "spanish") == "La [casa] del más [alto]"
    assert marked("the app", "the app") == "[the] [app]"


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("使用Python编程语言写程序", "编程语言 python", "使用[Python][编程语言]写程序"),
        ("使用Python编程语言写程序", "程序", "使用Python编程语言写[程序]"),
        ("우리는 학교에서 배운다", "학교", "우리는 [학교]에서 배운다"),
        ("字典里的字", "字", "[字]典里的[字]"),
    ],
)
def test_scripts_without_spaces(text, query, expected):
    assert marked(text, query) == expected


def test_the_piece_has_the_most_different_words():
    text = f"otters {FILLER} otters and badgers {FILLER}"
    found = snippet(text, parse_query("otters badgers"))
    assert found.as_html().count("<mark>") == 2
    assert found.text.startswith("… ")
    assert found.text.endswith(" …")
    assert len(found.text) <= WIDTH + 4


def test_without_a_found_word_it_is_the_beginning():
    assert snippet(f"start {FILLER}", parse_query("zebra")).text.startswith("start nothing")
    assert snippet("", parse_query("zebra")).text == ""


def test_html_is_escaped():
    assert snippet("<b> & otters", parse_query("otters")).as_html() == "&lt;b&gt; &amp; <mark>otters</mark>"


@given(st.text(), st.text())
def test_marks_are_apart_and_inside(text, query):
    found = snippet(text * 3, parse_query(query))
    end = 0
    for start, stop in found.marks:
        assert end <= start < stop <= len(found.text)
        end = stop
