from types import SimpleNamespace

import pytest

from sitecrawl import stats
from sitecrawl.spiders import machine_warnings
from sitecrawl.spiders.machine_warnings import CLOCK_TOLERANCE, warn_of_machine


class Machine:
    """A spider and its crawl, which record their messages and settings."""

    def __init__(self, *, clock_back=0.0, extension="auto"):
        self.said, self.set = [], {}
        logger = SimpleNamespace(warning=lambda text, *values: self.said.append(text % values))
        counted = SimpleNamespace(set_value=self.set.__setitem__)
        scope, config = SimpleNamespace(key="example.org"), SimpleNamespace(extension=extension)
        crawl = SimpleNamespace(clock_back=clock_back, scope=scope, config=config)
        warn_of_machine(SimpleNamespace(logger=logger, crawler=SimpleNamespace(stats=counted)), crawl)


@pytest.fixture
def flatten(monkeypatch):
    """Replace the choice of the twin; return a function that makes it."""

    def choose(*, is_compiled, problem=None):
        monkeypatch.setattr(machine_warnings, "flatten", SimpleNamespace(is_compiled=is_compiled, problem=problem))

    choose(is_compiled=True)
    return choose


def test_a_good_machine_is_not_warned_of(flatten):
    one = Machine(clock_back=CLOCK_TOLERANCE)
    assert (one.said, one.set) == ([], {})


def test_a_clock_that_was_set_back_is_named_with_the_site(flatten):
    one = Machine(clock_back=CLOCK_TOLERANCE + 1)
    assert one.said == ["example.org: the clock of this machine is 61 s behind the start of the last crawl; check it"]
    assert one.set == {stats.CLOCK_SET_BACK: 61}


@pytest.mark.parametrize(("problem", "extension", "warned"), [("no compiler", "auto", 1), ("no compiler", "off", 0), (None, "auto", 0)])  # fmt: skip
def test_columns_made_in_python_are_warned_of_unless_they_were_asked_for(flatten, problem, extension, warned):
    flatten(is_compiled=False, problem=problem)
    one = Machine(extension=extension)
    assert (len(one.said), one.set) == (warned, {stats.FLATTEN_REFERENCE: 1})
