"""Tests of the drill's table; its cases are run by `make drill`."""

import random

from tests.drill import __main__ as runner
from tests.drill.cases import CASES, ELSEWHERE, Case, Failure, NotPossible, Room


def test_the_whole_catalogue_is_in_the_table():
    catalogue = {f"OP-{number:02d}" for number in range(1, 56)}
    played = {"-".join(name.split("-")[:2]) for name in CASES}
    assert played | set(ELSEWHERE) == catalogue
    assert not played & set(ELSEWHERE)


def raising(error):
    def play(room):
        raise error

    return play


def outcome(play, folder):
    return runner.play(Case("OP-99", "this", "that", play), Room(folder, random.Random(1)))


def test_what_comes_of_a_case(tmp_path, capsys):
    assert outcome(lambda room: "3 of 3", tmp_path) == (runner.PASSED, "3 of 3")
    assert outcome(raising(Failure("2 of 3")), tmp_path) == (runner.FAILED, "2 of 3")
    assert outcome(raising(NotPossible("no root")), tmp_path) == (runner.SKIPPED, "no root")
    assert outcome(raising(KeyError("x")), tmp_path) == (runner.FAILED, "KeyError: 'x'")
    assert "Traceback" in capsys.readouterr().err


def test_a_table_and_a_status(monkeypatch, capsys):
    cases = {
        "OP-98": Case("OP-98", "this", "that", lambda room: "a | b"),
        "OP-99": Case("OP-99", "this", "that", raising(Failure("no"))),
        "OP-99-long": Case("OP-99-long", "this", "that", lambda room: "", long=True),
    }
    monkeypatch.setattr(runner, "CASES", cases)
    assert runner.main(["--only", "OP-98"]) == 0
    assert runner.main([]) == 1
    said = capsys.readouterr().out
    assert "| OP-98 | this | that | passed | a / b |" in said
    assert "1 passed, 1 failed, 0 not possible here" in said
    assert "OP-99-long" not in said
    assert runner.main(["--only", "OP-1"]) == 2
    assert [name for name in cases if runner._chosen(cases[name], ["OP-99"], False)] == ["OP-99", "OP-99-long"]
