"""The commands behind the figures of the docs: each is named, can be built, and some run on golden pages."""

import argparse
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.utils.project import get_project_settings

from sitecrawl.commands import evaluate

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "figures.py"
DOCS = "\n".join((ROOT / "docs" / name).read_text() for name in ("evaluation.md", "papers.md"))
SMALL = ["--", "--sites", "harbour-notes,stary-park", "--limit", "1", "--jobs", "1", "--no-timing"]


@pytest.fixture(scope="module")
def figures():
    spec = importlib.util.spec_from_file_location("figures", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_docs_name_every_figure_and_no_other(figures):
    named = re.findall(r"figures?\.py SITES ([\w-]+)", DOCS) + re.findall(r"figure `([\w-]+)`", DOCS)
    assert set(named) - {"NAME"} == set(figures.FIGURES)


def test_every_command_can_be_built(figures):
    command = evaluate.Command()
    command.settings = get_project_settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    for name in figures.FIGURES:
        opts = parser.parse_args(figures.command(name, "SITES")[2:])
        rows = evaluate._rows(opts)
        assert rows, name
        assert evaluate._against(opts, rows) in (None, *rows)


def test_figures_are_made_on_golden_pages():
    names = ["selection", "fastce", "sampled-nodes"]
    line = [sys.executable, SCRIPT, ROOT / "tests" / "golden", *names, *SMALL]
    done = subprocess.run(line, capture_output=True, text=True, timeout=500, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^  ([a-z-]+(?: \w+=\S+)*)  .* 0$", done.stdout, re.MULTILINE)
    assert rows.count("webconex selection=random") == 1
    assert rows.count("fastce preparation=counted") == 2  # after 5 pages, and after all
    assert {"temex", "iwptd", "rbm-td", "rtdm-td", "sst", "webconex"} <= set(rows)
    assert "noise" in done.stdout


def test_unknown_figures_are_named():
    done = subprocess.run([sys.executable, SCRIPT, "x", "nonsense"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 2 and "no figure 'nonsense'; there are recorded, " in done.stderr
