"""The compiled twin of both passes of `combined` returns the same numbers as the reference, to the last bit."""

from dataclasses import replace
from math import exp
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import flatten
from sitecrawl.dom.flat import flatten as reference_flatten
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined import _block_classifier, _trees, block_classifier
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.context_features import blended, surroundings
from sitecrawl.extractors.combined.expected_region import expected_region
from sitecrawl.extractors.combined.forest import Forest, Tree, load_model, probabilities, walked
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

from ...dom.trees import odd_roots, page, roots

GOLDEN = sorted(Path(__file__).parents[3].joinpath("golden").glob("*"))


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
    look = _block_classifier.Look(flat, blocks, site, learned)
    look.build()
    found = look.lists()
    assert len(found) == len(evidence.columns)
    for name, expected, column in zip(evidence.names, evidence.columns, found, strict=True):
        assert column == expected, name
    assert look.text_share == evidence.text_share
    assert (look.own, look.others) == (evidence.own, evidence.others)
    chances = [1 / (2 + block % 7) for block in range(len(blocks))]
    around = surroundings(flat, blocks, chances)
    assert look.surroundings(chances, region=False) == around
    assert look.surroundings(chances, region=True) == around + expected_region(flat, blocks, chances)
    judge, blind = block_classifier.judge, block_classifier.judge_blind
    assert judge.compiled(flat, blocks, site, learned) == judge.reference(flat, blocks, site, learned)
    assert blind.compiled(flat, blocks) == blind.reference(flat, blocks)


def test_a_twin_that_disagrees_is_not_used(monkeypatch):
    assert block_classifier.judge_problem(block_classifier.judge.compiled) is None
    monkeypatch.setattr(block_classifier, "walked", lambda forest, columns: [0.0] * len(columns[0]))
    found = block_classifier.judge_problem(block_classifier.judge.compiled)
    assert found == "it disagrees with the reference; please report this"


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
def test_the_twin_gives_the_probabilities_of_the_reference_for_any_numbers(values):
    for forest in load_model().values():
        columns = [[value + place % 7 for value in values] for place in range(len(forest.names))]
        assert _trees.probabilities(_trees.Trees(forest), columns) == probabilities(forest, columns)


@pytest.mark.parametrize("rows", [1, 2, 4, 5, 63, 64, 65, 128, 133])
def test_the_twin_gives_the_probabilities_of_walked_trees_for_any_number_of_rows(rows):
    chance = Random(rows)
    for forest in load_model().values():
        cuts = [t for tree in forest.trees[:9] for f, t in zip(tree.feature, tree.threshold, strict=True) if f >= 0]
        columns = [[chance.choice(cuts) + chance.choice((-0.5, 0.0, 0.5)) for _ in range(rows)] for _ in forest.names]
        columns[0] = columns[0][:1] * rows
        trees = _trees.Trees(forest)
        expected = walked(forest, columns)
        assert _trees.probabilities(trees, columns) == expected
        assert _trees.probability(trees, [column[0] for column in columns]) == expected[0]


def test_trees_that_are_none_are_refused():
    def forest(*trees):
        return Forest(["a"], list(trees))

    leaf = Tree([-1], [0.0], [0], [0], [0.5])
    assert _trees.probabilities(_trees.Trees(forest(leaf, leaf)), [[1.0, 2.0]]) == [1 / (1 + exp(-1.0))] * 2
    with pytest.raises(ValueError, match="not a tree"):
        _trees.Trees(forest(Tree([0, -1], [0.5, 0.0], [1, 0], [0, 0], [0.0, 0.1])))
    with pytest.raises(ValueError, match="a column that there is not"):
        _trees.Trees(forest(Tree([1, -1, -1], [0.5, 0.0, 0.0], [1, 0, 0], [2, 0, 0], [0.0, 0.1, 0.2])))
    size = 256
    chain = Tree(
        [0] * size + [-1] * (size + 1),
        [float(n) for n in range(size)] + [0.0] * (size + 1),
        [size + n for n in range(size)] + [0] * (size + 1),
        [n + 1 for n in range(size - 1)] + [2 * size] + [0] * (size + 1),
        [0.1] * (2 * size + 1),
    )
    with pytest.raises(ValueError, match="too many thresholds"):
        _trees.Trees(forest(chain))
    with pytest.raises(ValueError, match="too many leaves"):
        _trees.Trees(forest(chain._replace(threshold=[0.5] * len(chain.feature))))


def test_what_a_site_says_is_kept_for_its_next_page():
    one = page("<p>Text of a page.</p>")
    site, compiled = known([one.flat, one.flat]), block_classifier.judge.compiled
    first = compiled(one.flat, text_blocks(one.flat), site, True)
    assert len(site.compiled) == 1
    assert compiled(one.flat, text_blocks(one.flat), site, True) == first
    assert len(site.compiled) == 1


def test_rows_that_are_no_page_are_refused():
    flat = reference_flatten(page("<p>a<p>b").root)
    blocks = text_blocks(flat)
    judge = block_classifier.judge
    assert judge.compiled(flat, blocks, None, False) == judge.reference(flat, blocks, None, False)
    for broken in (
        replace(flat, parent=[5, *flat.parent[1:]]),
        replace(flat, end=[99, *flat.end[1:]]),
        replace(flat, chars=flat.chars[1:]),
    ):
        with pytest.raises(ValueError, match=r"order|lengths"):
            _block_classifier.Look(broken, blocks, None, False)
    for other in (replace(blocks, stop=[99, 99]), replace(blocks, container=[9, 9]), replace(blocks, first=[0, 0])):
        with pytest.raises(ValueError, match="another page"):
            _block_classifier.Look(flat, other, None, False)
    with pytest.raises(ValueError, match="zip"):
        _block_classifier.Look(flat, replace(blocks, chars=[1]), None, False)
    with pytest.raises(ValueError, match="an anchor of another page"):
        _block_classifier.Look(replace(flat, anchors=[(77, "/x", "")]), blocks, None, False)
    with pytest.raises(ValueError, match="different lengths"):
        _block_classifier.Look(replace(flat, names=[""]), blocks, None, False)


def test_forests_that_do_not_fit_are_refused():
    trees = _trees.Trees(load_model()["page"])
    with pytest.raises(ValueError, match="fewer columns"):
        _trees.probabilities(trees, [[0.0]])
    one = page("<p>Text of a page.</p>")
    look = _block_classifier.Look(one.flat, text_blocks(one.flat), None, False)
    with pytest.raises(ValueError, match="fewer columns"):
        look.chances(trees, trees)


def test_a_doubt_about_what_a_page_alone_has_is_settled_by_the_page_too():
    html = "<nav><a href=/>Home</a></nav><main><h1>The mole</h1><p>It was built of stone, and stood.</p></main>"
    flat = Page.from_html(f"<body>{html}</body>", "https://a.example/").flat
    blocks = text_blocks(flat)
    alone = block_classifier.judge_blind(flat, blocks)
    count = len(blocks)
    given_chances = [0.5] * count
    judged = block_classifier.Judged(given_chances, [0.0] * (count - 1) + [0.4], 10, 0.5)
    found, asked = block_classifier.with_doubts(flat, blocks, judged)
    assert asked == alone
    # a text that other pages have keeps its chance; the others move towards what the page says
    assert found.chances[-1] == 0.5
    for chance, own in zip(found.chances[:-1], alone.chances[:-1], strict=True):
        assert min(0.5, own) < chance < max(0.5, own)
    # without a doubt, and without other pages, nothing is asked
    for sure in (
        judged._replace(chances=[0.95] * count),
        judged._replace(others=0),
        judged._replace(text_share=[0.4] * count),
    ):
        assert block_classifier.with_doubts(flat, blocks, sure) == (sure, None)
    assert block_classifier.kept_alone(flat, blocks, alone) == block_classifier.kept_alone(flat, blocks)


def test_a_doubt_is_not_settled_by_the_forest_of_pages_alone():
    flat = Page.from_html("<body><h1>The mole</h1><p>It was built of stone, and stood.</p>", "https://a.example/").flat
    blocks, model = text_blocks(flat), load_model()
    evidence = BlockEvidence(flat, blocks, None, False)
    evidence.build()
    first = probabilities(model["page"], evidence.columns)
    columns = surroundings(flat, blocks, first)
    without = probabilities(model["doubt_context"], columns)
    assert block_classifier.judge_blind(flat, blocks).chances == without
    columns += expected_region(flat, blocks, first)
    within = probabilities(model["page_context"], columns)
    assert within != without
    both = block_classifier.judge(flat, blocks, None, False).chances
    assert both == blended(within, without, block_classifier.WITHOUT_REGION)
    assert all(min(pair) <= one <= max(pair) for one, *pair in zip(both, within, without, strict=True))


@pytest.mark.parametrize(
    ("others", "chars", "asked"),
    [
        (block_classifier.FEW - 1, block_classifier.LITTLE, True),
        (block_classifier.FEW, block_classifier.LITTLE, False),
        (block_classifier.FEW, block_classifier.LITTLE - 1, True),
    ],
)
def test_doubts_count_with_few_other_pages_or_little_kept_text(others, chars, asked):
    flat = Page.from_html(
        f"<body><p>{'x' * chars}</p><div>A doubt</div><p>Dropped text.</p>", "https://a.example/"
    ).flat
    blocks = text_blocks(flat)
    judged = block_classifier.Judged([0.9, 0.5, 0.1], [0.0] * 3, others, 0.6)
    found, alone = block_classifier.with_doubts(flat, blocks, judged)
    assert (alone is not None, found != judged) == (asked, asked)


def test_a_page_that_is_judged_again_is_judged_anew_by_what_the_site_knows():
    flat, other = page("<p>Text of a page, said once.<p>A menu").flat, page("<p>Other text of a page.<p>A menu").flat
    site, blocks, judge = known([flat, other]), text_blocks(flat), block_classifier.judge
    order = [(flat, blocks, site, True), (flat, blocks, None, False), (flat, blocks, site, False)]
    order += [(other, text_blocks(other), site, True), *order]
    for one in order:
        assert judge.compiled(*one) == judge.reference(*one)
