"""Keeps the bodies of pages in the database (the default), in a folder, or anywhere that fsspec reaches.

A row of `body` holds the compressed body itself, or the name of a file outside. A file is written before the row that
names it is committed, under a name that is never used again. So a committed row names a whole file, and no transaction
that is rolled back damages another's. What no row names is an orphan, and `sitecrawl database prune-bodies` deletes it.
The name has a digest of the file, so a damaged file is noticed.
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
"""Begin of a row that names a file. A compressed body begins with the four bytes of zstd, which are others."""
DIGEST: Final = 32
"""Hexadecimal digits of the digest in a name."""
NO_STORE: Final = f"the bodies of this database are in a body store; name it with {SETTING}"
FOLDERS: Final = 1000
"""Folders at the top of a store, so that a million sites are not in one."""
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
    """The body is in the row."""

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Return the body."""
        return body

    def read(self, held: bytes) -> bytes:
        """Return the body. Raises StorageError if it is in a store, and none is set."""
        if held.startswith(MARK):
            raise StorageError(NO_STORE)
        return held


class Outside:
    """The body is in a file, and the row has its name. Rows from before the store was set hold their bodies."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Write the body to a file of its own; return what names it. Raises DatabaseLostError."""
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
    """Return the name of the file that a row names, if it names one."""
    if held is None or not held.startswith(MARK):
        return None
    name = held[len(MARK) :].decode("ascii", "replace")
    return name if _NAME.fullmatch(name) else None


def is_name(name: str) -> bool:
    """Return whether a file name is that of a body, or of one being written; a folder may hold other files."""
    return _NAME.fullmatch(name.removesuffix(PART)) is not None


def store_of(engine: Engine) -> BodyStore:
    """Return the body store of an engine."""
    store: BodyStore = engine.get_execution_options().get(OPTION, IN_ROW)
    return store


def use_store(engine: Engine, location: str) -> Engine:
    """Let an engine keep bodies in a store, and return it; an empty location is the database itself.

    Raises ConfigError.
    """
    if location:
        engine.update_execution_options(**{OPTION: Outside(files_of(location))})
    return engine


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:DIGEST]
