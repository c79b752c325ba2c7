"""Defines cases. A case is a small function with an action and an expectation; a Failure describes a difference."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Failure(Exception):
    """The result differs from the expected one."""


class NotPossible(Exception):
    """The case cannot be played on this machine."""


@dataclass(frozen=True, slots=True)
class Room:
    """The stage of a case: an empty folder, a random generator, and a folder of recorded sites if one is given."""

    folder: Path
    random: random.Random
    recorded: Path | None = None


Play = Callable[[Room], str]


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the table. `play` returns the figures that were seen."""

    name: str
    done: str
    expected: str
    play: Play
    long: bool = False
    """Whether it runs only if requested by name or with SOAK=1."""


CASES: dict[str, Case] = {}
ELSEWHERE: dict[str, str] = {}
"""Cases of the catalogue that cannot be run, with the reasons."""


def case(name: str, done: str, expected: str, *, long: bool = False) -> Callable[[Play], Play]:
    """Register a case, named as in the catalogue of operational cases."""

    def register(play: Play) -> Play:
        assert name not in CASES, name
        CASES[name] = Case(name, done, expected, play, long)
        return play

    return register


def tested(name: str, done: str, expected: str, *nodes: str) -> None:
    """Register a case that is played by tests of the project."""

    def play(room: Room) -> str:
        options = ["-q", "-p", "no:cacheprovider", "-m", "", "--basetemp", str(room.folder / "pytest")]
        said = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *nodes], cwd=ROOT, capture_output=True, text=True, timeout=900
        )
        last = said.stdout.strip().splitlines()[-1] if said.stdout.strip() else said.stderr[-300:]
        check(said.returncode == 0, f"pytest: {last}")
        return (
            re.sub(r" in [\d.]+s.*", "", last.strip("= ")) + ": " + ", ".join(sorted({_file(node) for node in nodes}))
        )

    case(name, done, expected)(play)


def _file(node: str) -> str:
    return node.partition("::")[0].removeprefix("tests/")


def check(good: object, differs: str) -> None:
    """Raise Failure unless `good`."""
    if not good:
        raise Failure(differs)


def need(program: str) -> str:
    """Return the path of a program. Raises NotPossible."""
    found = shutil.which(program)
    if found is None:
        raise NotPossible(f"there is no program {program} here")
    return found


def need_root() -> None:
    """Raise NotPossible unless the drill runs as root, which mounting needs."""
    if os.geteuid() != 0:
        raise NotPossible("mounting needs root")


def terminate(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    """End a process that a case started and that may be over already."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()
