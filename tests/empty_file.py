"""Copies of an empty SQLite database with this version's tables: to make the tables takes longer than most tests."""

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
    """Make the file of a SQLite URL if there is none yet; do nothing for another database."""
    path = Path(url.removeprefix(SQLITE))
    if url.startswith(SQLITE) and not path.exists():
        path.write_bytes(_made())
