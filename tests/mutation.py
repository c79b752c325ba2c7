"""Changes one thing at a time in the package, at random, and looks whether a unit test fails.

    python -m tests.mutation --seed 7 --count 40 --packages crawl middlewares pipelines storage

A mutant is one changed operator, constant, condition, return value or statement of one module. It is compiled from the
changed syntax tree in a forked process, so no file is written and other processes never see it. The unit tests that run
are those of the mutant's package, until the first failure: the tests of its own module first; then all others, without
PostgreSQL and without those that start processes (`chosen_tests`). A mutant whose tests take LIMIT seconds of the processor counts as
killed: it loops. A test that killed a mutant is run once without one, and counts only if it passes then. Survivors are
printed; the exit status is 0 when at least BAR of the mutants were killed.
"""

import argparse
import ast
import copy
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "sitecrawl"
UNIT: Final = ROOT / "tests" / "unit"
BAR: Final = 0.9
LIMIT: Final = 300
"""Seconds of the processor that the tests of one mutant may take."""
PASSED, FAILED, NO_TESTS = 0, 1, 5
"""Exit statuses of pytest that mean what they say of a mutant; any other is a failure too: it cannot be imported."""
COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In},
}
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr},
}
QUIET: Final = ("logger.", "logging.", "super().__init__")
"""Statements that may be dropped without a change of behaviour that a unit test should look at."""


class Mutant(NamedTuple):
    """One change of one module."""

    path: Path
    line: int
    change: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """The name by which the module is imported."""
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts)

    def __str__(self) -> str:
        """Return where it is, and what it changes."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change}"


# Mutants ----------------------------------------------------------------------------------------------------------


def places(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield (index of the node, which change) of all changes of a module; a node is known by its place in a walk."""
    skipped = _skipped(tree)
    for index, node in enumerate(ast.walk(tree)):
        if id(node) not in skipped:
            known = range(len(changes(node)))
            # a number is as likely as anything else: one more or one less, by its place
            yield from ((index, which) for which in known if not _is_number(node) or which == index % 2)


def _skipped(tree: ast.Module) -> set[int]:
    """Return the nodes that are no behaviour: annotations, docstrings, imports, protocols, what mypy alone sees."""
    found: set[int] = set()

    def skip(node: ast.AST | None) -> None:
        if node is not None:
            found.update(map(id, ast.walk(node)))

    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            skip(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            skip(node.returns)
        elif _is_no_behaviour(node):
            skip(node)
    return found


def _is_no_behaviour(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.ClassDef():
            return any(ast.unparse(base).startswith("Protocol") for base in node.bases)
        case ast.If():
            return ast.unparse(node.test) in ("TYPE_CHECKING", "not TYPE_CHECKING")
        case ast.Expr():
            return ast.unparse(node).startswith(QUIET)
    return False


def changes(node: ast.AST) -> list[tuple[str, ast.AST]]:
    """Return the changes of a node: what each is called, and the node that stands in its place."""
    found: list[tuple[str, ast.AST]] = []

    def add(new: ast.AST) -> None:
        ast.copy_location(new, node)
        found.append((f"{_brief(node)}  ->  {_brief(new)}", ast.fix_missing_locations(new)))

    match node:
        case ast.Compare(ops=[one]) if type(one) in COMPARISONS:
            add(ast.Compare(node.left, [COMPARISONS[type(one)]()], node.comparators))
        case ast.BoolOp():
            add(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            new = copy.copy(node)
            new.op = ARITHMETIC[type(node.op)]()
            add(new)
        case ast.UnaryOp(op=ast.Not()):
            add(copy.copy(node.operand))
        case ast.Constant(value=bool(value)):
            add(ast.Constant(not value))
        case ast.Constant(value=int(value)):
            add(ast.Constant(value + 1))
            add(ast.Constant(value - 1))
        case ast.If() | ast.While() | ast.IfExp():
            new = copy.copy(node)
            new.test = ast.UnaryOp(ast.Not(), node.test)
            add(new)
        case ast.Return(value=value) if value is not None and not _is_none(value):
            add(ast.Return(ast.Constant(None)))
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.Continue() | ast.Break():
            add(ast.Pass())
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Delete():
            add(ast.Pass())
    if isinstance(node, ast.AugAssign):
        add(ast.Pass())
    return found


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _brief(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        node = node.test
    return ast.unparse(node).splitlines()[0][:90]


def mutant(path: Path, index: int, which: int) -> Mutant:
    """Return a change of a module."""
    tree = ast.parse(path.read_text())
    chosen = list(ast.walk(tree))[index]
    change, new = changes(chosen)[which]

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is chosen else self.generic_visit(node)

    line: int = getattr(chosen, "lineno", 0)
    return Mutant(path, line, change, Put().visit(tree))


def drawn(packages: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """Return mutants drawn at random from all places of some packages; each place is as likely as any other."""
    found = []
    for package in packages:
        for path in sorted([PACKAGE / package] if package.endswith(".py") else (PACKAGE / package).rglob("*.py")):
            if path.name != "__init__.py":
                found += [(path, *place) for place in places(ast.parse(path.read_text()))]
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    return [mutant(*one) for one in chosen]


# Tests ------------------------------------------------------------------------------------------------------------


def chosen_tests(path: Path) -> list["Chosen"]:
    """Return the tests that matter to a module: its own, then the others of its package.

    Where no file is named for it, its own tests are those that import it, or else those of its folder.
    """
    inner = path.relative_to(PACKAGE)
    files = sorted((UNIT / inner.parts[0]).rglob("test_*.py"))
    own = [one for one in files if one.stem == f"test_{path.stem}" or one.stem.startswith(f"test_{path.stem}_")]
    if not own:
        name = ".".join(("sitecrawl", *inner.with_suffix("").parts))
        own = [one for one in sorted(UNIT.rglob("test_*.py")) if f"from {name} import" in one.read_text()]
    if not own:
        own = sorted((UNIT / inner.parent).glob("test_*.py"))
    rest = [one for one in files if one not in own]
    return [one for one in (Chosen(own), Chosen(rest, light=True)) if one.files]


class Chosen(NamedTuple):
    """Test files to run."""

    files: list[Path]
    light: bool = False
    """Whether tests that start processes or need PostgreSQL are left out."""


class _Light:
    """A plugin of pytest that leaves out tests that start processes or need PostgreSQL."""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [one for one in items if not self._is_heavy(one)]

    @staticmethod
    def _is_heavy(item: Any) -> bool:
        if item.get_closest_marker("processes") or {"postgres_server", "postgres_url"} & set(item.fixturenames):
            return True
        call = getattr(item, "callspec", None)
        return call is not None and "postgresql" in call.params.values()


class _First:
    """A plugin of pytest that notes the first test that fails."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.path.exists():
            self.path.write_text(report.nodeid)


class _Mutated(MetaPathFinder, Loader):
    """Imports one module from a changed syntax tree."""

    def __init__(self, one: Mutant) -> None:
        self.mutant = one

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self.mutant.module:
            return None
        return spec_from_loader(fullname, self, origin=str(self.mutant.path))

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self.mutant.path)
        code: CodeType = compile(self.mutant.tree, str(self.mutant.path), "exec")
        exec(code, module.__dict__)


class Run(NamedTuple):
    """A process that runs the tests of one mutant, or of none."""

    number: int
    stage: int
    began: float


def preload() -> None:
    """Import what tests need and no mutant changes, so that each forked process begins with it."""
    import importlib

    for name in (
        *("pytest", "_pytest.main", "hypothesis", "hypothesis.strategies", "sqlalchemy.dialects.sqlite", "psycopg"),
        *("sqlalchemy.dialects.postgresql", "alembic.command", "scrapy.http", "scrapy.utils.test", "lxml.html", "nh3"),
        *("feedparser", "tldextract", "yaml", "brotli", "zstandard"),
    ):
        importlib.import_module(name)


def start(one: Mutant | None, chosen: Chosen, log: Path, test: str = "") -> int:
    """Run tests, or one of them, in a forked process with one mutant; return its process id. It exits with pytest's status."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    status = FAILED
    try:
        with log.open("w") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)  # ends this process, and is not handed to those that tests start
        if one is not None:
            sys.meta_path.insert(0, _Mutated(one))
        import pytest

        arguments = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header"]
        plugins = [_First(log.with_suffix(".test")), *([_Light()] if chosen.light else [])]
        status = int(pytest.main([*arguments, *([test] if test else map(str, chosen.files))], plugins=plugins))
    finally:
        sys.stdout.flush()
        os._exit(status)


def run(mutants: Sequence[Mutant], workers: int, folder: Path) -> list[Mutant]:
    """Return the mutants that all tests passed."""
    waiting = [(number, 0) for number in range(len(mutants))]
    running: dict[int, Run] = {}
    survivors: list[Mutant] = []
    sound: dict[str, bool] = {}
    ended = 0
    while waiting or running:
        while waiting and len(running) < workers:
            number, stage = waiting.pop(0)
            chosen = chosen_tests(mutants[number].path)[stage]
            pid = start(mutants[number], chosen, folder / f"{number}.log")
            running[pid] = Run(number, stage, time.monotonic())
        pid, status = os.wait()
        if pid not in running:
            continue
        number, stage, began = running.pop(pid)
        one, code = mutants[number], os.waitstatus_to_exitcode(status)
        if code in (PASSED, NO_TESTS):
            if stage + 1 < len(chosen_tests(one.path)):
                waiting.insert(0, (number, stage + 1))
                continue
            survivors.append(one)
            said = "SURVIVED"
        else:
            named = folder / f"{number}.test"
            test = named.read_text() if named.exists() else ""
            said = f"killed by {test.removeprefix('tests/unit/') or 'a loop or an import that fails'}"
            if test and not passes(test, folder, sound):
                said += ", WHICH FAILS WITHOUT IT TOO"
                survivors.append(one)
        ended += 1
        print(f"{ended:3}/{len(mutants)} {time.monotonic() - began:5.1f} s  {one}  {said}", flush=True)
    return survivors


def passes(test: str, folder: Path, known: dict[str, bool]) -> bool:
    """Say whether a test passes without a mutant."""
    if test not in known:
        _, status = os.waitpid(start(None, Chosen([]), folder / "alone.log", test), 0)
        (folder / "alone.test").unlink(missing_ok=True)
        known[test] = os.waitstatus_to_exitcode(status) == PASSED
    return known[test]


def baseline(packages: Sequence[str], folder: Path) -> bool:
    """Run the light tests of each package without a mutant; say whether all pass, and how long they take."""
    good = True
    for package in packages:
        began, log = time.monotonic(), folder / f"{package.replace('/', '.')}.log"
        files = sorted((UNIT / package.split("/")[0]).rglob("test_*.py"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _, status = os.waitpid(start(None, Chosen(files, light=True), log), 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        passed = os.waitstatus_to_exitcode(status) == PASSED
        print(
            f"{package}: {len(files)} test files {'pass' if passed else 'FAIL'} in {time.monotonic() - began:.0f} s,"
            f" {seconds:.0f} s of the processor",
            flush=True,
        )
        if not passed:
            print(log.read_text(errors="replace")[-3000:])
            good = False
    return good


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
    parser.add_argument("--no-baseline", action="store_true", help="do not run the tests without a mutant first")
    given = parser.parse_args(arguments)
    seed = random.randrange(10**6) if given.seed is None else given.seed
    mutants = drawn(given.packages, given.count, seed)
    print(f"seed {seed}, {len(mutants)} mutants of {', '.join(given.packages)}", flush=True)
    if given.list:
        print(*mutants, sep="\n")
        return 0
    os.chdir(ROOT)
    preload()
    folder = Path(tempfile.mkdtemp(prefix="sitecrawl-mutation-"))
    shared = Path(tempfile.mkdtemp(prefix="sitecrawl-tests-"))  # one PostgreSQL server for all (tests/conftest.py)
    os.environ["SITECRAWL_TEST_SHARED"] = str(shared)
    try:
        if not given.no_baseline and not baseline(given.packages, folder):
            return 2
        survivors = run(mutants, given.workers, folder)
    finally:
        from tests.conftest import stop_server

        if (shared / "url").exists():
            stop_server(shared)
        for one in (folder, shared):
            shutil.rmtree(one, ignore_errors=True)
    killed = len(mutants) - len(survivors)
    print(f"{killed} of {len(mutants)} killed (seed {seed}); survivors:", *(survivors or ["none"]), sep="\n  ")
    return 0 if killed >= BAR * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
