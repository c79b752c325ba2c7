import re
from importlib import metadata
from pathlib import Path

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.shell.versions import FLOORS, check_versions

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


@pytest.fixture(autouse=True)
def not_checked_yet():
    check_versions.cache_clear()
    yield
    check_versions.cache_clear()


def installed(monkeypatch, versions):
    plain = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: versions.get(name) or plain(name))


def test_what_is_installed_here_is_new_enough():
    check_versions()


@pytest.mark.parametrize(
    ("name", "version"),
    [("scrapy", "2.18.9"), ("twisted", "26.3.0"), ("lxml", "5.10"), ("protego", "0.6.1"), ("brotli", "1.1.0")],
)
def test_what_is_older_is_named_with_the_cure(monkeypatch, name, version):
    installed(monkeypatch, {name: version})
    with pytest.raises(ConfigError, match=rf"{name} {re.escape(version)} is older than .*pip install --upgrade"):
        check_versions()


@pytest.mark.parametrize("version", ["2.19", "2.19.0rc1", "2.20", "3.0", "10.1"])
def test_newer_ones_pass(monkeypatch, version):
    installed(monkeypatch, {"scrapy": version})
    check_versions()


def test_what_is_missing_is_not_too_old(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    check_versions()


def test_the_project_asks_for_the_same():
    text = PROJECT.read_text()
    for name, floor in FLOORS.items():
        if name != "brotli":
            assert re.search(rf'"{name}>={re.escape(floor)}[,"]', text), name
