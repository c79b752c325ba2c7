"""Numbers that link to the paragraph beside them are dropped."""

import pytest

from sitecrawl.extractors.combined.paragraph_numbers import NUMBERS, without_paragraph_numbers

from .sites import Sample


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_paragraph_numbers)


def manual(count, number="<a href='#p{0}'>{0}</a>"):
    return "".join(
        f"<div id=p{one}><p class=number>{number.format(one)}</p><p>Stone {one} of the mole lies where a ship left it.</p></div>"
        for one in range(1, count + 1)
    )


@pytest.mark.parametrize(
    "number",
    [
        "<a href='#p{0}'>{0}</a>",
        "<a href='#p{0}'>[{0}]</a>",
        "<b><a href='#p{0}'>§ {0}</a></b>",
        "<a href='#p{0}'>¶</a>",
    ],
)
def test_a_number_that_links_to_its_paragraph_is_dropped(number):
    assert len(dropped(manual(NUMBERS, number))) == NUMBERS


@pytest.mark.parametrize(
    "number",
    [
        "{0}",
        "<a href='/page/{0}'>{0}</a>",
        "<a href='#'>{0}</a>",
        "<a href='#p{0}'>{0}</a> stones",
        "<a href='#p{0}'>mole</a>",
        "<a name=p{0}>{0}</a>",
    ],
)
def test_other_numbers_and_links_are_kept(number):
    assert dropped(manual(NUMBERS + 3, number)) == []


def test_a_few_numbers_may_be_contents():
    assert dropped(manual(NUMBERS - 1)) == []


def test_what_was_dropped_already_stays_so():
    site = Sample([manual(NUMBERS)])
    none = [False] * len(site.texts)
    assert without_paragraph_numbers(site.flat, site.blocks, none) == none
