"""Decompresses gzip bodies piece by piece up to a limit, so a decompression bomb costs no more than a large file."""

import zlib
from collections.abc import Iterator
from typing import Final

PIECE: Final = 65_536
_GZIP: Final = b"\x1f\x8b"
_ANY_GZIP: Final = 16 + zlib.MAX_WBITS


class Pieces(Iterator[bytes]):
    """Iterates over a body, decompressed if it is gzip: `PIECE` bytes at a time and `limit` bytes in all.

    After the iteration, `problem` is the reason, in words, if the end was not reached.
    """

    def __init__(self, body: bytes, limit: int) -> None:
        self.problem: str | None = None
        self._limit = limit
        self._pieces = self._unpacked(body) if body.startswith(_GZIP) else self._cut(body)

    def __next__(self) -> bytes:
        return next(self._pieces)

    def _cut(self, body: bytes) -> Iterator[bytes]:
        for i in range(0, min(len(body), self._limit), PIECE):
            yield body[i : min(i + PIECE, self._limit)]
        if len(body) > self._limit:
            self.problem = f"over {self._limit} bytes"

    def _unpacked(self, body: bytes) -> Iterator[bytes]:
        left, unpacker, packed = self._limit, zlib.decompressobj(_ANY_GZIP), memoryview(body)
        while True:
            try:
                piece = unpacker.decompress(packed[:PIECE], min(PIECE, left + 1))
            except zlib.error as error:
                self.problem = f"broken gzip: {error}"
                return
            unused = unpacker.unconsumed_tail or unpacker.unused_data
            packed = packed[min(PIECE, len(packed)) - len(unused) :]
            if piece:
                if len(piece) > left:
                    self.problem = f"over {self._limit} bytes when unpacked"
                    yield piece[:left]
                    return
                left -= len(piece)
                yield piece
            if unpacker.eof:
                if bytes(packed[:2]) != _GZIP:  # padding, or the end; a further member begins with the magic number
                    return
                unpacker = zlib.decompressobj(_ANY_GZIP)
            elif not packed and not piece:
                self.problem = "broken gzip: truncated"
                return
