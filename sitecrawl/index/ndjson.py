"""Sink for JSON lines in files that are rotated by size: a log that can be loaded into any system."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from sitecrawl.index.documents import Change
from sitecrawl.index.http import as_json
from sitecrawl.index.sinks import Rejection, SinkUnavailableError
from sitecrawl.index.webhook import change_row
from sitecrawl.row_files import cut_torn_line

MAX_BYTES: Final = 64 * 2**20
NAME: Final = "changes-{:06}.ndjson"


class NdjsonSink:
    """Appends to `folder/changes-000001.ndjson` and so on; among lines with one id the highest sequence counts.

    A file is complete once a file with a higher number exists.
    """

    def __init__(self, folder: str, max_bytes: int = MAX_BYTES) -> None:
        self._folder = Path(folder)
        self._max_bytes = int(max_bytes)
        self._file: BinaryIO | None = None

    def send(self, changes: Sequence[Change]) -> list[Rejection]:
        """Append the changes and flush them to the disk; return the refused changes, which are none."""
        try:
            file = self._open()
            file.write("".join(as_json(change_row(change)) + "\n" for change in changes).encode())
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            self.close()
            raise SinkUnavailableError(f"{self._folder}: {error.strerror or error}") from error
        return []

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _open(self) -> BinaryIO:
        if self._file is not None and self._file.tell() < self._max_bytes:
            return self._file
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.stem.rpartition("-")[2]) for path in self._folder.glob("changes-[0-9]*.ndjson")]
        path = self._folder / NAME.format(max(numbers, default=1))
        self._file = path.open("ab")
        cut_torn_line(self._file, path)
        if self._file.tell() >= self._max_bytes:
            self._file.close()
            self._file = (self._folder / NAME.format(max(numbers, default=1) + 1)).open("ab")
        return self._file
