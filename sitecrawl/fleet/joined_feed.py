"""Joins the feeds of several crawls: each writes its own part, and whole parts are appended, so lines never mix.

Parts are in a folder beside the feed until their crawls have ended. A crawl locks the part that it writes, and the
system releases the lock when the process ends. So the next run recognises the parts of a killed run and appends them.
"""

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from sitecrawl.closed_pipe import drop_output
from sitecrawl.errors import ConfigError, FeedFileError
from sitecrawl.file_access import owner_only
from sitecrawl.row_files import CHUNK, alone, claim, cut_torn_line, is_at

STANDARD_OUTPUT: Final = "-"
SUFFIXES: Final = (".jsonl", ".jsonlines", ".jl")
PARTS: Final = ".parts"
"""Suffix of the name of the folder that contains the feeds of single sites."""
JOINED: Final = "joined.rows"
"""Name in the folder of parts: the feed that replaces the old one when the run ends."""
TRIES: Final = 40
PAUSE: Final = 0.05
"""Seconds between attempts to lock the folder, which another run may be about to remove."""


class JoinedFeed:
    """A feed of JSON lines. `rows` counts the rows appended to it."""

    def __init__(self, target: str, *, overwrite: bool) -> None:
        """`target` is a file, or `-` for standard output. Parts of killed runs are appended at once.

        With `overwrite` the rows of this run and of killed runs replace the file when the run ends.

        Raises ConfigError for a format whose parts cannot be joined, and FeedFileError if the file cannot be written or
        another run replaces it.
        """
        self.target = target
        self.rows = 0
        self._adding = threading.Lock()
        to_output = target == STANDARD_OUTPUT
        if not to_output and Path(target).suffix not in SUFFIXES:
            raise ConfigError(f"{target}: the feed of several sites is JSON lines; name it so: feed.jsonl")
        path = None if to_output else Path(target).absolute()
        self.parts = (Path.cwd() if path is None else path.parent) / f"{'feed' if path is None else path.name}{PARTS}"
        self._replaced = path if overwrite and path is not None and (path.is_file() or not path.exists()) else None
        self._file = self.parts / JOINED if self._replaced is not None else path
        """The file that rows are appended to; None for standard output."""
        try:
            if path is not None and path.is_dir():
                raise IsADirectoryError(0, "is a folder")
            self._hold = self._held_folder()
            if self._file is not None:
                open(self._file, "ab", opener=owner_only).close()
        except OSError as error:
            raise FeedFileError(
                f"{target}: the feed cannot be written ({error.strerror}); name another file"
            ) from error
        with self._adding:
            self._add_left()

    def _held_folder(self) -> int:
        """Create and lock the folder of parts. Raises OSError; FeedFileError if another run has locked it."""
        for _ in range(TRIES):
            self.parts.mkdir(exist_ok=True)
            folder = os.open(self.parts, os.O_RDONLY)
            if claim(folder, shared=self._replaced is None) and is_at(self.parts, folder):
                return folder
            os.close(folder)
            time.sleep(PAUSE)
        raise FeedFileError(
            f"{self.target}: another recrawl writes this feed; wait for it to end, or name another file"
            " (several at once may add to one file with -o)"
        )

    def part(self, name: str) -> Path:
        """Return the path of one crawl's part."""
        return self.parts / f"{name}.jsonl"

    def add(self, part: Path) -> int:
        """Append a part to the feed, delete it, and return its number of rows. A truncated last line is left out.

        Parts left by killed runs come first, so that of two rows of a page the newer one is last. A part that is still
        being written is skipped. Raises FeedFileError if the feed cannot be written; then the feed has no row of the
        part, and the part is kept.
        """
        with self._adding:
            self._add_left(but=part)
            return self._add(part)

    def _add_left(self, but: Path | None = None) -> None:
        """Append the parts of processes that have ended, except one."""
        for part in self.left():
            if part != but:
                self._add(part, again=True)

    def _add(self, part: Path, *, again: bool = False) -> int:
        try:
            with suppress(FileNotFoundError), part.open("rb") as source:
                if not (claim(source.fileno(), shared=False) and is_at(part, source.fileno())):
                    return 0
                rows = self._append(source, again=again)
                part.unlink()
                self.rows += rows
                return rows
        except OSError as error:
            raise FeedFileError(f"{self.target}: {part} could not be added ({error.strerror}); it is kept") from error
        return 0

    def _append(self, source: BinaryIO, *, again: bool) -> int:
        """Append the complete lines of a part to the feed, and return their number.

        With `again`, lines that a killed run has already appended are skipped.
        """
        if self._file is None:
            try:
                return _copy(source, sys.stdout.buffer)
            except BrokenPipeError:
                drop_output()
                raise
        with self._file.open("ab", buffering=0) as feed:
            if not self._file.is_file():
                return _copy(source, feed)
            with alone(feed):
                cut_torn_line(feed, self._file)
                size = feed.seek(0, os.SEEK_END)
                source.seek(_common(self._file, source) if again else 0)
                try:
                    rows = _copy(source, feed)
                    os.fsync(feed.fileno())
                except OSError:
                    feed.truncate(size)
                    raise
        return rows

    def left(self) -> list[Path]:
        """Return the parts that are not appended yet: their crawls are running or were killed."""
        return sorted(self.parts.glob("*.jsonl"))

    def close(self) -> list[Path]:
        """Move the feed to its target, and remove the folder of parts; return the parts that are left, if any.

        Raises FeedFileError.
        """
        with self._adding:
            try:
                self._add_left()
            finally:
                left = self._settle()
        return left

    def _settle(self) -> list[Path]:
        try:
            if self._replaced is not None and self._file is not None:
                self._file.replace(self._replaced)
        except OSError as error:
            raise FeedFileError(f"{self.target}: the feed cannot be written ({error.strerror})") from error
        finally:
            left = self.left()
            if claim(self._hold, shared=False):  # no other run uses it
                with suppress(OSError):
                    self.parts.rmdir()
            os.close(self._hold)
        return left


def _common(feed: Path, source: BinaryIO) -> int:
    """Return the number of bytes at the feed's end that equal the part's beginning: a killed run appended them."""
    begin = source.seek(0, os.SEEK_END)
    size = feed.stat().st_size
    source.seek(0)
    line = source.readline()
    with feed.open("rb") as reader:
        reader.seek(max(0, size - begin))
        place = reader.tell()
        for one in reader:
            if one == line and _same(feed, place, source):
                return size - place
            place += len(one)
    return 0


def _same(feed: Path, place: int, source: BinaryIO) -> bool:
    """Return whether the rest of the feed, from the offset `place`, equals the beginning of a part."""
    source.seek(0)
    with feed.open("rb") as reader:
        reader.seek(place)
        while part := reader.read(CHUNK):
            if source.read(len(part)) != part:
                return False
    return True


def _copy(source: BinaryIO, feed: BinaryIO) -> int:
    """Copy complete lines; return their number. Raises OSError."""
    rows = 0
    lines: list[bytes] = []
    for line in source:
        if line.endswith(b"\n"):
            lines.append(line)
            rows += 1
        if len(lines) == 100:
            _write(feed, b"".join(lines))
            lines = []
    _write(feed, b"".join(lines))
    feed.flush()
    return rows


def _write(feed: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[feed.write(rest) or 0 :]
