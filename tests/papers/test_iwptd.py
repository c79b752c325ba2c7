"""The worked example of IWPTD: six pages with a menu, a story and a button."""

import pytest
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.papers.iwptd import TEMPLATE_PAGES, block_ratios
from sitecrawl.templates.segments import SegmentTable, segment_key, segment_keys

PAGES = [
    flatten(
        etree.fromstring(
            f"<body><div><a>Home</a><a>News</a><a>{'Extra 3' if i == 3 else 'Help'}</a></div>"
            f"<div><p>Story {i}</p><p>Share</p></div></body>"
        )
    )
    for i in range(6)
]
PAGES_BY_SEGMENT = {
    "BODY.DIV.A|Extra 3": 1,
    "BODY.DIV.A|Help": 5,
    "BODY.DIV.A|Home": 6,
    "BODY.DIV.A|News": 6,
    "BODY.DIV.P|Share": 6,
    **{f"BODY.DIV.P|Story {i}": 1 for i in range(6)},
}


@pytest.fixture
def table():
    table = SegmentTable()
    for flat in PAGES:
        table.add(flat)
    return table


def test_pages_by_segment(table):
    assert len(table) == len(PAGES_BY_SEGMENT)
    assert {name: table.pages(segment_key(*name.split("|"))) for name in PAGES_BY_SEGMENT} == PAGES_BY_SEGMENT


def test_ratios_of_blocks(table):
    def ratios(page, weight):
        template = [table.pages(key) >= TEMPLATE_PAGES for key in segment_keys(PAGES[page])]
        found = block_ratios(PAGES[page], template, weight)
        return [found[i] for i, name in enumerate(PAGES[page].tag) if name == "div"]

    assert ratios(0, "segments") == [1.0, 0.5]
    assert ratios(3, "segments") == [pytest.approx(0.6667, abs=5e-5), 0.5]
    # Counted in characters, "Share" no longer makes half of the block with "Story 0".
    assert ratios(0, "characters") == [1.0, pytest.approx(5 / 11)]
