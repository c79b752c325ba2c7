"""Files of a body store: in a local folder, or in any storage that fsspec supports."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol

from sitecrawl.errors import ConfigError
from sitecrawl.file_access import owner_only

SETTING: Final = "SITECRAWL_BODY_STORE"
_URL: Final = re.compile(r"\A([a-z][a-z0-9+.:-]*)://")
PART: Final = ".part"
"""Suffix of the name of a file that is being written."""


class Files(Protocol):
    """Files with names of three parts, separated by slashes. All methods raise OSError."""

    where: str
    """The location of the store, for messages."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file durably. A crash may leave a partial file."""
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


def check_folder(location: str) -> None:
    """Raise ConfigError for a folder that does not exist: nothing was ever stored there, so the path is wrong."""
    folder = _folder(location) if location else None
    if folder is not None and not folder.is_dir():
        raise ConfigError(f"{SETTING}: {folder}: there is no such folder; correct the path")


def _folder(location: str) -> Path | None:
    """Return the local folder of a store; None for a remote store. Raises ConfigError."""
    scheme = _URL.match(location)
    if scheme is not None and scheme[1] != "file":
        return None
    path = location if scheme is None else location[scheme.end() :]
    if not path.startswith("/"):
        raise ConfigError(f"{SETTING}: write an absolute folder, file:///var/lib/sitecrawl/bodies, or a URL")
    return Path(path)


def files_of(location: str) -> Files:
    """Return the files of a store; a missing folder is created. Raises ConfigError."""
    folder = _folder(location)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{SETTING}: {folder}: cannot be created ({error.strerror}); name another") from error
        return Folder(folder)
    return _Remote(location)


class Folder:
    """Files in a local folder. A file is written under another name and then renamed, so it is never partial."""

    def __init__(self, root: Path) -> None:
        self.root, self.where = root, str(root)

    def write(self, name: str, data: bytes) -> None:
        """Write a file durably: under another name first, then renamed."""
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
        """Yield the names of all files, a list for each site; leftovers of interrupted writes too."""
        for site in sorted(self.root.glob("*/*/")):
            yield sorted(path.relative_to(self.root).as_posix() for path in site.iterdir())

    def age(self, name: str) -> float:
        """Return the seconds since a file was written."""
        return time.time() - (self.root / name).stat().st_mtime

    def delete(self, name: str) -> None:
        """Delete a file."""
        (self.root / name).unlink()


class _Remote:
    """Files in a storage of fsspec."""

    def __init__(self, url: str) -> None:
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415  (an optional dependency)
        except ImportError:
            raise ConfigError(f"{SETTING}: fsspec: not installed; run: pip install 'sitecrawl[bodies]'") from None
        self.where = re.sub(r"//[^/@]*@", "//...@", url)
        try:
            found: tuple[Any, str] = url_to_fs(url)
        except (ImportError, ValueError) as error:  # the message of fsspec has the missing package of a scheme
            raise ConfigError(f"{SETTING}: {self.where}: {error}") from error
        self._files, self._root = found[0], found[1].rstrip("/")

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self._path(name)
        with _as_os_errors():
            try:
                self._files.pipe_file(path, data)
            except FileNotFoundError:  # this file system needs its folders created
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
    """Raise OSError in place of any other exception: the clients of storage services raise many classes."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error
