"""A database with several learned sites."""

from pathlib import Path

import sitecrawl
from sitecrawl.storage.db.engine import open_database, session_scope
from tests.unit.api.pages import html


def store(path: Path, *hosts: str) -> str:
    """Learn a site for each host into one database; return its URL."""
    engine = open_database(f"sqlite:///{path}")
    for host in hosts:
        site = sitecrawl.learn((f"https://{host}/notes/{number}.html", html(number)) for number in range(1, 6))
        with session_scope(engine) as session:
            site._store(session)
    engine.dispose()
    return f"sqlite:///{path}"
