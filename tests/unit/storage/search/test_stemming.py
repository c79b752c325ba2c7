import pytest

from sitecrawl.storage.search.languages import CONFIGS, PLAIN
from sitecrawl.storage.search.stemming import _stems, stem, stemmed

STEMS = {
    "arabic": ("المكتبات", "مكتب"),
    "armenian": ("գրադարանների", "գրադար"),
    "basque": ("liburutegietan", "liburu"),
    "catalan": ("biblioteques", "bibliot"),
    "danish": ("bibliotekerne", "bibliotek"),
    "dutch": ("bibliotheken", "bibliotheek"),
    "english": ("libraries", "librari"),
    "finnish": ("kirjastoissa", "kirjasto"),
    "french": ("bibliotheques", "bibliothequ"),
    "german": ("bibliotheken", "bibliothek"),
    "greek": ("βιβλιοθηκεσ", "βιβλιοθηκ"),
    "hungarian": ("konyvtarakban", "konyvtar"),
    "indonesian": ("perpustakaannya", "pustaka"),
    "irish": ("leabharlanna", "leabharlanna"),
    "italian": ("biblioteche", "bibliotec"),
    "lithuanian": ("bibliotekose", "bibliotek"),
    "norwegian": ("bibliotekene", "bibliotek"),
    "portuguese": ("bibliotecas", "bibliotec"),
    "romanian": ("bibliotecilor", "bibliotec"),
    "russian": ("библиотеками", "библиотек"),
    "serbian": ("библиотекама", "bibliotek"),
    "spanish": ("bibliotecas", "bibliotec"),
    "swedish": ("biblioteken", "bibliotek"),
    "turkish": ("kutuphanelerde", "kutuphane"),
    "yiddish": ("ביבליאטעקן", "ביבליאטעק"),
}
"""Stems of snowballstemmer 3.1, which existing databases contain; with other stems those pages would not be found."""


@pytest.mark.parametrize("config", sorted(STEMS))
def test_stems_are_those_of_databases_that_are_there(config):
    word, expected = STEMS[config]
    assert stem(word, config) == expected


def test_every_language_has_a_stemmer():
    assert [stem("a", config) for config in sorted(set(CONFIGS.values()))] == ["a"] * len(set(CONFIGS.values()))


def test_terms_with_digits_and_languages_without_stems_stay_as_they_are():
    assert stemmed("running 2nd runs", "english") == "run 2nd run"
    assert stemmed("running runs", PLAIN) == "running runs"
    assert stem("running", PLAIN) == "running"
    assert stemmed("", "english") == ""


def test_what_is_remembered_has_a_bound(monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.search.stemming.CACHED", 3)
    words = "one two three four five one two three"
    assert stemmed(words, "danish") == " ".join(stem(word, "danish") for word in words.split())
    assert len(_stems("danish")) <= 3


@pytest.mark.parametrize(("kept", "count"), [(2, 1), (3, 3), (4, 3)])
def test_the_bound_itself_is_kept(monkeypatch, kept, count):
    monkeypatch.setattr("sitecrawl.storage.search.stemming.CACHED", kept)
    _stems("finnish").clear()
    stemmed("one two three", "finnish")
    assert len(_stems("finnish")) == count
