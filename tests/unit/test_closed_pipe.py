"""Run in a process of its own, whose reader has gone."""

import os
import subprocess
import sys

import pytest

BEGIN = "import sys; from sitecrawl.closed_pipe import drop_output, drop_unread, reader_may_leave\n"


def ended(code, *, both=False):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-c", BEGIN + code],
            stdout=writing,
            stderr=writing if both else subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("words", ["'a'", "'a' * 10**6"])
def test_a_reader_that_hangs_up_ends_what_is_written_to_it_and_is_no_failure(words, both):
    done = ended(f"with reader_may_leave():\n print({words})\nprint('more')\ndrop_unread()\nsys.exit(0)", both=both)
    assert (done.returncode, done.stderr or "") == (0, "")


def test_other_failures_are_none_of_its_business():
    done = ended("with reader_may_leave():\n raise KeyError('one')")
    assert done.returncode == 1
    assert "KeyError: 'one'" in done.stderr


def test_output_that_is_dropped_is_written_nowhere():
    done = ended("drop_output()\nprint('more' * 10**6)\nsys.exit(3)")
    assert (done.returncode, done.stderr) == (3, "")


def test_a_stream_that_is_closed_is_passed_over():
    done = ended("sys.stdout = open(1, 'w', closefd=False); sys.stdout.close()\ndrop_unread()")
    assert (done.returncode, done.stderr) == (0, "")
