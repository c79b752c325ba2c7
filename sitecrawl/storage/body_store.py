"""Keeps the bodies of pages in the database (the default), in a folder, or in any storage that fsspec supports.

A row of `body` contains the compressed body itself, or the name of a file outside the database. A file is written
before its row is committed, under a name that is never reused. So a committed row always refers to a complete file, and
a transaction that is rolled back damages no other. A file without a row is an orphan; `sitecrawl database prune-bodies`
deletes orphans. The name contains a digest of the file, so damage is detected.
"""

import hashlib
import re
import secrets
from typing import Final, Protocol

from sqlalchemy import Engine

from sitecrawl.errors import DamagedBodyError, DatabaseLostError, StorageError
from sitecrawl.storage.body_files import PART, SETTING, Files, files_of

OPTION: Final = "sitecrawl_body_store"
"""Execution option of an engine: its body store."""
MARK: Final = b"sitecrawl-body:"
"""Prefix of a row that refers to a file. A compressed body begins with the magic number of zstd instead."""
DIGEST: Final = 32
"""Number of hexadecimal digits of the digest in a file name."""
NO_STORE: Final = f"the bodies of this database are in a body store; name it with {SETTING}"
FOLDERS: Final = 1000
"""Number of top-level folders of a store, so that a million sites are not in one folder."""
_NAME: Final = re.compile(r"\d{3}/\d+/[0-9a-f]{32}-[0-9a-f]{16}")


class BodyStore(Protocol):
    """Keeps compressed bodies."""

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Store a body of a site durably; return the value for its row. Raises DatabaseLostError."""
        ...

    def read(self, held: bytes) -> bytes:
        """Return the body of a row.

        Raises DamagedBodyError if it is missing or damaged, DatabaseLostError if the store cannot be read, and
        StorageError if no store is set.
        """
        ...


class InRow:
    """Keeps each body in its row."""

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Return the body itself, which is stored in the row."""
        return body

    def read(self, held: bytes) -> bytes:
        """Return the body. Raises StorageError if it is in a store, and none is set."""
        if held.startswith(MARK):
            raise StorageError(NO_STORE)
        return held


class Outside:
    """Keeps each body in a file, with its name in the row. Rows that are older than the store contain their bodies."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Write the body to a new file; return the reference for its row. Raises DatabaseLostError."""
        name = f"{site_id % FOLDERS:03}/{site_id}/{_digest(body)}-{secrets.token_hex(8)}"
        try:
            self.files.write(name, body)
        except OSError as error:
            raise self._unreachable(error) from error
        return MARK + name.encode()

    def read(self, held: bytes) -> bytes:
        """Return the body of a row. Raises DamagedBodyError if it is missing or damaged, and DatabaseLostError."""
        if not held.startswith(MARK):
            return held
        name = named(held)
        if name is None:
            raise DamagedBodyError("the stored body has no valid name; crawl the site again")
        try:
            body = self.files.read(name)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise DamagedBodyError(
                f"the stored body is missing in {self.files.where}; check {SETTING}, or crawl the site again"
            ) from error
        except OSError as error:
            raise self._unreachable(error) from error
        if _digest(body) != name.rpartition("/")[2][:DIGEST]:
            raise DamagedBodyError(f"the stored body is damaged in {self.files.where}; crawl the site again")
        return body

    def _unreachable(self, error: OSError) -> DatabaseLostError:
        """Return the error that ends a crawl as a lost database does."""
        why = error.strerror or str(error) or type(error).__name__
        return DatabaseLostError(f"{self.files.where}: the body store cannot be used ({why}); check {SETTING}")


IN_ROW: Final = InRow()


def named(held: bytes | None) -> str | None:
    """Return the name of the file that a row refers to; None if the row has no file."""
    if held is None or not held.startswith(MARK):
        return None
    name = held[len(MARK) :].decode("ascii", "replace")
    return name if _NAME.fullmatch(name) else None


def is_name(name: str) -> bool:
    """Return whether a file name is that of a body, complete or being written; a folder may contain other files."""
    return _NAME.fullmatch(name.removesuffix(PART)) is not None


def store_of(engine: Engine) -> BodyStore:
    """Return the body store of an engine."""
    store: BodyStore = engine.get_execution_options().get(OPTION, IN_ROW)
    return store


def use_store(engine: Engine, location: str) -> Engine:
    """Set the body store of an engine, and return the engine; an empty location stands for the database itself.

    Raises ConfigError.
    """
    if location:
        engine.update_execution_options(**{OPTION: Outside(files_of(location))})
    return engine


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:DIGEST]
