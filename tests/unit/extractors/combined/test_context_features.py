from math import log

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.extractors.combined.context_features import BESIDE, NAMES, blended, log_odds, surroundings

from ...dom.trees import page

PAGE = page(
    "<ul><li><a href=/1>One</a></li><li><a href=/2>Two</a></li></ul>"
    "<div><h2>Head</h2><p>First paragraph of the text.</p><p>Second paragraph of the text.</p></div>"
)
CHANCES = [0.1, 0.2, 0.6, 0.9, 0.8]


def columns(chances=CHANCES, html=PAGE):
    return dict(zip(NAMES, surroundings(html.flat, text_blocks(html.flat), chances), strict=True))


def test_blocks_on_one_path_share_their_mean():
    found = columns()
    weights = [len("One") + 4, len("Two") + 4]
    expected = (0.1 * weights[0] + 0.2 * weights[1]) / sum(weights)
    assert found["path_chance_0"][:2] == pytest.approx([expected] * 2)
    assert found["path_chance_0"][3] == found["path_chance_0"][4] == pytest.approx(0.85, abs=0.01)
    assert found["path_chance_1"][2] == found["path_chance_1"][3]  # below the same div
    assert len(set(found["path_chance_5"])) == 1
    assert set(found["page"]) == {found["path_chance_5"][0]}


def test_neighbours_and_ends():
    found = columns()
    assert found["odds+1"] == [*map(log_odds, CHANCES[1:]), BESIDE]
    assert found["odds-2"] == [BESIDE, BESIDE, *map(log_odds, CHANCES[:3])]
    assert found["before"][0] == 0
    assert found["after"][-1] == 0
    assert found["before"][-1] + found["after"][0] > 1
    assert log_odds(0.0) == log(1e-4 / (1 - 1e-4)) == pytest.approx(-log_odds(1.0))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_pages_of_a_few_blocks(count):
    html = page("".join(f"<p>Text {i}</p>" for i in range(count)))
    found = columns([0.5] * count, html)
    assert {len(column) for column in found.values()} == {count}


def test_looks_are_weighed_by_their_odds():
    assert blended([0.2, 0.5, 0.9], [0.2, 0.5, 0.9]) == pytest.approx([0.2, 0.5, 0.9])
    first_wins, between = blended([0.8, 0.1], [0.2, 0.9])
    assert 0.5 < first_wins < 0.8
    assert 0.1 < between < 0.5
    assert blended([0.0, 1.0], [0.0, 1.0]) == pytest.approx([1e-4, 1 - 1e-4])
