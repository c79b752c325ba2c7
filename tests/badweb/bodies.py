"""Cases of answers that are broken on the way: connections, lengths, headers, compression."""

import gzip
import zlib
from base64 import b64decode

from tests.badweb.bombs import gzip_of
from tests.badweb.server import ANY, EXCLUDED, FAILED, STORED, Expect, Visit, case

HTML = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\n"


@case(Expect(FAILED, reason="imeout|took longer", requests=4))
def slow_headers(visit: Visit) -> None:
    visit.trickle(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + b"X: y\r\n" * 20)


@case(Expect(FAILED, reason="imeout|took longer", requests=4))
def slow_body(visit: Visit) -> None:
    visit.raw(f"{HTML}Content-Length: 100000\n\n", b"<p>so")
    visit.trickle(b"slowly " * 20)


@case(Expect(FAILED, reason="imeout|took longer", requests=4))
def stalled_headers(visit: Visit) -> None:
    visit.hold()


@case(Expect(FAILED, reason="imeout|took longer", requests=4))
def stalled_body(visit: Visit) -> None:
    page = visit.page().encode()
    visit.raw(f"{HTML}Content-Length: {len(page)}\n\n", page[: len(page) // 2])
    visit.hold()


@case(Expect(FAILED, requests=8))
def reset_early(visit: Visit) -> None:
    visit.reset()


@case(Expect(FAILED, requests=4))
def reset_midway(visit: Visit) -> None:
    page = visit.page().encode()
    visit.raw(f"{HTML}Content-Length: {len(page)}\n\n", page[: len(page) // 2])
    visit.reset()


@case(Expect(FAILED, requests=4))
def length_too_long(visit: Visit) -> None:
    visit.raw(f"{HTML}Content-Length: 50000\n\n", visit.page().encode())


@case(Expect(ANY, requests=4))
def length_too_short(visit: Visit) -> None:
    page = visit.page().encode()
    visit.send(f"{HTML}Content-Length: {len(page) - 30}\n\n".replace("\n", "\r\n").encode() + page)


def _length(visit: Visit, value: str) -> None:
    visit.raw(f"{HTML}Content-Length: {value}\n\n", visit.page().encode())


@case(Expect(ANY, requests=4))
def length_word(visit: Visit) -> None:
    _length(visit, "banana")


@case(Expect(ANY, requests=4))
def length_negative(visit: Visit) -> None:
    _length(visit, "-5")


@case(Expect(ANY, requests=4, contents=(0, 0)))
def length_huge(visit: Visit) -> None:
    _length(visit, "99999999999999999999")


@case(Expect(ANY, requests=4))
def lengths_in_conflict(visit: Visit) -> None:
    _length(visit, "100\nContent-Length: 2000")


@case(Expect(ANY, requests=4))
def length_and_chunks(visit: Visit) -> None:
    page = visit.page().encode()
    visit.raw(f"{HTML}Content-Length: 5\nTransfer-Encoding: chunked\n\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(page), page))


def _chunks(visit: Visit, data: bytes) -> None:
    visit.raw(f"{HTML}Transfer-Encoding: chunked\n\n", data)


@case(Expect(FAILED, requests=4))
def chunks_broken_off(visit: Visit) -> None:
    page = visit.page().encode()
    _chunks(visit, b"%x\r\n%s\r\n" % (len(page), page))


@case(Expect(FAILED, requests=4))
def chunks_not_hexadecimal(visit: Visit) -> None:
    _chunks(visit, b"5\r\n<html\r\nbanana\r\n" + visit.page().encode())


@case(Expect(FAILED, requests=4))
def chunk_huge(visit: Visit) -> None:
    _chunks(visit, b"ffffffffffffff\r\n" + visit.page().encode())


@case(Expect(FAILED, requests=4))
def header_of_a_megabyte(visit: Visit) -> None:
    visit.raw(f"{HTML}X: {'y' * 2**20}\n\n", visit.page().encode())


@case(Expect(FAILED, reason="response headers", requests=1))
def endless_headers(visit: Visit) -> None:
    visit.send(HTML.replace("\n", "\r\n").encode())
    visit.flood(b"X-Flood: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 1000, 5000)


@case(Expect(FAILED, requests=4))
def status_word(visit: Visit) -> None:
    visit.raw("HTTP/1.1 banana\nContent-Type: text/html\n\n", visit.page().encode())


@case(Expect(FAILED, reason="999", requests=4))
def status_999(visit: Visit) -> None:
    visit.answer(status=999)


@case(Expect(FAILED, requests=4))
def no_status_line(visit: Visit) -> None:
    visit.raw("", visit.page().encode())


@case(Expect(FAILED, requests=4))
def noise(visit: Visit) -> None:
    visit.raw("", visit.random.randbytes(5000))


@case(Expect(ANY, requests=4))
def interim_answers(visit: Visit) -> None:
    visit.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
    visit.answer()


@case(Expect(STORED, requests=2))
def no_length(visit: Visit) -> None:
    visit.raw(f"{HTML}Connection: close\n\n", visit.page().encode())


@case(Expect(EXCLUDED, reason="HTTP 204", requests=2))
def no_content_with_body(visit: Visit) -> None:
    visit.raw("HTTP/1.1 204 No Content\nContent-Type: text/html\n\n", visit.page().encode())


@case(Expect(FAILED, reason="HTTP 206", requests=4))
def partial_content(visit: Visit) -> None:
    visit.answer(status=206, headers={"Content-Range": "bytes 0-1499/50000"})


@case(Expect(FAILED, requests=4))
def endless_body(visit: Visit) -> None:
    visit.send(f"{HTML}\n".replace("\n", "\r\n").encode())
    visit.flood(b"<p>more and more of it</p>\n" * 4000, 3000)


@case(Expect(FAILED, requests=4))
def body_of_200_megabytes(visit: Visit) -> None:
    visit.send(f"{HTML}Content-Length: 200000000\n\n".replace("\n", "\r\n").encode())
    visit.flood(b"<p>more and more of it</p>\n" * 4000, 2000)


# Compression -------------------------------------------------------------------------------------------------

SIZE = 100 * 2**20
_ZSTD = bytes.fromhex("28b52ffd")


def _zstd_bomb(size: int) -> bytes:
    """A zstd frame of blocks, each of which repeats one byte to 128 KB."""
    block = (2**17 << 3 | 1 << 1).to_bytes(3, "little") + b" "
    return _ZSTD + bytes((0, 0x38)) + block * (size // 2**17) + b"\x01\x00\x00"


_BROTLI = b64decode(
    "y///PwAkAOKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje//H//w8ACYA4LADd+z/+//8BIAEQhwWge/83"
)
"""64 MB of zero bytes."""


def _encoded(visit: Visit, encoding: str, data: bytes) -> None:
    visit.answer(data, headers={"Content-Encoding": encoding})


@case(Expect(FAILED, reason="decompressed", requests=1))
def gzip_bomb(visit: Visit) -> None:
    _encoded(visit, "gzip", gzip_of(SIZE))


@case(Expect(FAILED, reason="decompressed", requests=1))
def gzip_gzip_bomb(visit: Visit) -> None:
    _encoded(visit, "gzip, gzip", gzip.compress(gzip_of(SIZE)))


@case(Expect(FAILED, reason="decompressed", requests=1))
def deflate_bomb(visit: Visit) -> None:
    _encoded(visit, "deflate", zlib.compress(b" " * 2**25))


@case(Expect(FAILED, reason="decompressed", requests=1))
def zstd_bomb(visit: Visit) -> None:
    _encoded(visit, "zstd", _zstd_bomb(SIZE))


@case(Expect(FAILED, reason="decompressed", requests=1))
def brotli_bomb(visit: Visit) -> None:
    _encoded(visit, "br", _BROTLI)


@case(Expect(FAILED, reason="truncated", requests=4))
def gzip_truncated(visit: Visit) -> None:
    data = gzip.compress(visit.page().encode())
    _encoded(visit, "gzip", data[: len(data) * 6 // 10])


@case(Expect(FAILED, reason="truncated", requests=4))
def gzip_without_its_end(visit: Visit) -> None:
    _encoded(visit, "gzip", gzip.compress(visit.page().encode())[:-6])


@case(Expect(FAILED, reason="truncated", requests=4))
def deflate_truncated(visit: Visit) -> None:
    _encoded(visit, "deflate", zlib.compress(visit.page().encode())[:-100])


@case(Expect(FAILED, reason="truncated", requests=4))
def zstd_truncated(visit: Visit) -> None:
    _encoded(visit, "zstd", _ZSTD + bytes((0, 0x38)) + (300 << 3).to_bytes(3, "little") + b"<p>half a page</p>")


@case(Expect(FAILED, reason="truncated", requests=4))
def brotli_truncated(visit: Visit) -> None:
    page = visit.page().encode()  # a block that is not compressed; the last one is missing
    _encoded(visit, "br", (len(page) - 1 << 4 | 1 << 20).to_bytes(3, "little") + page)


@case(Expect(FAILED, reason="gzip", requests=4))
def gzip_corrupt(visit: Visit) -> None:
    data = bytearray(gzip.compress(visit.page().encode()))
    data[len(data) // 2 : len(data) // 2 + 4] = b"\xff\x00\xff\x00"
    _encoded(visit, "gzip", bytes(data))


@case(Expect(STORED, requests=4))
def gzip_that_is_none(visit: Visit) -> None:
    _encoded(visit, "gzip", visit.page().encode())


@case(Expect(EXCLUDED, reason="not HTML", requests=2))
def gzip_unlabelled(visit: Visit) -> None:
    visit.answer(gzip.compress(visit.page().encode()))


@case(Expect(STORED, requests=2))
def gzip_with_garbage(visit: Visit) -> None:
    _encoded(visit, "gzip", gzip.compress(visit.page().encode()) + b"garbage" * 9)


@case(Expect(STORED, requests=2))
def gzip_in_members(visit: Visit) -> None:
    page = visit.page().encode()
    _encoded(visit, "x-gzip", gzip.compress(page[:500]) + gzip.compress(page[500:]))


@case(Expect(STORED, requests=2))
def deflate_raw(visit: Visit) -> None:
    packer = zlib.compressobj(wbits=-15)
    _encoded(visit, "deflate", packer.compress(visit.page().encode()) + packer.flush())


@case(Expect(EXCLUDED, reason="not HTML|snappy", requests=2))
def encoding_unknown(visit: Visit) -> None:
    _encoded(visit, "snappy", visit.random.randbytes(3000))
