"""Tests that the docs describe everything the code has, and nothing else."""

import ast
import inspect
import re
import tomllib
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import sitecrawl
from sitecrawl import stats
from sitecrawl.config import PREFIX, Config
from sitecrawl.extractors.base import extractor_class, extractor_names

DOCS = Path(__file__).parents[2] / "docs"
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def test_every_setting_is_documented_with_its_default():
    rows = dict(re.findall(r"^\| `(SITECRAWL_\w+)` \| ([^|]+?) \|", (DOCS / "settings.md").read_text(), re.MULTILINE))
    expected = {}
    for field in fields(Config):
        default = "none" if field.default in (None, (), "") else field.default
        default = ",".join(default) if isinstance(default, tuple) else default
        expected[PREFIX + field.name.upper()] = f"{default:g}" if isinstance(default, float) else str(default)
    assert {name: default.strip("`") for name, default in rows.items()} == expected


def test_every_dependency_is_justified():
    text = (DOCS / "dependencies.md").read_text()
    project = (DOCS.parent / "pyproject.toml").read_text().split("[project.scripts]")[0]
    names = re.findall(r'^\s+"([a-z0-9-]+)(?:\[\w+\])?>=', project.split("test = [")[0], re.MULTILINE)
    assert len(names) > 10
    assert [name for name in names if name not in text] == []


def test_every_stat_is_documented_and_used():
    documented = set(
        re.findall(r"^\| `(sitecrawl/[\w/]+?)(?:/[A-Z]+)?` \|", (DOCS / "stats.md").read_text(), re.MULTILINE)
    )
    defined = {name: value for name, value in vars(stats).items() if name.isupper() and name != "PREFIX"}
    assert set(defined.values()) == documented
    source = "\n".join(path.read_text() for path in (DOCS.parent / "sitecrawl").rglob("*.py") if path.stem != "stats")
    assert [name for name in defined if f"stats.{name}" not in source] == []


def test_every_command_is_documented():
    text = (DOCS / "commands.md").read_text()
    commands = {path.stem for path in (DOCS.parent / "sitecrawl" / "commands").glob("[a-z]*.py")}
    assert set(re.findall(r"^\| `(\w+)", text, re.MULTILINE)) == commands


def test_every_extraction_method_is_documented():
    text = (DOCS / "extractors.md").read_text()
    assert set(re.findall(r"^## `([\w-]+)`", text, re.MULTILINE)) == set(extractor_names())
    for name in extractor_names():
        section = text.split(f"## `{name}`")[1].split("\n## ")[0]
        options = inspect.signature(extractor_class(name)).parameters
        assert [option for option in options if f"`{option}" not in section] == [], name


def test_every_page_of_the_docs_can_be_reached_from_the_readme():
    readme = (DOCS.parent / "README.md").read_text()
    assert [path.name for path in DOCS.glob("*.md") if f"docs/{path.name}" not in readme] == []


def test_no_reference_leads_outside_the_repository():
    outside = (
        "RELIA" + "BILITY",
        "ALGO" + "RITHMS",
        "ARCHI" + "TECTURE",
        "DECI" + "SIONS",
        "MEASURE" + "MENTS",
        "ECO" + "SYSTEM",
    )
    names = re.compile(rf"\b(?:{'|'.join(outside)})\b")
    root = DOCS.parent
    folders = (root / name for name in ("sitecrawl", "docs", "tests", "migrations", "benchmarks", "training"))
    suffixes = {".py", ".pyi", ".pyx", ".pxd", ".md", ".toml"}
    found = (path for folder in folders for path in folder.rglob("*") if "node_modules" not in path.parts)
    files = [path for path in found if path.suffix in suffixes] + [*root.glob("*.md")]
    assert len(files) > 400
    found = [f"{path}: {match[0]}" for path in files for match in names.finditer(path.read_text())]
    assert found == []


def test_links_and_modules_named_by_the_docs_exist():
    root = DOCS.parent
    pages = [*DOCS.glob("*.md"), root / "README.md", root / "CONTRIBUTING.md"]
    links = [(page, to) for page in pages for to in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text())]
    assert [(page.name, to) for page, to in links if not (page.parent / to).exists()] == []
    path = re.compile(r"(?<![\w/.])((?:[a-z_]+/)+[a-z0-9_]+\.(?:pyx|py|json|toml|md))\b")
    maps = [DOCS / "architecture.md", DOCS / "glossary.md"]
    named = [(page.name, name) for page in maps for name in path.findall(page.read_text())]
    assert len(named) > 40
    assert [one for one in named if not (root / one[1]).exists() and not (root / "sitecrawl" / one[1]).exists()] == []


def test_the_changelog_has_the_version_that_is_installed():
    text = (DOCS.parent / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert versions[0] == sitecrawl.__version__
    heading = ""
    for line in text.splitlines():
        heading = line if line.startswith("#") else heading
        assert not line.startswith("- ") or heading in {"## [Unreleased]", *(f"### {one}" for one in KINDS)}, line
    assert tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]["version"] == sitecrawl.__version__


def test_long_modules_say_why():
    modules = {path: path.read_text() for path in (DOCS.parent / "sitecrawl").rglob("*.py")}
    long = {path.name: text for path, text in modules.items() if text.count("\n") > 300}
    silent = [
        name for name, text in long.items() if not re.search("Over 300 lines:|Longer than other modules:", text[:1500])
    ]
    assert silent == []


def test_no_function_is_long():
    long, count = [], 0
    for path in (DOCS.parent / "sitecrawl").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                count += 1
                if node.end_lineno - node.lineno >= 60:
                    long.append(f"{path.name}: {node.name}")
    assert count > 3000
    assert long == []


def test_every_docstring_of_a_constant_is_right_below_it():
    stray, count = [], 0
    for path in (DOCS.parent / "sitecrawl").rglob("*.py"):
        body = ast.parse(path.read_text()).body
        for above, node in pairwise(body):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                count += 1
                if not isinstance(above, ast.Assign | ast.AnnAssign):
                    stray.append(f"{path.name}: {node.lineno}")
    assert count > 1000
    assert stray == []
