"""Tests of the comparison of a cleaned page with the texts that a browser would show."""

from sitecrawl.dom.page import Page
from sitecrawl.extractors.papers.crunch import Crunch

from .cleaned_texts import Text, judged

STORY = "The ship has come in with coal and tea, and leaves on Monday for the north."
MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("harbour", "timetable", "pilots"))
PAGE = Page.from_html(
    f"<head><meta name=author content=pilots></head><body><ul>{MENU}</ul><p>{STORY * 9}</p><p>The end</p></body>",
    "http://example.org/",
)
BEFORE = [
    *(Text(name, [0, 20 * at, 15], "menu") for at, name in enumerate(("harbour", "timetable", "pilots"))),
    Text(STORY * 9, [0, 100, 60], "text"),
    Text("The end", [0, 200, 15], "text"),
]
LINKS = [Text(name, [0, 300, 15], "menu") for name in ("harbour", "timetable", "pilots")]
"""The list of removed links, which is at the end."""


def result(*after):
    return judged(PAGE, BEFORE, [*after, *LINKS], Crunch().filtered(PAGE))


def test_a_page_as_it_should_be():
    found = result(*BEFORE[3:])
    assert (found.removed, found.compared, found.orders) == (3, 2, 1)
    assert (found.left, found.missing, found.restyled, found.reordered) == ([], [], [], [])


def test_a_removed_text_that_is_still_there():
    assert result(BEFORE[1], *BEFORE[3:]).left == ["1 x timetable"]


def test_a_kept_text_that_is_missing():
    assert result(BEFORE[3]).missing == ["The end"]


def test_the_list_of_removed_links_is_missing():
    found = judged(PAGE, BEFORE, BEFORE[3:], Crunch().filtered(PAGE))
    assert found.missing == ["the list of removed links"]


def test_a_text_that_looks_otherwise_or_stands_elsewhere():
    found = result(Text(STORY * 9, [0, 220, 60], "text"), Text("The end", [0, 100, 15], "small"))
    assert found.restyled == ["The end: text -> small"]
    assert len(found.reordered) == 1
