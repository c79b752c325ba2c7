"""The compiled twin of both looks of `combined` gives the numbers of the reference, to the last bit."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom import twin
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import flatten
from sitecrawl.dom.page import Page
from sitecrawl.extractors import _looks, _trees, looks
from sitecrawl.extractors.evidence import BlockEvidence
from sitecrawl.extractors.model import load_model, probabilities
from sitecrawl.extractors.statistics import site_statistics
from sitecrawl.extractors.surroundings import surroundings
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

from ..dom.trees import odd_roots, page, roots

GOLDEN = sorted(Path(__file__).parents[2].joinpath("golden").glob("*"))


def known(pages):
    template = SiteTemplate()
    for flat in pages:
        template.learn(flat)
    return site_statistics(snapshot(template, 1))


def assert_equal(flat, site, learned):
    blocks = text_blocks(flat)
    if not len(blocks):
        return
    evidence = BlockEvidence(flat, blocks, site, learned)
    evidence.build()
    look = _looks.Look(flat, blocks, site, learned)
    look.build()
    found = look.lists()
    assert len(found) == len(evidence.columns)
    for name, expected, column in zip(evidence.names, evidence.columns, found, strict=True):
        assert column == expected, name
    assert look.text_share == evidence.text_share
    assert (look.own, look.others) == (evidence.own, evidence.others)
    assert look.surroundings([0.25] * len(blocks)) == surroundings(flat, blocks, [0.25] * len(blocks))
    expected = looks.by_reference(flat, blocks, site, learned)
    twin.choose("auto")
    assert looks.judge(flat, blocks, site, learned) == expected


def test_it_is_built_and_used(monkeypatch):
    assert looks.PROBLEM is None
    one = page("<p>Text of a page.</p>")
    blocks = text_blocks(one.flat)
    expected = looks.by_reference(one.flat, blocks, None, False)
    monkeypatch.setattr(looks, "by_reference", lambda *args: pytest.fail("the reference was used"))
    assert looks.judge(one.flat, blocks, None, False) == expected


def test_it_is_left_alone_where_twins_are_switched_off(monkeypatch):
    one = page("<p>Text of a page.</p>")
    monkeypatch.setattr(looks, "_by_twin", lambda *args: pytest.fail("the twin was used"))
    twin.choose("off")
    try:
        assert looks.judge(one.flat, text_blocks(one.flat), None, False).others == 0
    finally:
        twin.choose()


def test_a_twin_that_disagrees_is_not_used(monkeypatch):
    monkeypatch.setattr(looks, "walked", lambda forest, columns: [0.0] * len(columns[0]))
    assert looks._load() == (None, "it disagrees with the reference; please report this")
    monkeypatch.setattr(looks, "load_model", lambda: {}["nothing"])
    made, why = looks._load()
    assert made is None
    assert "cannot be loaded" in why


@pytest.mark.parametrize("folder", GOLDEN, ids=lambda path: path.name)
def test_golden_pages(folder):
    pages = [
        Page.from_html(path.read_text("utf-8", "replace"), "https://example.org/").flat
        for path in folder.glob("*.html")
    ]
    site = known(pages)
    for flat in pages:
        for one in (None, site):
            assert_equal(flat, one, True)
        assert_equal(flat, known(pages[:1]), False)


@given(st.lists(odd_roots() | roots(), min_size=1, max_size=4))
def test_any_pages(trees):
    pages = [flatten(root) for root in trees]
    site = known(pages)
    for flat in pages:
        assert_equal(flat, None, False)
        assert_equal(flat, site, True)
        assert_equal(flat, site, False)


@given(st.lists(st.floats(-3, 99), min_size=1, max_size=5))
def test_any_numbers(values):
    for forest in load_model().values():
        columns = [[value + place % 7 for value in values] for place in range(len(forest.names))]
        assert _trees.probabilities(_trees.Trees(forest), columns) == probabilities(forest, columns)


def test_forests_that_do_not_fit_are_refused():
    trees = _trees.Trees(load_model()["page"])
    with pytest.raises(ValueError, match="fewer columns"):
        _trees.probabilities(trees, [[0.0]])
    one = page("<p>Text of a page.</p>")
    look = _looks.Look(one.flat, text_blocks(one.flat), None, False)
    with pytest.raises(ValueError, match="fewer columns"):
        look.chances(trees, trees)
