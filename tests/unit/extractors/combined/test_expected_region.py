from sitecrawl.dom.blocks import text_blocks
from sitecrawl.extractors.combined.block_features import FAR
from sitecrawl.extractors.combined.expected_region import OUTSIDE, REGION_NAMES, expected_region

from ...dom.trees import page

TEXT = "The mole was built in three years, and the keeper lived there."
PAGE = page(
    "<ul><li><a href=/1>Harbours</a></li></ul>"
    f"<main><h1>The mole</h1><article><p>{TEXT}</p><div><p>{TEXT}</p></div></article></main>"
    f"<aside><p>{TEXT}</p><p>Read <a href=/2>more</a></p></aside>"
)
CHANCES = [0.1, 0.6, 0.9, 0.9, 0.4, 0.2]


def columns(chances=CHANCES, html=PAGE):
    return dict(zip(REGION_NAMES, expected_region(html.flat, text_blocks(html.flat), chances), strict=True))


def test_blocks_of_a_side_column_are_outside_of_the_region():
    found = columns()
    assert found["below_expected_60"] == [OUTSIDE, OUTSIDE, 1, 2, OUTSIDE, OUTSIDE]  # the article
    assert found["from_expected_60"] == [-2, -1, 0, 0, 1, 2]
    assert found["below_expected_90"] == [2, 2, 3, 4, 2, 2]  # nine tenths are in the body only
    assert found["from_expected_90"] == [0] * 6


def test_a_region_with_more_of_the_expected_content_is_smaller():
    found = columns([0.01, 0.99, 0.9, 0.9, 0.01, 0.01])
    assert found["below_expected_90"] == [OUTSIDE, 1, 2, 3, OUTSIDE, OUTSIDE]  # `main`
    assert found["from_expected_90"] == [-1, 0, 0, 0, 1, 2]


def test_a_block_far_from_the_region_is_at_most_far():
    html = page(f"<main><p>{TEXT}</p></main>" + "".join(f"<p>Mole {n}</p>" for n in range(60)))
    found = columns([1.0] + [0.001] * 60, html)
    assert found["from_expected_90"][-1] == FAR


def test_the_share_of_links():
    assert columns()["links"] == [1, 0, 0, 0, 0, 4 / 8]
