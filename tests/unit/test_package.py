"""The installed package has the same files as the checkout."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOL = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_is_installed():
    folders = [*ROOT.glob("sitecrawl/**/__init__.py"), *ROOT.glob("migrations/**/__init__.py")]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in folders}
    found = {f"sitecrawl.{name}" if name.startswith("migrations") else name for name in found}
    assert set(TOOL["packages"]) == found


def test_every_data_file_is_installed():
    data = TOOL["package-data"]
    folders = {name: ROOT / folder for name, folder in TOOL["package-dir"].items()}
    named = {
        folders.get(package, ROOT / package.replace(".", "/")) / pattern
        for package, patterns in data.items()
        for pattern in patterns
    }
    files = {
        path
        for folder in ("sitecrawl", "migrations")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "cache" not in str(path) and path.suffix not in (".py", ".pyc", ".so", ".c")
    }
    assert files == named
