"""The method of the density paper, section 4, on worked numbers."""

from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.papers.density import densest_region, strings

LENGTHS = (10, 0, 30, 300, 0, 120, 40, 99, 100, 0, 0, 110, 0, 0, 0, 200, 5)


def test_the_region_takes_what_is_long_and_near():
    region = densest_region(LENGTHS, 0.333, 4)
    assert region == [3, 5, 8, 11]
    assert sum(LENGTHS[region[0] : region[-1] + 1]) == 769


def test_both_limits_are_strict():
    assert densest_region([300, 99, 100], 1 / 3, 4) == [0]
    assert densest_region([300, 0, 0, 101], 1 / 3, 4) == [0, 3]
    assert densest_region([300, 0, 0, 0, 101], 1 / 3, 4) == [0]
    assert densest_region([5, 300, 300], 1 / 3, 1) == [1]


def test_the_list_of_strings():
    flat = flatten(etree.fromstring("<div>A<p>B</p>C<p>D</p></div>"))

    def texts(close):
        return ["".join(flat.text[i] for i in rows) for rows in strings(flat, close=close)]

    assert texts(False) == ["", "A", "BC", "D"]
    assert texts(True) == ["", "A", "B", "C", "D", "", ""]
