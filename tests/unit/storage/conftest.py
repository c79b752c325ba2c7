"""Fixtures of the tests of the repositories."""

import pytest

from sitecrawl.storage.db.engine import session_scope


@pytest.fixture
def session(engine):
    """A session of one transaction."""
    with session_scope(engine) as session:
        yield session
