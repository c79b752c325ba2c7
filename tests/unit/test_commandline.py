"""Tests of loading and running a command."""

import subprocess
import sys

from sitecrawl.storage.db.engine import open_database

LOADED = """
import gc
usual = gc.get_threshold()
from sitecrawl import commands
assert gc.isenabled() and gc.get_threshold()[0] > usual[0], gc.get_threshold()
from sitecrawl.commandline import run
assert run(["completion", "bash"]) == 0
assert gc.get_threshold() == usual, gc.get_threshold()
"""


def test_garbage_is_collected_less_often_until_a_command_runs(tmp_path):
    line = [sys.executable, "-c", LOADED]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_output_that_is_full_is_one_line(tmp_path):
    open_database(f"sqlite:///{tmp_path}/sitecrawl.db").dispose()
    line = [sys.executable, "-c", "from sitecrawl.cli import main; main()", "search", "harbour"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "sitecrawl: standard output cannot be written (No space left on device)\n"
