"""Tests of the tool that changes the code at random."""

import ast
import os
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.mutation import mutants
from tests.mutation.__main__ import chosen_files
from tests.mutation.mutants import PACKAGE, SWITCH, changes, drawn, exporters, importers, mutant, places, switched
from tests.mutation.session import Known, Switches, is_heavy, knows_databases, named

CODE = '''
"""A module."""
from typing import TYPE_CHECKING, Protocol
if TYPE_CHECKING:
    import os
class Seen(Protocol):
    """No behaviour."""
    def see(self) -> int: return 1
def decide(a: int = 0, *, b: bool = False) -> int | None:
    """Say."""
    if a < 1 and not b:
        return a + 2
    logger.info("said %s", 3)
    shown.append(a)
    self.x = 5
    total += 1
    raise ValueError("no")
'''


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(CODE)
    return path


def test_each_change_changes_one_thing_and_can_be_compiled(module):
    found = [mutant(module, *place) for place in places(ast.parse(CODE))]
    plain = ast.unparse(ast.parse(CODE))
    texts = [ast.unparse(one.tree()) for one in found]
    assert plain not in texts
    assert len(set(texts)) == len(texts)
    for one in found:
        compile(one.tree(), "module.py", "exec")
        assert one.line > 0


def test_what_is_changed(module):
    said = {mutant(module, *place).change for place in places(ast.parse(CODE))}
    assert {"a < 1  ->  a <= 1", "a < 1 and (not b)  ->  a < 1 or not b", "not b  ->  b"} <= said
    assert {"return a + 2  ->  return None", "a + 2  ->  a - 2", "False  ->  True"} <= said
    assert {"shown.append(a)  ->  pass", "self.x = 5  ->  pass", "total += 1  ->  total -= 1"} <= said
    assert {"total += 1  ->  pass", "raise ValueError('no')  ->  pass"} <= said
    assert not [one for one in said if "logger" in one or "import os" in one or "TYPE_CHECKING" in one]


@pytest.mark.parametrize(("number", "becomes"), [(0, {1, -1}), (7, {8, 6})])
def test_a_number_becomes_one_more_or_one_less(number, becomes):
    assert {ast.literal_eval(new) for _, new in changes(ast.Constant(number))} == becomes


def test_a_seed_draws_the_same_changes_again():
    first, again, other = (list(map(str, drawn(["pipelines"], 5, seed))) for seed in (1, 1, 2))
    assert first == again != other


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    path = tmp_path / "half.py"
    path.write_text(
        "LEAST = 1\n"
        "def half(value, least=LEAST):\n"
        '    """Return half of it."""\n'
        "    if value > least:\n"
        "        value = value // (1 + 1)\n"
        "    return value\n"
    )
    return path


def numbered(path):
    return dict(enumerate(mutant(path, *place) for place in places(ast.parse(path.read_text()))))


def test_what_runs_in_a_function_has_a_switch(package):
    found = {one.change: one.switchable for one in numbered(package).values()}
    assert found["value > least  ->  value >= least"]
    assert found["return value  ->  return None"]
    assert not found["1  ->  2"] or not found["1  ->  0"]  # LEAST


def test_a_pattern_has_no_switch(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    path = tmp_path / "pattern.py"
    path.write_text("def name(value):\n    match value:\n        case 1:\n            return 'one'\n")
    assert [one.switchable for one in numbered(path).values() if one.line == 3] == [False]
    compile(switched(path, {n: one for n, one in numbered(path).items() if one.switchable}), "pattern.py", "exec")


def test_a_module_with_switches_behaves_as_the_mutant_that_is_on(package):
    with_switch = {number: one for number, one in numbered(package).items() if one.switchable}
    switches, module = Switches(len(numbered(package))), {}
    module[SWITCH] = switches
    exec(compile(switched(package, with_switch), "half.py", "exec"), module)
    switches.taken()
    values = (0, 1, 2, 3, 8)
    plain = {}
    exec(package.read_text(), plain)
    assert [module["half"](value) for value in values] == [plain["half"](value) for value in values]
    assert switches.taken() == set(with_switch)
    assert switches.taken() == set()
    module["half"](0)  # never comes to the division
    assert {with_switch[number].line for number in switches.taken()} == {4, 6}
    for number, one in with_switch.items():
        alone = {}
        exec(compile(one.tree(), "half.py", "exec"), alone)
        switches.on = number
        assert [run(module["half"], value) for value in values] == [run(alone["half"], value) for value in values]


def run(function, value):
    try:
        return function(value)
    except ZeroDivisionError:
        return "by zero"


def test_a_process_notes_for_those_that_it_forks_and_not_for_others():
    switches = Switches(3)
    pid = os.fork()
    if not pid:
        switches(1)
        switches.forget()
        switches(2)
        os._exit(0)
    os.waitpid(pid, 0)
    assert switches.taken() == {1}


def test_each_function_notes_that_it_runs_for_mutants_of_the_import(package):
    switches, module = Switches(3), {}
    module[SWITCH] = switches
    exec(compile(switched(package, {}, [2]), "half.py", "exec"), module)
    assert switches.taken() == set()
    assert module["half"].__doc__ == "Return half of it."
    module["half"](5)
    assert switches.taken() == {2}


def test_modules_that_import_from_a_module_may_show_its_mutants():
    found = importers(PACKAGE / "crawl" / "frontier.py")
    assert found[0] == PACKAGE / "crawl" / "frontier.py"
    assert PACKAGE / "crawl" / "crawl_state.py" in found[1:]


def test_names_of_a_module_are_used_where_another_one_exports_them():
    tables = PACKAGE / "storage" / "tables"
    assert exporters(tables / "pages.py")[:1] == [tables / "pages.py"]
    assert tables / "models.py" in exporters(tables / "pages.py")
    assert PACKAGE / "storage" / "contents.py" in importers(tables / "pages.py")
    assert exporters(PACKAGE / "crawl" / "frontier.py") == [PACKAGE / "crawl" / "frontier.py"]


def test_the_tests_of_a_mutant_are_those_that_reach_it_its_own_and_the_shortest_first():
    one = next(one for one in drawn(["crawl/frontier.py"], 1, 1))
    known = Known()
    own, quick, slow = (f"tests/unit/crawl/{name}.py::test" for name in ("test_frontier", "test_site", "test_visits"))
    known.add(slow, 2.0, True, [0])
    known.add(own, 1.0, True, [0, 1])
    known.add(quick, 0.5, True, [0])
    known.add("tests/unit/crawl/test_digest.py::test", 0.1, True, [1])
    assert known.tests(0, one) == [own, quick, slow]
    assert known.tests(7, one) == []
    assert not known.failed


def test_a_test_that_fails_without_a_mutant_is_named():
    known = Known()
    known.add("tests/unit/test_x.py::test", 1.0, False, [])
    assert known.failed == ["tests/unit/test_x.py::test"]


def test_a_module_that_is_imported_by_its_name_is_found(tmp_path):
    (tmp_path / "test_a.py").write_text("from sitecrawl.storage.tables import indexes\n")
    (tmp_path / "test_b.py").write_text("from sitecrawl.storage.tables.indexes import X\n")
    (tmp_path / "test_c.py").write_text("from sitecrawl.storage.tables import models\n")
    (one,) = drawn(["storage/tables/indexes.py"], 1, 1)
    found = named(sorted(tmp_path.iterdir()), [replace(one, switchable=False)])
    assert [sorted(numbers) for numbers in found.values()] == [[0], [0], []]


def test_the_tests_that_run_are_those_of_the_package_and_those_that_import_the_module():
    files = chosen_files(drawn(["storage/records.py"], 1, 1))  # no file is named for it
    assert {"test_contents.py", "test_fields.py"} <= {one.name for one in files}
    assert mutants.UNIT / "crawl" / "test_frontier.py" not in files


@pytest.mark.parametrize(("name", "knows"), [("db/prepared.py", True), ("contents.py", False)])
def test_a_module_that_names_a_database_is_tested_on_both(name, knows):
    path = PACKAGE / "storage" / name
    assert knows_databases(path) is knows


@pytest.mark.parametrize(
    ("params", "needs"),
    [({"database_url": "postgresql"}, True), ({"database_url": "sqlite"}, False), ({"database": "postgresql"}, False)],
)
def test_a_test_that_only_names_postgresql_needs_no_server(params, needs):
    item = SimpleNamespace(callspec=SimpleNamespace(params=params), fixturenames=[], get_closest_marker=lambda _: None)
    assert is_heavy(item) is needs


def test_the_tests_of_a_module_run_first_and_others_as_long_as_there_is_time():
    seconds = {"test_a.py::slow": 30.0, "test_b.py::short": 1.0, "test_b.py::long": 8.0, "test_b.py::longest": 25.0}
    known = Known(
        {**seconds, "test_c.py::heavy": 0.1, "test_a.py::heavy": 2.0}, heavy=["test_c.py::heavy", "test_a.py::heavy"]
    )
    known.reaching[3] = list(known.seconds)
    one = SimpleNamespace(path=PACKAGE / "crawl" / "a.py")
    assert known.tests(3, one) == ["test_a.py::heavy", "test_a.py::slow", "test_b.py::short", "test_b.py::long"]


def test_tests_of_the_same_folder_run_before_others():
    names = [
        "tests/unit/crawl/test_b.py::quick",
        "tests/unit/storage/tables/test_models.py::slow",
        "tests/unit/ui/test_c.py::x",
    ]
    known = Known(dict(zip(names, (0.1, 2.0, 0.2), strict=True)))
    known.reaching[0] = names
    one = SimpleNamespace(path=PACKAGE / "storage" / "tables" / "pages.py")
    assert known.tests(0, one) == [names[1], names[0], names[2]]


def test_slots_are_no_behaviour(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    path = tmp_path / "value.py"
    path.write_text("@dataclass(frozen=True, slots=True)\nclass Value:\n    pass\n")
    assert [one.change for one in numbered(path).values()] == ["True  ->  False"]
