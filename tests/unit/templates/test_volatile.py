"""Tests of finding the volatile places of a layout from pairs of fetches."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.templates.fetch_difference import difference
from sitecrawl.templates.folded_numbers import folded, without_numbers
from sitecrawl.templates.volatile import VolatileBlocks, volatile
from sitecrawl.templates.volatile_records import difference_of, difference_record, volatile_of, volatile_record

URL = "https://example.org/"


def article(number, ad="", *, views=0, paragraphs=5, tags="", end="", texts=()):
    """An article with a box, a counter in its header and what is put at its end."""
    body = "".join(f"<p>Report {number} says in part {i} what was seen that day.</p>" for i in range(paragraphs))
    body += "".join(f"<p>{text}</p>" for text in texts)
    box = f"<div class=offer>{ad}</div>" if ad else ""
    return (
        f"<html><body><nav class=menu><a href=/>Front page of the paper</a></nav><main><article class='post {tags}'>"
        f"<header><h1>Report {number}</h1><p class=by>By Ann, {views} views</p></header>{box}{body}{end}</article></main></body></html>"
    )


def flat(html):
    return Page.from_html(html, URL).flat


def pairs(*given_pairs):
    return [found for one, other in given_pairs if (found := difference(flat(one), flat(other))) is not None]


def left_out(html, found):
    page = flat(html)
    blocks = text_blocks(page)
    reasons = found.reasons(page, blocks)
    return [block_text(page, blocks, b) for b in range(len(blocks)) if reasons[b] is not None]


def counting(html, found):
    page = flat(html)
    return found.counting(page, text_blocks(page))


def rotating(count=3, **more):
    return pairs(*((article(n, f"Buy {n} soap"), article(n, f"Rent {n} boats", **more)) for n in range(count)))


def test_equal_fetches_say_nothing():
    same = pairs(*((article(n, "Buy soap", views=7), article(n, "Buy soap", views=7)) for n in range(3)))
    assert not volatile(same)
    assert volatile([]) == VolatileBlocks()


@pytest.mark.parametrize(
    "html", [article(1, "Buy soap"), article(2, paragraphs=0), "<html><body></body></html>", "<br>x"]
)
def test_a_page_and_its_own_copy_are_compared_like_any_others(html):
    one, copy = flat(html), flat(html)
    found, expected = difference(one, one), difference(one, copy)
    assert found == expected
    assert found is None or expected is None or list(found.stood) == list(expected.stood)


def test_a_box_that_differs_on_two_pages_is_left_out_of_all():
    found = volatile(rotating(2))
    (place,) = found.rows()
    assert place.place.endswith("div.offer")
    assert place.line() == "differs between two fetches on 2 of 2 pages"
    assert left_out(article(9, "<b>Quite</b> another <p>offer"), found) == ["Quite another", "offer"]


def test_a_box_that_differs_on_one_page_is_left_out_of_that_page_as_it_was():
    found = rotating(1)
    assert not volatile(found)
    own = VolatileBlocks().with_texts(found[0].texts)
    assert left_out(article(0, "Buy 0 soap"), own) == ["Buy 0 soap"]
    assert left_out(article(0, "Rent 0 boats"), own) == []


def test_the_names_of_elements_around_a_box_may_be_of_one_page():
    found = volatile(
        pairs(
            *(
                (article(n, "soap", tags=f"about-{'abc'[n]}"), article(n, "boats", tags=f"about-{'abc'[n]}"))
                for n in range(3)
            )
        )
    )
    assert left_out(article(9, "oars", tags="about-x"), found) == ["oars"]


def test_an_edited_paragraph_is_not_volatile():
    """All pages are edited between their fetches: their paragraphs share a path, and have different numbers."""
    edits = (
        (article(n, paragraphs=4 + n, texts=["Old."]), article(n, paragraphs=4 + n, texts=["New."])) for n in range(3)
    )
    assert left_out(article(9, texts=["New."]), volatile(pairs(*edits))) == []


def test_a_paragraph_that_is_edited_on_two_pages_is_not_volatile():
    edits = ((article(n, texts=["Old."]), article(n, texts=["New."])) for n in range(2))
    assert left_out(article(9, texts=["New."]), volatile(pairs(*edits, (article(7), article(7))))) == []


def test_a_headline_that_is_edited_on_one_page_stays():
    edited = (article(1), article(1).replace("<h1>Report 1", "<h1>Another headline"))
    assert left_out(article(1), volatile(pairs(edited, (article(2), article(2)), (article(3), article(3))))) == []


def test_of_rotating_teasers_one_may_come_again():
    def teasers(*numbers):
        return f"<ul class=more>{''.join(f'<li>Teaser {n} of ours</li>' for n in numbers)}</ul>"

    found = volatile(
        pairs(
            (article(1, end=teasers(*"abcde")), article(1, end=teasers(*"fghij"))),
            (article(2, end=teasers(*"abcde")), article(2, end=teasers(*"afghi"))),
        )
    )
    assert len(left_out(article(9, end=teasers(*"vwxyz")), found)) == 5


def test_a_path_with_texts_that_stand_is_not_left_out():
    """In a list with one new entry, the other entries are the page's own."""

    def news(*words):
        return f"<ul class=news>{''.join(f'<li>News of {word}</li>' for word in words)}</ul>"

    found = volatile(
        pairs(
            *((article(n, end=news("a", "b", "c", "d")), article(n, end=news("new", "a", "b", "c"))) for n in range(3))
        )
    )
    assert left_out(article(9, end=news("x", "y")), found) == []


def test_a_paragraph_among_others_is_told_by_its_number():
    def with_offer(n, text, paragraphs=6):
        parts = [f"<p>Report {n} says in part {i} what was seen.</p>" for i in range(paragraphs)]
        return article(n, paragraphs=0, end="".join([*parts[:2], f"<p>{text}</p>", *parts[2:]]))

    found = volatile(pairs(*((with_offer(n, f"Soap {n}!"), with_offer(n, f"Boats {n}?")) for n in "abc")))
    assert left_out(with_offer("x", "Oars"), found) == ["Oars"]
    assert left_out(with_offer("x", "Oars", paragraphs=3), found) == []  # too short to say where it would be
    two = volatile(pairs(*((with_offer(n, f"Soap {n}!"), with_offer(n, f"Boats {n}?")) for n in "ab")))
    assert left_out(with_offer("x", "Oars"), two) == []


def test_names_are_volatile_anywhere_if_they_are_so_in_two_places():
    def aside(text):
        return f"<section><div class=offer>{text}</div></section>"

    one = [(article(n, f"Soap {n}"), article(n, f"Boats {n}")) for n in "ab"]
    two = [(article(n, end=aside(f"Soap {n}")), article(n, end=aside(f"Boats {n}"))) for n in "cd"]
    elsewhere = "<html><body><div class=offer>Oars</div><p>The rest of the page.</p></body></html>"
    assert left_out(elsewhere, volatile(pairs(*one))) == []
    assert left_out(elsewhere, volatile(pairs(*one, *two))) == ["Oars"]


def test_two_pages_are_no_pair():
    other = "<html><body><p>You must sign in before you go on to read what this page has to say.</p></body></html>"
    assert difference(flat(article(1)), flat(other)) is None
    assert difference(flat("<html><body></body></html>"), flat(article(1))) is None


def test_numbers_of_a_line_do_not_count():
    found = volatile(pairs(*((article(n, views=1000 + n), article(n, views=5000 + n)) for n in range(2))))
    (place,) = found.rows()
    assert place.place == "By Ann, #views"
    assert left_out(article(9, views=77), found) == []
    assert counting(article(9, views=77), found) == {"By Ann, #views"}
    assert without_numbers("Report 9\nBy Ann, 77 views", ["By Ann, #views"]) == "Report 9\nBy Ann, #views"


def test_other_numbers_count():
    found = volatile(pairs(*((article(n, views=1000), article(n, views=5000)) for n in range(2))))
    text = "- 12 boats | 7 oars\nBy Eve, 12 views\n2024"
    assert without_numbers(text, counting(article(9, views=77), found)) == text


def test_numbers_on_a_path_do_not_count_whatever_the_lines_say():
    names = ["Ann", "Eve", "Ida"]
    found = volatile(
        pairs(
            *(
                (article(n, views=1000).replace("Ann", names[n]), article(n, views=2000).replace("Ann", names[n]))
                for n in range(3)
            )
        )
    )
    assert counting(article(9, views=5).replace("Ann", "Zoe"), found) == {"By Zoe, #views"}


def test_a_block_of_a_number_alone_is_left_out():
    def page(n, count):
        return article(n, end=f"<div class=count>{count}</div>")

    found = volatile(pairs(*((page(n, 12), page(n, 345)) for n in range(2))))
    assert left_out(page(9, 7), found) == ["7"]


@pytest.mark.parametrize(
    ("text", "fold"),
    [("1,234 views", "#views"), ("Views: 1'234", "Views: #"), ("vor 3 Minuten", "vor #Minuten"), ("none", "none")],
)
def test_numbers_of_a_line_are_folded(text, fold):
    assert folded(text) == fold


def test_cells_and_items_are_folded_one_by_one():
    assert without_numbers("- read 12 times | 12 boats", ["read #times"]) == "- read #times | 12 boats"


ROWS = rotating(3) + pairs(
    (article(5, views=1), article(5, views=2)), (article(6, "a", views=1), article(6, "b", views=9))
)


def test_the_order_of_pages_does_not_matter():
    made = {str(volatile_record(volatile(rows))) for rows in permutations(ROWS)}
    assert len(made) == 1


def test_records_come_back():
    assert [difference_of(difference_record(row)) for row in ROWS] == ROWS
    found = volatile(ROWS)
    assert found
    assert volatile_of(volatile_record(found)) == found
    refused = found.leaving_nothing_out()
    assert volatile_of(volatile_record(refused)) == refused
    assert refused.with_texts(frozenset({1})) == refused
    assert not refused.paths
    assert volatile_of(None) == VolatileBlocks()


words = st.lists(st.sampled_from(["soap", "boat", "oar", "12", "7"]), min_size=1, max_size=4).map(" ".join)


@given(st.lists(st.tuples(words, words), max_size=6), st.lists(words, min_size=1, max_size=6))
def test_what_stands_on_every_page_is_never_left_out(boxes, texts):
    """The paragraphs and the headline, which are the same in each pair, stay, whatever rotates in the box."""
    found = volatile(
        pairs(*((article(n, one, texts=texts), article(n, other, texts=texts)) for n, (one, other) in enumerate(boxes)))
    )
    out = left_out(article(99, texts=texts), found)
    assert out == []


@given(st.lists(st.tuples(words, words), min_size=1, max_size=6))
def test_no_box_is_left_out_that_never_differs(boxes):
    found = volatile(pairs(*((article(n, one), article(n, one)) for n, (one, _) in enumerate(boxes))))
    assert not found
