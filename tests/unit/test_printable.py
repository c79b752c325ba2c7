import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import PageError
from sitecrawl.printable import visible


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain", "plain"),
        ("größe 数据 🦊 שלום\u200f עולם\u200e!", "größe 数据 🦊 שלום\u200f עולם\u200e!"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("over\rwritten\x08", "over\\rwritten\\x08"),
        ("\x9b31m\x7f\x85", "\\x9b31m\\x7f\\x85"),
        ("a\u202eb\u2066c\u2069\u2028d", "a\\u202eb\\u2066c\\u2069\\u2028d"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_steers_a_terminal_is_written_as_its_code(given_text, shown):
    assert visible(given_text) == shown


@given(st.text(st.characters()))
def test_nothing_that_steers_is_left_and_what_is_shown_is_shown_again(text):
    shown = visible(text)
    assert visible(shown) == shown
    assert all(one.isprintable() or one in "\n\t" or one > "\x9f" for one in shown)
    shown.encode()


def test_the_reason_of_a_page_is_safe_to_show():
    error = PageError("https://a.example/", "not HTML (text/\x1b[2Jplain\u202e)")
    assert str(error) == "https://a.example/: not HTML (text/\\x1b[2Jplain\\u202e)"
    assert error.reason == "not HTML (text/\\x1b[2Jplain\\u202e)"
