"""What the code has, the docs say, and the other way round."""

import re
from dataclasses import fields
from pathlib import Path

from sitecrawl.config import PREFIX, Config

DOCS = Path(__file__).parents[2] / "docs"


def test_every_setting_is_documented_with_its_default():
    rows = dict(re.findall(r"^\| `(SITECRAWL_\w+)` \| ([^|]+?) \|", (DOCS / "settings.md").read_text(), re.MULTILINE))
    expected = {}
    for field in fields(Config):
        default = "none" if field.default in (None, ()) else field.default
        expected[PREFIX + field.name.upper()] = f"{default:g}" if isinstance(default, float) else str(default)
    assert {name: default.strip("`") for name, default in rows.items()} == expected


def test_every_dependency_is_justified():
    text = (DOCS / "dependencies.md").read_text()
    project = (DOCS.parent / "pyproject.toml").read_text().split("[project.scripts]")[0]
    names = re.findall(r'^\s+"([a-z0-9-]+)(?:\[\w+\])?>=', project.split("test = [")[0], re.MULTILINE)
    assert len(names) > 10
    assert [name for name in names if name not in text] == []
