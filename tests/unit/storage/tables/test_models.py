import re
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from sitecrawl.storage.tables import indexes
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
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300).stdout == "False\n"
    )


def lines(made):
    """Return the columns and constraints of each table that an SQL script creates, without their order."""
    found = {}
    for statement in made.split(";\n"):
        plain = re.sub(r"--[^\n]*", "", statement).strip()
        plain = re.sub(r"AS IDENTITY( \([^)]*\))?", "AS IDENTITY", plain)
        head, _, rest = plain.partition("\n")
        if head.startswith("CREATE TABLE"):
            body, _, options = re.sub(r"DEFAULT '(\w+)'(::[a-z ]+?(?= NOT|,|$))?", r"DEFAULT \1", rest).rpartition(")")
            parts = re.split(r",\s+(?![^(]*\))", body.strip())
            found[head.split()[2].strip('"')] = {" ".join(part.split()) for part in parts} | {options.strip()}
    return found


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_the_tables_are_those_that_the_migrations_make(database):
    """Other tests compare the statements for a new database with the migrations."""
    dialect = {"sqlite": sqlite, "postgresql": postgresql}[database].dialect()
    made = [str(CreateTable(table).compile(dialect=dialect)) for table in METADATA.tables.values()]
    script = lines((SCHEMA.parents[1] / "migrations" / f"schema_{database}.sql").read_text())
    for name, columns in lines(";\n".join(made)).items():
        assert columns == script[name], name


def plain(index):
    """Return SQL on one line, without the parentheses that PostgreSQL adds to conditions."""
    head, where, condition = " ".join(index.split()).partition(" WHERE ")
    return head + where + re.sub(r"[()]", "", condition)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_the_indexes_are_those_that_the_migrations_make(database):
    assert indexes.__doc__  # its import adds them to the tables
    dialect = {"sqlite": sqlite, "postgresql": postgresql}[database].dialect()
    ours = {
        plain(str(CreateIndex(index).compile(dialect=dialect)))
        for table in METADATA.tables.values()
        for index in table.indexes
    }
    statements = (SCHEMA.parents[1] / "migrations" / f"schema_{database}.sql").read_text().split(";")
    assert ours == {plain(one) for one in statements if re.search(r"CREATE (UNIQUE )?INDEX", one)}
