"""Arguments of the command line."""

import os
from argparse import ArgumentParser

import pytest

from sitecrawl.shell.arguments import add_processes


@pytest.fixture
def parser():
    made = ArgumentParser()
    add_processes(made)
    return made


def test_there_is_one_process_per_core_unless_a_number_is_given(parser):
    assert parser.parse_args([]).processes == os.cpu_count()
    assert parser.parse_args(["--processes", "3"]).processes == 3


@pytest.mark.parametrize("given", ["0", "257", "1.5", "many"])
def test_another_number_of_processes_is_refused(parser, given, capsys):
    with pytest.raises(SystemExit):
        parser.parse_args(["--processes", given])
    assert "it takes a whole number from 1 to 256" in capsys.readouterr().err
