"""Makes one random change at a time in the package, and checks whether a unit test fails.

    python -m tests.mutation --seed 7 --count 40 --packages crawl middlewares pipelines storage

A mutant is one changed operator, constant, condition, return value or statement of one module. All mutants are compiled
into one copy of the package, each behind a switch (`mutants.py`); a forked process switches one on and runs the tests that
reach it (`session.py`). What runs at the import of a module has no switch: such a mutant is imported in a process of its
own. No file is written, and other processes never see a mutant.

The tests are the unit tests of the packages, and those that import a module without a test file. Tests that need PostgreSQL
or start processes run only for a mutant of the module that their file is named for. Survivors are printed; the exit status
is 0 when at least BAR of the mutants were killed, 2 when the tests fail without a mutant.
"""

import argparse
import importlib
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from tests.mutation.mutants import ROOT, UNIT, Mutant, drawn, module_name
from tests.mutation.session import RESULTS, Known, is_own, run_at_import, run_each, run_imported, run_switched

BAR: Final = 0.9


def chosen_files(mutants: Sequence[Mutant]) -> list[Path]:
    """Return the files of the tests that may notice a mutant: those of its package, or that import its module.

    The latter are looked for only where no file is named for the module.
    """
    found: set[Path] = set()
    for path in {one.path for one in mutants}:
        files = list((UNIT / path.relative_to(ROOT / "sitecrawl").parts[0]).rglob("test_*.py"))
        found.update(files)
        if not any(is_own(str(one), path) for one in files):
            wanted = f"from {module_name(path)} import"
            found.update(one for one in UNIT.rglob("test_*.py") if wanted in one.read_text())
    return sorted(found)


def preload() -> None:
    """Import what tests need and no mutant changes, so that each forked process begins with it."""
    for name in (
        *("pytest", "_pytest.main", "hypothesis", "hypothesis.strategies", "sqlalchemy.dialects.sqlite", "psycopg"),
        *("sqlalchemy.dialects.postgresql", "alembic.command", "scrapy.http", "scrapy.utils.test", "lxml.html", "nh3"),
        *("feedparser", "tldextract", "yaml", "brotli", "zstandard"),
    ):
        importlib.import_module(name)


def seen_without(mutants: Sequence[Mutant], workers: int, folder: Path, *, only_reach: bool) -> Known | None:
    """Run the tests without a mutant, then with each that has a switch, unless `only_reach`.

    Return what the first run showed, or None where tests fail without a mutant.
    """
    files = chosen_files(mutants)
    known = run_switched(mutants, files, workers, folder, only_reach=only_reach)
    print(f"{len(known.seconds)} tests of {len(files)} files take {sum(known.seconds.values()):.0f} s of the processor")
    if known.failed:
        print("these fail without a mutant:", *known.failed, sep="\n  ")
        return None
    return known


def survivors(mutants: Sequence[Mutant], workers: int, folder: Path, *, only_reach: bool) -> list[Mutant] | None:
    """Return the mutants that no test noticed, or with `only_reach` reached; None where tests fail without a mutant."""
    early = run_at_import(mutants)
    mutants = [replace(one, switchable=one.switchable and number not in early) for number, one in enumerate(mutants)]
    known = seen_without(mutants, workers, folder, only_reach=only_reach)
    if known is None:
        return None
    if only_reach:
        return [one for number, one in enumerate(mutants) if not known.reaching.get(number)]
    imported = [number for number, one in enumerate(mutants) if not one.switchable]
    run_each(imported, mutants, known, workers, folder, partial(run_imported, mutants, known))
    results = [line.split() for line in (folder / RESULTS).read_text().splitlines()]
    return [mutants[int(number)] for killed, number in results if killed == "0"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; return 0 when enough mutants were killed, 1 when not, 2 when the tests fail without a mutant."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=None, help="default: a new one, which is printed")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument(
        "--packages",
        nargs="+",
        default=["crawl", "middlewares", "pipelines", "storage"],
        help="packages or modules below sitecrawl/",
    )
    parser.add_argument("--workers", type=int, default=2, help="processes at once")
    parser.add_argument("--list", action="store_true", help="only show the mutants")
    parser.add_argument("--reach", action="store_true", help="only show the mutants whose places no test reaches")
    given = parser.parse_args(arguments)
    seed = random.randrange(10**6) if given.seed is None else given.seed
    mutants = drawn(given.packages, given.count, seed)
    print(f"seed {seed}, {len(mutants)} mutants of {', '.join(given.packages)}", flush=True)
    if given.list:
        print(*mutants, sep="\n")
        return 0
    os.chdir(ROOT)
    preload()
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="sitecrawl-mutation-"))
    shared = Path(tempfile.mkdtemp(prefix="sitecrawl-tests-"))  # one PostgreSQL server for all (tests/conftest.py)
    os.environ["SITECRAWL_TEST_SHARED"] = str(shared)
    try:
        survived = survivors(mutants, given.workers, folder, only_reach=given.reach)
    finally:
        if (shared / "url").exists():
            importlib.import_module("tests.conftest").stop_server(shared)
        for one in (folder, shared):
            shutil.rmtree(one, ignore_errors=True)
    if survived is None:
        return 2
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    killed = len(mutants) - len(survived)
    print(
        f"{killed} of {len(mutants)} {'reached' if given.reach else 'killed'} (seed {seed}) in {time.monotonic() - began:.0f} s,"
        f" {used.ru_utime + used.ru_stime:.0f} s of the processor; the others:",
        *(survived or ["none"]),
        sep="\n  ",
    )
    return 0 if killed >= BAR * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
