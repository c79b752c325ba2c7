"""One feed of several crawls: each writes a part of its own, and whole parts are added, so no lines are mixed."""

import shutil
import sys
from pathlib import Path
from typing import BinaryIO, Final

from sitecrawl.errors import ConfigError, FeedFileError

STANDARD_OUTPUT: Final = "-"
SUFFIXES: Final = (".jsonl", ".jsonlines", ".jl")


class JoinedFeed:
    """A feed of JSON lines. Parts lie in a folder beside it until their crawl has ended."""

    def __init__(self, target: str, *, overwrite: bool) -> None:
        """`target` is a file, or `-` for standard output.

        Raises ConfigError for a format whose parts cannot be joined, FeedFileError when the file cannot be written.
        """
        self.target = target
        to_output = target == STANDARD_OUTPUT
        if not to_output and Path(target).suffix not in SUFFIXES:
            raise ConfigError(f"{target}: the feed of several sites is JSON lines; name it so: feed.jsonl")
        folder = Path.cwd() if to_output else Path(target).absolute().parent
        self.parts = folder / f"{'feed' if to_output else Path(target).name}.parts"
        try:
            if not to_output and overwrite:
                Path(target).write_bytes(b"")
            self.parts.mkdir(exist_ok=True)
        except OSError as error:
            raise FeedFileError(
                f"{target}: the feed cannot be written ({error.strerror}); name another file"
            ) from error

    def part(self, name: str) -> Path:
        """Return the file of one crawl."""
        return self.parts / f"{name}.jsonl"

    def add(self, part: Path) -> int:
        """Add a part to the feed and delete it; return its rows. A last line that is cut off is left out.

        Raises FeedFileError when the feed cannot be written; the part is then kept.
        """
        if not part.exists():
            return 0
        try:
            with part.open("rb") as source:
                if self.target == STANDARD_OUTPUT:
                    rows = _copy(source, sys.stdout.buffer)
                else:
                    with Path(self.target).open("ab") as feed:
                        rows = _copy(source, feed)
            part.unlink()
        except OSError as error:
            raise FeedFileError(f"{self.target}: {part} could not be added ({error.strerror}); it is kept") from error
        return rows

    def left(self) -> list[Path]:
        """Return the parts that were not added: of a run that was killed."""
        return sorted(self.parts.glob("*.jsonl"))

    def close(self) -> None:
        """Remove the folder of the parts, unless some are left."""
        if not self.left():
            shutil.rmtree(self.parts, ignore_errors=True)


def _copy(source: BinaryIO, feed: BinaryIO) -> int:
    rows = 0
    for line in source:
        if line.endswith(b"\n"):
            feed.write(line)
            rows += 1
    feed.flush()
    return rows
