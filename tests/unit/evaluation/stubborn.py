"""Extraction methods that never return, as another package might add them."""

import os
import time
from pathlib import Path

MODULE = '''
import os
import re
import signal
from collections import deque
from itertools import repeat
from pathlib import Path

from sitecrawl.extractors.base import Extraction


class _Stubborn:
    needs = frozenset()

    def extract(self, page, site=None):
        if page.url.endswith("/1.html"):
            self.stay()
        return Extraction((0,), self.name, 1.0)


class Swallows(_Stubborn):
    """Catches all exceptions, broadly, and begins again."""

    name = "swallows"

    def stay(self):
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue


class SwallowsAll(_Stubborn):
    """Catches what is no exception too."""

    name = "swallows-all"

    def stay(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class SwallowsOnce(_Stubborn):
    """Catches the limit, and then comes back as if nothing had been."""

    name = "swallows-once"

    def stay(self):
        try:
            while True:
                pass
        except BaseException:
            return


class InC(_Stubborn):
    """Is in C code for ever, where no signal is looked at."""

    name = "in-c"

    def stay(self):
        deque(repeat(0), maxlen=0)


class Backtracks(_Stubborn):
    """Has a regular expression that takes exponential time, which looks at signals now and then."""

    name = "backtracks"

    def stay(self):
        re.match("(a+)+$", "a" * 60 + "b")


class Dies(_Stubborn):
    """Ends its process, as a fault in C code does."""

    name = "dies"

    def stay(self):
        os.kill(os.getpid(), signal.SIGSEGV)


class DiesOnce(_Stubborn):
    """Is ended from outside on its first page of all."""

    name = "dies-once"

    def stay(self):
        try:
            Path(__file__).with_name("died").touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


class Exits(_Stubborn):
    """Raises what ends a program."""

    name = "exits"

    def stay(self):
        raise SystemExit(3)


class Unlearnable(_Stubborn):
    """Ends its process where no page is extracted."""

    name = "unlearnable"

    def __init__(self):
        os._exit(4)
'''
CLASSES = ("Swallows", "SwallowsAll", "SwallowsOnce", "InC", "Backtracks", "Dies", "DiesOnce", "Exits", "Unlearnable")
NAMES = ("swallows", "swallows-all", "swallows-once", "in-c", "backtracks", "dies", "dies-once", "exits", "unlearnable")


def install(folder: Path) -> None:
    """Write a package with the methods; processes find it when the folder is on their path."""
    (folder / "stubborn_methods.py").write_text(MODULE)
    about = folder / "stubborn_methods-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stubborn-methods\nVersion: 1.0\n")
    points = "".join(f"{name} = stubborn_methods:{cls}\n" for name, cls in zip(NAMES, CLASSES, strict=True))
    (about / "entry_points.txt").write_text(f"[sitecrawl.extractors]\n{points}")


def ends_slowly(connection, began, plan):
    """A process that hangs up first and ends afterwards."""
    connection.close()
    time.sleep(1)
    os._exit(3)
