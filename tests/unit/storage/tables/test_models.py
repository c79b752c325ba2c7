import re
from pathlib import Path

from sitecrawl.storage.tables.models import Base

SCHEMA = Path(__file__).parents[4] / "docs" / "schema.md"


def test_every_table_and_column_is_described():
    described = {}
    for section in SCHEMA.read_text().split("\n## ")[1:]:
        cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        described[section.split("\n")[0]] = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert described == {name: set(table.columns.keys()) for name, table in Base.metadata.tables.items()}
