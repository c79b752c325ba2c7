"""One session of pytest that runs the tests of many mutants: it collects them once, and each mutant has a forked process.

First all tests run without a mutant. That shows which tests reach which mutant, and how long each takes. Then each mutant
is switched on in a process of its own, and the tests that reach it run until one fails: those of its own file first, then
the shortest, those of its package before others.
"""

import importlib
import json
import mmap
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from tests.mutation.mutants import PACKAGE, ROOT, SWITCH, UNIT, Mutant, exporters, importers, module_name, switched

PASSED, FAILED = 0, 1
KNOWN, RESULTS = "known.json", "results"
"""Files of what a run without mutants showed, and of (killed, number) of each mutant."""
ARGUMENTS: Final = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header")
ALLOWANCE, FACTOR = 5.0, 10.0
"""Seconds of the processor that a test may take with a mutant: ALLOWANCE and FACTOR times what it takes without one."""
HANG: Final = 15.0
"""Seconds of time that a test may take with a mutant, besides FACTOR times its seconds of the processor."""
OTHERS: Final = 10.0
"""Seconds of the processor of the tests that run for a mutant beside those of its own file: the shortest ones. A test that
takes longer than most is seldom the only one that notices a mutant, and a survivor would cost all of them."""
FIRST: Final = 20
"""Tests that are collected first for a mutant that is imported."""
MOST: Final = 300
"""Tests that run for such a mutant: those of its file and the shortest others. All of them reach a table."""


class Switches:
    """The mutant that is switched on, and those that were reached; processes that tests fork share the latter."""

    def __init__(self, count: int) -> None:
        self.on = -1
        self.count = count
        self.forget()

    def forget(self) -> None:
        """Start a new record. A forked process must call this first, since its records are otherwise shared with others."""
        self.reached = mmap.mmap(-1, self.count)

    def __call__(self, number: int) -> bool:
        """Say whether a mutant is on; note that its place was reached."""
        self.reached[number] = 1
        return self.on == number

    def taken(self) -> set[int]:
        """Return the mutants reached since the last call."""
        noted = self.reached[:]
        self.reached[:] = bytes(len(noted))
        return {number for number, one in enumerate(noted) if one}


class Changed(MetaPathFinder, Loader):
    """Imports some modules from changed source, with a function that answers their switches."""

    def __init__(self, sources: Mapping[str, tuple[Path, Any]], switches: Switches | None) -> None:
        self.sources = sources
        self.switches = switches

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname not in self.sources:
            return None
        return spec_from_loader(fullname, self, origin=str(self.sources[fullname][0]))

    def exec_module(self, module: ModuleType) -> None:
        path, tree = self.sources[module.__name__]
        module.__file__ = str(path)
        module.__dict__[SWITCH] = self.switches
        exec(compile(tree, str(path), "exec"), module.__dict__)


def with_switches(mutants: Sequence[Mutant], switches: Switches) -> Changed:
    """Return the importer of all mutants' modules.

    A mutant without a switch counts as reached where a function of its module runs, or of one that imports from it
    (`importers`); and by the tests of a file that imports it (`named`).
    """
    at: dict[Path, dict[int, Mutant]] = {}
    touches: dict[Path, set[int]] = {}
    for number, one in enumerate(mutants):
        if one.switchable:
            at.setdefault(one.path, {})[number] = one
        else:
            for path in importers(one.path):
                touches.setdefault(path, set()).add(number)
    paths = {*at, *touches}
    sources = {
        module_name(path): (path, switched(path, at.get(path, {}), sorted(touches.get(path, ())))) for path in paths
    }
    return Changed(sources, switches)


@dataclass
class Known:
    """The result of a run without mutants: seconds of the processor by test, and the tests that reach each mutant."""

    seconds: dict[str, float] = field(default_factory=dict)
    reaching: dict[int, list[str]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    heavy: list[str] = field(default_factory=list)
    """Tests that start processes or need PostgreSQL: they run only for the module that their file is named for."""

    def add(self, test: str, seconds: float, passed: bool, reached: Sequence[int]) -> None:
        """Add the result of one test."""
        self.seconds[test] = seconds
        for number in reached:
            self.reaching.setdefault(number, []).append(test)
        if not passed:
            self.failed.append(test)

    def tests(self, number: int, one: Mutant) -> list[str]:
        """Return the tests that run for a mutant, in their order.

        Those of its own file, then the shortest up to `OTHERS`, those in the folder of its package before all others.
        Of its own file also those that did not reach it, at last: what is cached is reached by one test of a process.
        """
        heavy, reaching = set(self.heavy), set(self.reaching.get(number, ()))
        if not reaching:
            return []
        tests = sorted(reaching, key=lambda test: (not is_beside(test, one.path), self.seconds[test]))
        found = [test for test in tests if is_own(test, one.path)]
        found += sorted(
            (test for test in self.seconds if test not in reaching and is_own(test, one.path)),
            key=self.seconds.__getitem__,
        )
        used = 0.0
        for test in tests:
            if test in heavy or is_own(test, one.path):
                continue
            used += self.seconds[test]
            if used > OTHERS:
                break
            found.append(test)
        return found


def is_own(test: str, path: Path) -> bool:
    """Return whether a test is in a file named after a module."""
    stem = Path(test.partition("::")[0]).stem
    return stem == f"test_{path.stem}" or stem.startswith(f"test_{path.stem}_")


def is_beside(test: str, path: Path) -> bool:
    """Say whether a test is in the folder of the tests of a module's package."""
    return ROOT / Path(test.partition("::")[0]).parent == UNIT / path.parent.relative_to(PACKAGE)


def is_heavy(item: Any) -> bool:
    """Say whether a test starts processes or needs PostgreSQL."""
    if item.get_closest_marker("processes") or {"postgres_server", "postgres_url"} & set(item.fixturenames):
        return True
    return is_on_postgresql(item)


def is_on_postgresql(item: Any) -> bool:
    """Say whether a test runs on PostgreSQL what it also runs on SQLite."""
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("database_url") == "postgresql"


def knows_databases(path: Path) -> bool:
    """Return whether a module treats PostgreSQL and SQLite differently; others need tests on only one of them."""
    text = path.read_text()
    return "postgresql" in text or "dialect" in text


class Session:
    """A plugin of pytest that runs the collected tests for each mutant, instead of once."""

    def __init__(
        self, mutants: Sequence[Mutant], switches: Switches, workers: int, folder: Path, *, only_reach: bool
    ) -> None:
        self.mutants = mutants
        self.only_reach = only_reach
        self.switches = switches
        self.workers = workers
        self.folder = folder
        self.known = Known()
        self._items: dict[str, Any] = {}
        self._failed = False
        self._shared: dict[object, set[int]] = {}
        self._outside: set[int] = set()
        self._named: dict[Path, set[int]] = {}

    # Hooks of pytest

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out tests that start processes or need PostgreSQL, but for those of a mutant's file that may differ."""
        items[:] = [item for item in items if not is_heavy(item) or self._is_own(item)]

    def _is_own(self, item: Any) -> bool:
        modules = {one.path for one in self.mutants if is_own(item.nodeid, one.path)}
        return any(not is_on_postgresql(item) or knows_databases(one) for one in modules)

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run all tests without a mutant, then those of each mutant that has a switch. Pytest's own loop does not run."""
        self._items = {item.nodeid: item for item in session.items}
        self._run_all()
        if session.testsfailed or self.known.failed:
            session.shouldfail = f"tests fail without a mutant: {', '.join(self.known.failed)}"
            return True
        if self.only_reach:
            return True
        switchable = [number for number, one in enumerate(self.mutants) if one.switchable]
        run_each(switchable, self.mutants, self.known, self.workers, self.folder, self._run_reaching)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note that a test failed."""
        self._failed = self._failed or report.failed

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Note what the set-up of a fixture reaches that several tests share: each of them reaches it."""
        if fixturedef.scope == "function":
            return (yield)
        self._outside |= self.switches.taken()
        made = yield
        self._shared[fixturedef] = self.switches.taken()
        return made

    # Runs

    def _run_all(self) -> None:
        """Run all tests without a mutant, in some processes that share out the files."""
        files = sorted({item.path for item in self._items.values()})
        self._named = named(files, self.mutants)
        following = multiprocessing.get_context("fork").Value("i", 0)
        logs = [self.folder / f"all-{worker}.json" for worker in range(self.workers)]
        for log in logs:
            if not os.fork():
                self.switches.forget()
                with ending(log.with_suffix(".log")), log.open("w") as lines:
                    while (number := _take(following)) < len(files):
                        for item in (item for item in self._items.values() if item.path == files[number]):
                            lines.write(json.dumps(self._measured(item)) + "\n")
        for _ in logs:
            os.wait()
        for log in logs:
            for line in log.read_text().splitlines():
                self.known.add(*json.loads(line))
        self.known.heavy = [test for test, item in self._items.items() if is_heavy(item)]
        self.known.failed += [test for test in self._items if test not in self.known.seconds]
        (self.folder / KNOWN).write_text(json.dumps(asdict(self.known)))

    def _measured(self, item: Any) -> tuple[str, float, bool, list[int]]:
        """Run one test; return its name, its CPU seconds, whether it passed, and the mutants that it reached."""
        self._outside = set()
        self.switches.taken()
        began = time.process_time()
        passed = self._passes(item)
        reached = self.switches.taken() | self._outside | self._named[item.path]
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            reached.update(*(self._shared.get(one, ()) for one in definitions))
        return item.nodeid, time.process_time() - began, passed, sorted(reached)

    def _passes(self, item: Any) -> bool:
        self._failed = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self._failed

    def _run_reaching(self, number: int, tests: Sequence[str], killer: Path) -> int:
        """Run tests with a mutant on in a process, until one fails; write its name to a file. Return the process id."""
        if pid := os.fork():
            return pid
        with ending(killer.with_suffix(".log")):
            self.switches.on = number
            for test in tests:
                killer.write_text(test)
                allow(self.known.seconds[test])
                self._items[test].add_marker(pytest.mark.timeout(waits(self.known.seconds[test])))
                if not self._passes(self._items[test]):
                    os._exit(FAILED)
            killer.unlink(missing_ok=True)
        raise AssertionError("not reached")


class Alone:
    """A plugin of pytest that runs some tests in their order until one fails, for one mutant or none."""

    def __init__(self, tests: Sequence[str], known: Known, killer: Path) -> None:
        self.tests = tests
        self.known = known
        self.killer = killer

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Put the tests in their order."""
        places = {test: place for place, test in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])
        for item in items:
            item.add_marker(pytest.mark.timeout(waits(self.known.seconds[item.nodeid])))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test runs, in case it ends the process."""
        self.killer.write_text(nodeid)
        allow(self.known.seconds[nodeid])


def run_imported(mutants: Sequence[Mutant], known: Known, number: int, tests: Sequence[str], killer: Path) -> int:
    """Run tests in a forked process that imports a changed module, until one fails; return the process id.

    It writes the name of the test that fails to a file.
    """
    if pid := os.fork():
        return pid
    with ending(killer.with_suffix(".log")):
        if number >= 0:
            one = mutants[number]
            sys.meta_path.insert(0, Changed({one.module: (one.path, one.tree())}, None))
        for part in (tests[:FIRST], tests[FIRST:MOST]):  # most mutants need a few test files only
            files = dict.fromkeys(test.partition("::")[0] for test in part)
            status = pytest.main([*ARGUMENTS, "-x", *files], plugins=[Alone(part, known, killer)]) if part else 0
            if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                os._exit(FAILED)
        killer.unlink(missing_ok=True)
    raise AssertionError("not reached")


def run_at_import(mutants: Sequence[Mutant]) -> set[int]:
    """Return those of the mutants with a switch that the import of their modules reaches: a call builds a constant."""
    switches = Switches(len(mutants))
    if not (pid := os.fork()):
        with ending(Path(os.devnull)):
            sys.meta_path.insert(0, with_switches(mutants, switches))
            for one in mutants:
                importlib.import_module(one.module)
    os.waitpid(pid, 0)
    return switches.taken()


def run_switched(
    mutants: Sequence[Mutant], files: Sequence[Path], workers: int, folder: Path, *, only_reach: bool = False
) -> Known:
    """Run the tests without a mutant, then those of each mutant with a switch; return what the first run showed.

    With `only_reach` the mutants are not run.
    """
    if not os.fork():
        switches = Switches(len(mutants))
        sys.meta_path.insert(0, with_switches(mutants, switches))
        session = Session(mutants, switches, workers, folder, only_reach=only_reach)
        pytest.main([*ARGUMENTS, *map(str, files)], plugins=[session])
        sys.stdout.flush()
        os._exit(PASSED)
    os.wait()
    if not (folder / KNOWN).exists():
        return Known(failed=["the session"])
    seen = json.loads((folder / KNOWN).read_text())
    return Known(**{**seen, "reaching": {int(number): tests for number, tests in seen["reaching"].items()}})


def named(files: Sequence[Path], mutants: Sequence[Mutant]) -> dict[Path, set[int]]:
    """Return, for each test file, the mutants without a switch whose module it imports."""
    wanted = {
        number: [line for path in exporters(one.path) for line in imports(module_name(path))]
        for number, one in enumerate(mutants)
        if not one.switchable
    }
    texts = {path: path.read_text() for path in files}
    return {
        path: {number for number, lines in wanted.items() if any(line in text for line in lines)}
        for path, text in texts.items()
    }


def imports(module: str) -> tuple[str, ...]:
    """Return the beginnings of lines that import from a module, or the module itself."""
    package, _, name = module.rpartition(".")
    return f"from {module} import", f"from {package} import {name}", f"import {module}"


def _take(following: Any) -> int:
    with following.get_lock():
        following.value += 1
        return int(following.value) - 1


def waits(seconds: float) -> int:
    """Return the seconds after which a test that takes some of the processor without a mutant waits for ever with one."""
    return int(HANG + FACTOR * seconds)


def allow(seconds: float) -> None:
    """End this process, but not its children, after a multiple of the CPU seconds that a test takes."""
    signal.setitimer(signal.ITIMER_PROF, ALLOWANCE + FACTOR * seconds)


@contextmanager
def ending(log: Path) -> Iterator[None]:
    """Write the output of this process to a file, and end the process after the block: status 0, or FAILED."""
    status = FAILED
    try:
        with log.open("w") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        yield
        status = PASSED
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def run_each(
    numbers: Sequence[int],
    mutants: Sequence[Mutant],
    known: Known,
    workers: int,
    folder: Path,
    start: Callable[[int, Sequence[str], Path], int],
) -> None:
    """Run the tests that reach each mutant, some mutants at once. Print what killed each; write it to RESULTS.

    A test that killed a mutant is run once without one (number -1): if that fails too, the mutant survives.
    """
    waiting, running = list(numbers), {}
    sound: dict[str, bool] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            number = waiting.pop(0)
            pid = start(number, known.tests(number, mutants[number]), folder / f"{number}.killer")
            running[pid] = number, time.monotonic()
        pid, status = os.wait()
        if pid not in running:
            continue
        number, began = running.pop(pid)
        killer, killed = folder / f"{number}.killer", status != 0
        said = "SURVIVED" if known.reaching.get(number) else "SURVIVED: no test reaches it"
        if killed:
            test = killer.read_text() if killer.exists() else ""
            said = f"killed by {test.removeprefix('tests/unit/') or 'the import'}"
            if test and test not in sound:
                sound[test] = os.waitpid(start(-1, [test], folder / "alone.killer"), 0)[1] == 0
            if not sound.get(test, True):
                killed, said = False, said + ", WHICH FAILS WITHOUT IT TOO"
        with (folder / RESULTS).open("a") as results:
            print(int(killed), number, file=results)
        print(f"{time.monotonic() - began:5.1f} s  {mutants[number]}  {said}", flush=True)
