"""Keeps the bodies of pages in the database (the default), in a folder, or anywhere that fsspec reaches.

A row of `body` holds the compressed body itself, or the name of a file outside. A file is written before the row that
names it is committed, under a name that is never used again. So a committed row names a whole file, and no transaction
that is rolled back damages another's. What no row names is an orphan, and `sitecrawl database prune-bodies` deletes it.
The name has a digest of the file, so a damaged file is noticed.
"""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol

from sqlalchemy import Engine

from sitecrawl.errors import ConfigError, DamagedBodyError, StorageError
from sitecrawl.file_access import owner_only

SETTING: Final = "SITECRAWL_BODY_STORE"
OPTION: Final = "sitecrawl_body_store"
"""Execution option of an engine: its body store."""
MARK: Final = b"sitecrawl-body:"
"""Begin of a row that names a file. A compressed body begins with the four bytes of zstd, which are others."""
DIGEST: Final = 32
"""Hexadecimal digits of the digest in a name."""
FOLDERS: Final = 1000
"""Folders at the top of a store, so that a million sites are not in one."""
_URL: Final = re.compile(r"\A([a-z][a-z0-9+.:-]*)://")
_NAME: Final = re.compile(r"\d{3}/\d+/[0-9a-f]{32}-[0-9a-f]{16}")
PART: Final = ".part"
"""End of the name of a file that is being written."""


class BodyStore(Protocol):
    """Keeps compressed bodies."""

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Keep a body of a site for good; return what its row holds. Raises StorageError."""
        ...

    def read(self, held: bytes) -> bytes:
        """Return the body of a row. Raises DamagedBodyError if it is missing or damaged, and StorageError."""
        ...


class InRow:
    """The body is in the row."""

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Return the body."""
        return body

    def read(self, held: bytes) -> bytes:
        """Return the body. Raises StorageError if it is in a store, and none is set."""
        if held.startswith(MARK):
            raise StorageError(f"the bodies of this database are in a body store; name it with {SETTING}")
        return held


class Files(Protocol):
    """Files with names of three parts. All calls raise OSError."""

    where: str
    """The store as messages name it."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file for good; one that is written in part may be left after a crash."""
        ...

    def read(self, name: str) -> bytes:
        """Return a file. Raises FileNotFoundError."""
        ...

    def names(self) -> Iterator[list[str]]:
        """Yield the names of all files, a list for each site."""
        ...

    def age(self, name: str) -> float:
        """Return the seconds since a file was written. Raises FileNotFoundError."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file. Raises FileNotFoundError."""
        ...


class Outside:
    """The body is in a file, and the row has its name. Rows from before the store was set hold their bodies."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def keep(self, site_id: int, body: bytes) -> bytes:
        """Write the body to a file of its own; return what names it. Raises StorageError."""
        name = f"{site_id % FOLDERS:03}/{site_id}/{_digest(body)}-{secrets.token_hex(8)}"
        try:
            self.files.write(name, body)
        except OSError as error:
            raise self._unreachable(error) from error
        return MARK + name.encode()

    def read(self, held: bytes) -> bytes:
        """Return the body of a row. Raises DamagedBodyError if it is missing or damaged, and StorageError."""
        if not held.startswith(MARK):
            return held
        name = named(held)
        if name is None:
            raise DamagedBodyError("the stored body has no valid name; crawl the site again")
        try:
            body = self.files.read(name)
        except FileNotFoundError as error:
            raise DamagedBodyError(
                f"the stored body is missing in {self.files.where}; check {SETTING}, or crawl the site again"
            ) from error
        except OSError as error:
            raise self._unreachable(error) from error
        if _digest(body) != name.rpartition("/")[2][:DIGEST]:
            raise DamagedBodyError(f"the stored body is damaged in {self.files.where}; crawl the site again")
        return body

    def _unreachable(self, error: OSError) -> StorageError:
        why = error.strerror or str(error) or type(error).__name__
        return StorageError(f"{self.files.where}: the body store cannot be used ({why}); check {SETTING}")


IN_ROW: Final = InRow()


def named(held: bytes | None) -> str | None:
    """Return the name of the file that a row names, if it names one."""
    if held is None or not held.startswith(MARK):
        return None
    name = held[len(MARK) :].decode("ascii", "replace")
    return name if _NAME.fullmatch(name) else None


def is_name(name: str) -> bool:
    """Tell whether this is the name of a body, or of one that is being written; a folder may hold other files."""
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


def files_of(location: str) -> Files:
    """Return the files of a store. Raises ConfigError."""
    scheme = _URL.match(location)
    path = location if scheme is None else location[scheme.end() :]
    if scheme is None or scheme[1] == "file":
        if not path.startswith("/"):
            raise ConfigError(f"{SETTING}: write an absolute folder, file:///var/lib/sitecrawl/bodies, or a URL")
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{SETTING}: {folder}: cannot be created ({error.strerror}); name another") from error
        return Folder(folder)
    return _Remote(location)


class Folder:
    """Files in a folder. A file is written aside and then moved, so that no name leads to a part of it."""

    def __init__(self, root: Path) -> None:
        self.root, self.where = root, str(root)

    def write(self, name: str, data: bytes) -> None:
        """Write a file for good."""
        path = self.root / name
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(PART)
        try:
            with open(aside, "wb", opener=owner_only) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except OSError:
            with suppress(OSError):
                aside.unlink()
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def read(self, name: str) -> bytes:
        """Return a file."""
        return (self.root / name).read_bytes()

    def names(self) -> Iterator[list[str]]:
        """Yield the names of all files, a list for each site; those that were being written at a crash too."""
        for site in sorted(self.root.glob("*/*/")):
            yield sorted(path.relative_to(self.root).as_posix() for path in site.iterdir())

    def age(self, name: str) -> float:
        """Return the seconds since a file was written."""
        return time.time() - (self.root / name).stat().st_mtime

    def delete(self, name: str) -> None:
        """Delete a file."""
        (self.root / name).unlink()


class _Remote:
    """Files in what fsspec reaches."""

    def __init__(self, url: str) -> None:
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415  (an optional dependency)
        except ImportError:
            raise ConfigError(f"{SETTING}: fsspec: not installed; run: pip install 'sitecrawl[bodies]'") from None
        self.where = re.sub(r"//[^/@]*@", "//...@", url)
        try:
            found: tuple[Any, str] = url_to_fs(url)
        except (ImportError, ValueError) as error:  # fsspec names the package that a scheme needs
            raise ConfigError(f"{SETTING}: {self.where}: {error}") from error
        self._files, self._root = found[0], found[1].rstrip("/")

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self._path(name)
        with _as_os_errors():
            try:
                self._files.pipe_file(path, data)
            except FileNotFoundError:  # a file system that needs its folders
                self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
                self._files.pipe_file(path, data)

    def read(self, name: str) -> bytes:
        """Return a file."""
        with _as_os_errors():
            data: bytes = self._files.cat_file(self._path(name))
        return data

    def names(self) -> Iterator[list[str]]:
        """Yield the names of all files, a list for each site."""
        for top in self._names(self._root, "directory"):
            for site in self._names(top, "directory"):
                yield ["/".join(path.split("/")[-3:]) for path in self._names(site, "file")]

    def _names(self, path: str, kind: str) -> list[str]:
        try:
            with _as_os_errors():
                rows = self._files.ls(path, detail=True, refresh=True)
        except FileNotFoundError:
            return []
        return sorted(row["name"].rstrip("/") for row in rows if row["type"] == kind)

    def age(self, name: str) -> float:
        """Return the seconds since a file was written."""
        with _as_os_errors():
            return time.time() - float(self._files.modified(self._path(name)).timestamp())

    def delete(self, name: str) -> None:
        """Delete a file."""
        with _as_os_errors():
            self._files.rm_file(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """Raise OSError for any other exception: those of clients of storage services are of many classes."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:DIGEST]
