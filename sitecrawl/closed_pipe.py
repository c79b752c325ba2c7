"""Handles readers that close a pipe early (`| head`): this is not a failure, and further output is discarded."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Run a block, and end it silently if the reader of standard output or standard error closes the pipe."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()  # with unbuffered output (PYTHONUNBUFFERED) the next write would fail again
        drop_unread()


def drop_unread() -> None:
    """Flush both outputs, discarding output to a closed pipe, about which Python would complain at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _to_nowhere(stream.fileno())
        except ValueError:  # a command has closed the stream
            continue


def drop_output() -> None:
    """Discard further writes to standard output, whose reader has closed it."""
    _to_nowhere(sys.stdout.fileno())


def _to_nowhere(file: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file)
    os.close(nowhere)
