"""Bodies that are small until they are unpacked."""

import zlib
from functools import cache


@cache
def gzip_of(size: int, byte: bytes = b" ") -> bytes:
    """Return one byte `size` times, packed by gzip; megabyte by megabyte, so that no other thread waits for long."""
    packer = zlib.compressobj(1, wbits=31)
    block = byte * 2**20
    return b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.flush()
