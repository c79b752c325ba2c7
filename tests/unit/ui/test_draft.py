import pytest

from sitecrawl.errors import InputError
from sitecrawl.ui.draft import Draft, finished
from sitecrawl.ui.override_files import Correction

START = Draft("/correct")


def test_further_blocks_are_the_same_until_something_else_is_said():
    first = START.clicked(3, "").called("include")
    assert first.address == "/correct?row=3&act=include"
    second = first.clicked(5, ".a").at(4)
    assert second.address == "/correct?row=4&act=include&also=.a"
    never = second.called("exclude")
    assert (never.row, never.act, never.also, never.before) == (4, "exclude", "", (Correction("include", ".a"),))
    third = never.clicked(9, ".b")
    assert third.called("exclude") == third
    again = third.called("include")
    assert (again.also, again.before) == (".a", (Correction("exclude", ".b"),))


def test_a_block_inside_the_content_is_taken_out_and_the_next_one_too():
    added = START.clicked(3, "").called("include")
    out = added.taken_out(5, ".log")
    assert (out.row, out.act, out.also, out.before) == (5, "exclude", "", (Correction("include", ".log"),))
    assert out.clicked(7, "h3").also == "h3"
    assert out.called("title").before == (Correction("include", ".log"),)
    assert out.called("include").also == ".log"


def test_a_title_is_kept_when_something_else_is_corrected_too():
    title = START.clicked(3, "").called("title")
    assert title.clicked(4, "h1").also == ""
    more = title.another("h1")
    assert (more.row, more.act, more.lines) == (None, None, "title h1")
    assert more.clicked(7, "").called("published").before == (Correction("title", "h1"),)
    assert more.without(Correction("title", "h1")) == START
    assert more.another("") == more


def test_what_is_finished_is_read_from_the_address_again():
    made = (Correction("include", "ul > li"), Correction("exclude", "//meta/@content[.]"))
    with pytest.raises(InputError):
        finished(Draft("/", before=made).lines)  # an attribute is no part of the text
    assert finished("include ul > li\r\nexclude h3", "forum") == (
        Correction("include", "ul > li", "forum"),
        Correction("exclude", "h3", "forum"),
    )
    assert finished("") == ()
