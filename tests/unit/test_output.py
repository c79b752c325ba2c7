"""Tests wait for what a process writes, and not for ever."""

import os

import pytest

from tests.output import Output


def test_lines_come_in_order_and_an_end_is_an_empty_line():
    reading, writing = os.pipe()
    os.write(writing, b"one\ntwo\nthree")
    os.close(writing)
    with os.fdopen(reading) as file:
        output = Output(file)
        assert [output.line(), output.rest(), output.line(), output.rest()] == ["one\n", "two\nthree", "", ""]


def test_a_line_that_does_not_come_fails_in_words():
    reading, writing = os.pipe()
    os.write(writing, b"one\nunfinished")
    output = Output(os.fdopen(reading), seconds=0.05)
    try:
        assert Output.line(output) == "one\n"
        with pytest.raises(AssertionError, match=r"no line in 0\.05 s after 'one\\n'"):
            output.line()
    finally:
        os.close(writing)
    assert output.rest() == "unfinished"
