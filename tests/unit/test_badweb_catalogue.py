"""The bad web serves every case of the catalogue, and docs/badweb.md describes each; `make badweb` crawls it."""

from collections import Counter

from tests.badweb import catalogue

EXPECTED = catalogue.expectations()


def test_every_case_of_the_catalogue_is_played():
    listed = catalogue.entries()
    assert len(listed) == 262
    assert [name for name, count in Counter(one.name for one in listed).items() if count > 1] == []
    assert [one.name for one in listed if one.case not in EXPECTED] == []


def test_what_is_expected_means_what_the_catalogue_says():
    wrong = [
        (one.name, one.outcome, EXPECTED[one.case].outcome)
        for one in catalogue.entries()
        if one.case not in catalogue.ALONE and EXPECTED[one.case].outcome not in catalogue.MEANS[one.outcome]
    ]
    assert wrong == []


def test_the_table_of_all_cases_is_as_the_cases_are():
    assert catalogue.DOCUMENT.read_text(encoding="utf-8") == catalogue.document()
