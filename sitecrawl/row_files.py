"""Files that contain only complete rows, despite killed processes, full disks and concurrent writers.

A row is appended under a lock of the file, and removed again if it cannot be written completely. An incomplete row of a
killed process is removed before the next row is appended.
"""

import errno
import fcntl
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from sitecrawl.file_access import owner_only

CHUNK: Final = 2**16
TAKEN: Final = "another process writes to it"


@contextmanager
def alone(file: io.IOBase | BinaryIO) -> Iterator[None]:
    """Lock a file within a block; others that use this function wait."""
    with suppress(OSError):  # a file system without locks
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def claim(file: int, *, shared: bool) -> bool:
    """Lock an open file until it is closed or the process ends; return False if another process has locked it."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def is_at(path: Path, file: int) -> bool:
    """Return whether an open file is still the one at a path."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    own = os.fstat(file)
    return (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)


def cut_torn_line(file: BinaryIO, path: Path) -> None:
    """Remove an incomplete last line that a killed process left behind."""
    size = file.seek(0, os.SEEK_END)
    with path.open("rb") as reader:
        end = size
        while end > 0:
            start = max(0, end - CHUNK)
            reader.seek(start)
            found = reader.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
    if end < size:
        file.truncate(end)
        file.seek(end)


def cut_torn_record(file: BinaryIO, path: Path) -> None:
    """Remove an incomplete last CSV record; line breaks within quotation marks do not end a record."""
    size, end, quoted, place = file.seek(0, os.SEEK_END), 0, False, 0
    with path.open("rb") as reader:
        for line in reader:
            place += len(line)
            quoted ^= line.count(b'"') % 2 == 1
            if not quoted and line.endswith(b"\n"):
                end = place
    if end < size:
        file.truncate(end)
        file.seek(end)


def is_overwritten(file: int) -> bool:
    """Return whether another process holds the shared lock of an open file, as one does that overwrites it."""
    if claim(file, shared=False):
        return False
    fcntl.flock(file, fcntl.LOCK_SH)  # waits while the file is joined
    return not claim(file, shared=False)


class RowsFile(io.FileIO):
    """A file to which complete rows are written, one per call of `write`."""

    def __init__(self, path: Path, *, overwrite: bool, keep: bool = False) -> None:
        """Open a file and lock it, so that a part of a joined feed is not joined while it is being written.

        A file that is overwritten loses its rows at once, or with `keep` when `truncate` is called. Raises OSError,
        also for a file that another process overwrites: the rows of that process would be lost.
        """
        self._shared = not overwrite
        while True:
            super().__init__(path, "wb" if overwrite else "ab", opener=_kept)
            self._plain = stat.S_ISREG(os.fstat(self.fileno()).st_mode)
            if self._shared or not self._plain:
                return
            if is_overwritten(self.fileno()):
                self.close()
                raise OSError(errno.EBUSY, TAKEN, str(path))
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self.fileno(), fcntl.LOCK_SH)
            if is_at(path, self.fileno()):
                if not keep:
                    self.truncate(0)
                return
            self.close()  # the file was joined and deleted meanwhile

    def write(self, data: "bytes | bytearray | memoryview", /) -> int:  # type: ignore[override]
        """Write a complete row or nothing; return the number of bytes. Raises OSError."""
        if not self._shared or not self._plain:
            return self._write(data)
        with alone(self):
            return self._write(data)

    def _write(self, data: "bytes | bytearray | memoryview") -> int:
        size = self.seek(0, os.SEEK_END) if self._plain else 0
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[super().write(rest) or 0 :]
        except OSError:
            if self._plain:
                self.truncate(size)
                self.seek(size)
            raise
        return len(data)


def _kept(path: str, flags: int) -> int:
    """Open a file without truncating it, since another process may be reading it; return its descriptor."""
    return owner_only(path, flags & ~os.O_TRUNC)
