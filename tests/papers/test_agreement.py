"""The package agrees with independent implementations of the papers, on golden pages and on random trees."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.gold import gold_sites
from sitecrawl.evaluation.strings import subsequence_length, substring_length

from ..strategies import directory_urls
from ..unit.dom.trees import roots
from .agreement import COMPARED, Case, Read
from .reference.strings import subsequence, substring

GOLDEN = Path(__file__).parents[1] / "golden"
PAGES = st.builds(Page.from_root, roots(), directory_urls())
READ = st.builds(Read, PAGES, st.lists(directory_urls(), min_size=1, max_size=12, unique=True))


@cache
def golden_cases():
    """Each golden page with the two that follow it."""
    sites = [[Read(Page.from_html(gold.html, gold.url)) for gold in site.pages] for site in gold_sites(GOLDEN)]
    return [
        Case(page, [*pages[number + 1 :], *pages[:number]][:2]) for pages in sites for number, page in enumerate(pages)
    ]


@pytest.mark.parametrize("name", COMPARED)
def test_reference_and_package_agree_on_golden_pages(name):
    for case in golden_cases():
        reference, package = COMPARED[name](case)
        assert package == reference, case.page.url


@settings(max_examples=100)
@given(READ, READ)
def test_reference_and_package_agree_on_random_trees(one, other):
    for case in (Case(one, (other, one)), Case(other, (one, other))):
        for name, compared in COMPARED.items():
            reference, package = compared(case)
            assert package == reference, name


@settings(max_examples=100)
@given(st.text("ab ", max_size=12), st.text("ab ", max_size=12))
def test_lengths_of_common_strings_are_those_of_the_definition(one, other):
    assert substring_length(one, other) == substring(one, other)
    assert subsequence_length(one, other) == subsequence(one, other)
