"""Tests of the tool that changes the code at random."""

import ast

import pytest

from tests import mutation
from tests.mutation import changes, chosen_tests, drawn, mutant, places

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
    texts = [ast.unparse(one.tree) for one in found]
    assert plain not in texts
    assert len(set(texts)) == len(texts)
    for one in found:
        compile(one.tree, "module.py", "exec")
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


def test_the_tests_of_a_module_come_first():
    own, rest = chosen_tests(mutation.PACKAGE / "crawl" / "frontier.py")
    assert [one.name for one in own.files] == ["test_frontier.py"]
    assert (own.light, rest.light) == (False, True)
    assert "test_learning.py" in {one.name for one in rest.files}
