"""Readers that hang up before all is written (`| head`): no failure, and nothing more is written to them."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End what is done inside, in silence, when the reader of standard output or standard error hangs up."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()  # what is not buffered (PYTHONUNBUFFERED) would fail again
        drop_unread()


def drop_unread() -> None:
    """Flush both outputs, and send nowhere what a closed pipe does not take: Python would complain at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _to_nowhere(stream.fileno())
        except ValueError:  # a command has closed it
            continue


def drop_output() -> None:
    """Have what is still to be written to standard output go nowhere: its reader has hung up."""
    _to_nowhere(sys.stdout.fileno())


def _to_nowhere(file: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file)
    os.close(nowhere)
