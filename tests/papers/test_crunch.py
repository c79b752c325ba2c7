"""The worked numbers of Crunch's link list remover."""

from math import inf

import pytest

from sitecrawl.extractors.base import get_extractor
from sitecrawl.extractors.papers.crunch_filters import link_ratio

from ..unit.dom.trees import page

CELLS = ((6, 100, 0.3), (2, 500, 0.02), (3, 0, inf))
"""Links, letters outside them, and the ratio with words of 5 letters."""


@pytest.mark.parametrize(("links", "letters", "ratio"), CELLS)
def test_links_for_each_word(links, letters, ratio):
    assert link_ratio(links, letters) == pytest.approx(ratio)


def test_a_cell_without_links_is_no_link_list():
    assert link_ratio(0, 0) == 0


@pytest.mark.parametrize(("links", "letters", "ratio"), CELLS)
def test_cells_above_the_removal_ratio_go(links, letters, ratio):
    """ "Greater than" the ratio: a cell that has just this one stays."""
    found = page(
        f"<table><tr><td>{'<a href=/x>link</a> ' * links}{'word ' * (letters // 4)}</td><td>The end.</td></tr></table>"
    )
    for removal in (0.01, 0.02, 0.25, 0.3, 0.31):
        left = found.text(get_extractor("crunch", link_ratio=removal, table_chars=0).extract(found).nodes)
        assert ("link" in left) == (ratio <= removal)
        assert "The end." in left
