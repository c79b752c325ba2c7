"""The table of times against page size, on tiny pages."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "linear.py"


def test_one_command_prints_a_table_a_shape():
    arguments = ["--methods", "cnr,temex", "--shapes", "siblings,depth", "--scale", "0.002"]
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "| siblings | 25 | 50 | 100 | 200 | 400 | ratio | growth |" in lines
    names = [line.split(" | ")[0] for line in lines if line.startswith("| `")]
    known = ["| `temex`, site known", "| `temex`, equality siblings, site known"]
    assert names == 2 * ["| `cnr`", "| `cnr`, site known", *known]
    assert "| depth | 2 | 4 | ratio | growth |" in lines  # each size once, though the scale rounds several to 2


def test_growth_is_the_exponent_between_the_ends_that_were_measured():
    spec = importlib.util.spec_from_file_location("linear", SCRIPT)
    linear = sys.modules["linear"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(linear)
    assert linear.growth((10, 20, 40), [1.0, 2.0, 4.0]) == pytest.approx(1)
    assert linear.growth((10, 20, 40), [1.0, 4.0, None]) == pytest.approx(2)
    assert linear.ratio((10, 20, 40), [1.0, 4.0, None]) == "4 for 2"
    assert linear.growth((10, 20), [1.0, None]) is None
