import re
import subprocess
import sys
from pathlib import Path

from sitecrawl.storage.tables.models import METADATA

SCHEMA = Path(__file__).parents[4] / "docs" / "schema.md"


def test_every_table_and_column_is_described():
    described = {}
    for section in SCHEMA.read_text().split("\n## ")[1:]:
        cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        described[section.split("\n")[0]] = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert described == {name: {column.name for column in table.columns} for name, table in METADATA.tables.items()}


def test_the_orm_is_not_loaded():
    script = "import sys, sitecrawl.storage.tables.models; print('sqlalchemy.orm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "False\n"
