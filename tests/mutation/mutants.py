"""Random changes of single places of the code, and modules that can switch them on and off."""

import ast
import copy
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "sitecrawl"
UNIT: Final = ROOT / "tests" / "unit"
SWITCH: Final = "__mutant__"
"""The name, in a module with switches, of the function that returns whether a mutant is active."""
COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In},
}
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr},
}
QUIET: Final = ("logger.", "spider.logger.", "self.crawler.spider.logger.", "logging.", "super().__init__")
"""Statements that may be dropped without a change of behaviour that a unit test should check."""
UNSEEN: Final = frozenset(("slots",))
"""Arguments that only change memory use: a dataclass works the same without slots."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module: its place, as the index of the node in a walk, and which of the node's changes."""

    path: Path
    index: int
    which: int
    line: int
    change: str
    switchable: bool
    """Whether the place runs when a function is called. Others run at the import of the module."""

    @property
    def module(self) -> str:
        """The name by which the module is imported."""
        return module_name(self.path)

    def tree(self) -> ast.Module:
        """Return the changed module."""
        tree = ast.parse(self.path.read_text())
        node = list(ast.walk(tree))[self.index]
        new = changes(node)[self.which][1]

        class Put(ast.NodeTransformer):
            def visit(self, one: ast.AST) -> ast.AST:
                return new if one is node else self.generic_visit(one)

        changed: ast.Module = Put().visit(tree)
        return changed

    def __str__(self) -> str:
        """Return where it is, and what it changes."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change}"


def module_name(path: Path) -> str:
    """Return the name by which a module is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


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
    """Return the nodes that are no behaviour: annotations, docstrings, imports, protocols, slots, types."""
    found: set[int] = set()

    def skip(node: ast.AST | None) -> None:
        if node is not None:
            found.update(map(id, ast.walk(node)))

    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            skip(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            skip(node.returns)
        elif _is_no_behaviour(node) or (isinstance(node, ast.keyword) and node.arg in UNSEEN):
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
    """Return the changes of a node: a description of each, and the node that replaces it."""
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
    nodes, switchable = _parsed(path)
    node = nodes[index]
    change, _ = changes(node)[which]
    return Mutant(path, index, which, getattr(node, "lineno", 0), change, id(node) in switchable)


@lru_cache(maxsize=8)
def _parsed(path: Path) -> tuple[list[ast.AST], set[int]]:
    """Return the nodes of a module, and which of them run when a function is called."""
    tree = ast.parse(path.read_text())
    return list(ast.walk(tree)), _in_functions(tree)


def _in_functions(tree: ast.Module) -> set[int]:
    """Return the statements and expressions that run when a function is called. Patterns of `match` have no switch."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update(id(one) for statement in node.body for one in ast.walk(statement))
        elif isinstance(node, ast.Lambda):
            found.update(map(id, ast.walk(node.body)))
    for node in ast.walk(tree):
        if isinstance(node, ast.pattern):
            found.difference_update(map(id, ast.walk(node)))
    return found


def drawn(packages: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """Return mutants drawn at random from all places of some packages; each place is as likely as any other."""
    found = []
    for package in packages:
        for path in sorted([PACKAGE / package] if package.endswith(".py") else (PACKAGE / package).rglob("*.py")):
            if path.name != "__init__.py":
                found += [(path, *place) for place in places(ast.parse(path.read_text()))]
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    made = {one: mutant(*one) for one in sorted(chosen)}
    return [made[one] for one in chosen]


# Switches ---------------------------------------------------------------------------------------------------------


def switched(path: Path, mutants: Mapping[int, Mutant], touches: Collection[int] = ()) -> ast.Module:
    """Return a module with a switch at each of the mutants of it that are switchable, by their numbers.

    A changed expression becomes `changed if __mutant__(n) else original`, a changed statement an `if` of the same form:
    so the module notes what is reached, and behaves as mutant n where that one is on. Each function first calls
    `__mutant__` with each number of `touches`.
    """
    tree = ast.parse(path.read_text())
    nodes = list(ast.walk(tree))
    at: dict[int, list[tuple[int, Mutant]]] = {}
    for number, one in mutants.items():
        at.setdefault(id(nodes[one.index]), []).append((number, one))

    class Switch(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            changed = [(number, copy.deepcopy(changes(node)[one.which][1])) for number, one in at.get(id(node), ())]
            new: ast.AST = self.generic_visit(node)
            if isinstance(new, ast.FunctionDef | ast.AsyncFunctionDef):
                start = _docstring(new)
                new.body[start:start] = [ast.Expr(_asked(touch)) for touch in touches]
            for number, other in changed:
                if isinstance(new, ast.expr) and isinstance(other, ast.expr):
                    new = ast.copy_location(ast.IfExp(_asked(number), other, new), new)
                else:
                    assert isinstance(new, ast.stmt) and isinstance(other, ast.stmt)
                    new = ast.copy_location(ast.If(_asked(number), [other], [new]), new)
            return new

    made: ast.Module = ast.fix_missing_locations(Switch().visit(tree))
    return made


def _asked(number: int) -> ast.expr:
    return ast.Call(ast.Name(SWITCH, ast.Load()), [ast.Constant(number)], [])


def _docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return where the statements after the docstring begin."""
    first = function.body[0]
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant))


def exporters(path: Path) -> list[Path]:
    """Return a module, and the modules without functions that import names from it or from another of these."""
    found = [path]
    for one in found:  # which grows
        found += [other for other in _importing(one) if other not in found and "def " not in other.read_text()]
    return found


def importers(path: Path) -> list[Path]:
    """Return the modules in which names of a module are used: itself, and those that import from it or `exporters`."""
    return list(
        dict.fromkeys((path, *(one for exporter in exporters(path) for one in (exporter, *_importing(exporter)))))
    )


def _importing(path: Path) -> list[Path]:
    wanted = f"from {module_name(path)} import"
    return [one for one in sorted(PACKAGE.rglob("*.py")) if wanted in one.read_text()]
