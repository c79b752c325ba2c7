"""Copies of an empty SQLite database with this version's tables, since creating the tables is slower than most tests."""

import tempfile
from functools import cache
from pathlib import Path

from sitecrawl.storage.db.engine import open_database

SQLITE = "sqlite:///"


@cache
def _made() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "empty.db")
        open_database(f"{SQLITE}{path}").dispose()
        return path.read_bytes()


def make_empty(url: str) -> None:
    """Create the file of a SQLite URL if it does not exist; do nothing for another database."""
    path = Path(url.removeprefix(SQLITE))
    if url.startswith(SQLITE) and not path.exists():
        path.write_bytes(_made())
