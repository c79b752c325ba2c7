"""Tables of data between kept blocks of the content are kept whole."""

import pytest

from sitecrawl.extractors.combined.data_tables import with_data_tables

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
ROWS = "<tr><td>CELL north</td><td><a href=/7>CELL 7</a></td></tr><tr><td>CELL south</td><td>CELL 9</td></tr>"
TABLE = f"<table><tr><th>CELL mole</th><th>CELL metres</th></tr>{ROWS}</table>"
CELLS = ["CELL mole", "CELL metres", "CELL north", "CELL 7", "CELL south", "CELL 9"]


def added(html, *, others=(), again=""):
    """Return the texts that are kept too if the cells are not; `again` is the text of a repetition."""
    site = Sample([f"<main>{html}</main>", *others])
    return site.added(
        lambda one, kept, repeats, known: with_data_tables(one.flat, one.blocks, kept, repeats, known),
        "CELL",
        again=again,
        known=site.known if others else None,
    )


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}{TABLE}{TEXT}",
        f"{TEXT}<div class=scroll>{TABLE}</div>{TEXT}",
        f"{TEXT}<figure><div>{TABLE}</div></figure>{TEXT}",
        f"<section>{TEXT}{TABLE}<ul><li>A list, of the same length as a line.</li></ul></section>",
    ],
)
def test_a_table_with_headers_that_kept_text_encloses_is_kept(html):
    assert added(html) == CELLS


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}{TEXT}{TABLE}",
        f"{TABLE}{TEXT}{TEXT}",
        f"{TEXT}<div><div><div><div>{TABLE}<i></i></div></div></div></div>{TEXT}",  # too far from the text
        f"{TEXT}<section><h2>CELL Menu</h2>{TABLE}</section>{TEXT}",
        f"{TEXT}<div class=comments>{TABLE}</div>{TEXT}",
        f"{TEXT}<table><tr><th>CELL mole</th><td>CELL metres</td></tr>{ROWS}</table>{TEXT}",  # one header
    ],
)
def test_other_tables_stay_as_they_are(html):
    assert added(html) == []


def test_a_table_in_a_table_is_kept_with_it():
    inner = f"<table><tr><td>CELL a</td><td>{TABLE}</td></tr></table>"
    assert added(f"{TEXT}{inner}{TEXT}") == ["CELL a", *CELLS]


def test_repetitions_and_what_other_pages_show_stay_dropped():
    assert added(f"{TEXT}{TABLE}{TEXT}", again="CELL 7") == [text for text in CELLS if text != "CELL 7"]
    other = f"<main>{TEXT}{TABLE.replace('south', 'east')}{TEXT}</main>"
    assert added(f"{TEXT}{TABLE}{TEXT}", others=[other] * 4) == ["CELL south"]


def test_a_page_that_keeps_nothing_keeps_no_table():
    site = Sample([f"<main>{TABLE}</main>"])
    nothing = [False] * len(site.texts)
    assert with_data_tables(site.flat, site.blocks, nothing, nothing, None) == nothing


KEPT = "<tr><th>Harbour</th><th>Mole</th></tr><tr><td>Hove</td><td>CELL 7</td></tr>"
"""A table whose numbers are dropped: half of the cells are kept."""
TOTAL = "<tr><td>CELL all</td><td>CELL 16</td></tr>"


@pytest.mark.parametrize(("rows", "cells"), [("", ["CELL 7"]), (TOTAL, ["CELL 7", "CELL all", "CELL 16"])])
def test_a_table_that_is_mostly_kept_is_kept_whole_without_text_below_it(rows, cells):
    assert added(f"{TEXT}<table>{KEPT}{rows}</table>") == cells
    assert added(f"{TEXT}<table>{KEPT}{TOTAL * 3}</table>") == []  # less than half


def test_numbers_that_other_pages_show_are_kept_beside_a_kept_cell():
    others = [
        f"<main>{TEXT}<table>{KEPT.replace('Hove', f'Port {number}')}{TOTAL}</table></main>" for number in range(4)
    ]
    assert added(f"{TEXT}<table>{KEPT}{TOTAL}</table>", others=others) == ["CELL 7"]


def test_a_row_around_a_table_is_not_completed_for_a_cell_of_it():
    rows = f"<tr><td>CELL menu</td><td><table>{KEPT}</table></td></tr>"
    others = [f"<main>{TEXT}<table>{rows}</table></main>"] * 4
    assert added(f"{TEXT}<table>{rows}</table>", others=others) == ["CELL 7"]
