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
