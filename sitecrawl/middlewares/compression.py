"""Decompresses responses strictly: a truncated or damaged body is an error.

Scrapy's own middleware returns the readable part of a truncated or damaged stream as if it were the page.
"""

import zlib
from collections.abc import Callable
from typing import Any, Final

from scrapy import Request, Spider
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response
from scrapy.utils import _compression

from sitecrawl import stats

_CODECS: Any = _compression
"""Scrapy's module that imports the installed brotli and zstd libraries."""
CHUNK: Final = 1 << 18
"""Bytes decompressed between checks of the size."""
GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


class BrokenBodyError(ValueError):
    """The body of a response is truncated, damaged, or too large when decompressed."""


class CompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's middleware with a strict decoder. A truncated body is retried like a lost response."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the decompressed response, or the request to retry. Raises BrokenBodyError after the last retry."""
        try:
            return super().process_response(request, response)
        except BrokenBodyError as error:
            if self.stats is not None:
                self.stats.inc_value(stats.GUARD_BROKEN_BODIES)
            crawled_by = getattr(self, "_spider", None)
            retry = None
            if crawled_by is not None and not isinstance(error, TooLargeBodyError):
                retry = get_retry_request(request, spider=crawled_by, reason=str(error))
            if retry is None:
                raise
            return retry

    def open_spider(self, spider: Spider) -> None:
        """Keep the spider, which the retries of `process_response` need."""
        self._spider = spider
        super().open_spider(spider)

    @staticmethod
    def _decode(body: bytes, encoding: bytes, max_size: int) -> bytes:
        name = "gzip" if encoding == b"x-gzip" else encoding.decode("ascii")
        try:
            return _DECODERS[name](body, max_size)
        except BrokenBodyError:
            raise
        except _DAMAGES as error:
            raise BrokenBodyError(f"the {name} body is damaged ({error})") from error


_DAMAGES: Final = (zlib.error, _CODECS.brotli.error, _CODECS.zstd.ZstdError, EOFError, ValueError, OSError)


class TooLargeBodyError(BrokenBodyError):
    """The decompressed body exceeds DOWNLOAD_MAXSIZE."""


def _grow(found: bytearray, more: bytes, max_size: int) -> None:
    found += more
    if max_size and len(found) > max_size:
        raise TooLargeBodyError(f"over {max_size} bytes when decompressed (DOWNLOAD_MAXSIZE)")


def _check_end(name: str, *, is_reached: bool) -> None:
    """Raise BrokenBodyError if the end of a compressed body was not reached."""
    if not is_reached:
        raise BrokenBodyError(f"the {name} body is truncated")


def _zlib(name: str, body: bytes, max_size: int, bits: int) -> tuple[bytes, bytes]:
    """Return one decompressed stream, and the bytes after its end."""
    found, decoder = bytearray(), zlib.decompressobj(bits)
    left = body
    while left and not decoder.eof:
        _grow(found, decoder.decompress(left, CHUNK), max_size)
        left = decoder.unconsumed_tail
    while not decoder.eof and (more := decoder.decompress(b"", CHUNK)):
        _grow(found, more, max_size)
    _check_end(name, is_reached=decoder.eof)
    return bytes(found), decoder.unused_data


def gunzip(body: bytes, max_size: int) -> bytes:
    """Return the decompressed gzip members, without bytes after them; a body that is not gzip is returned unchanged."""
    if not body.startswith(GZIP_MAGIC):
        return body
    found, left = bytearray(), body
    while left.startswith(GZIP_MAGIC):
        member, left = _zlib("gzip", left, max_size, 31)
        _grow(found, member, max_size)
    return bytes(found)


def inflate(body: bytes, max_size: int) -> bytes:
    """Decompress deflate, with or without the zlib frame that old servers omit."""
    framed = len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib("deflate", body, max_size, 15 if framed else -15)[0]


def unbrotli(body: bytes, max_size: int) -> bytes:
    """Decompress brotli."""
    found, decoder = bytearray(), _CODECS.brotli.Decompressor()
    more = decoder.process(body, output_buffer_limit=CHUNK)
    while more:
        _grow(found, more, max_size)
        more = b"" if decoder.is_finished() else decoder.process(b"", output_buffer_limit=CHUNK)
    _check_end("br", is_reached=decoder.is_finished())
    return bytes(found)


def unzstd(body: bytes, max_size: int) -> bytes:
    """Decompress all frames of zstd."""
    found, left = bytearray(), body
    while left.startswith(ZSTD_MAGIC) or (left and not found):
        decoder = _CODECS.zstd.ZstdDecompressor()
        more = decoder.decompress(left, CHUNK)
        _grow(found, more, max_size)
        while not decoder.eof and (more := decoder.decompress(b"", CHUNK)):
            _grow(found, more, max_size)
        _check_end("zstd", is_reached=decoder.eof)
        left = decoder.unused_data
    return bytes(found)


_DECODERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": gunzip,
    "deflate": inflate,
    "br": unbrotli,
    "zstd": unzstd,
}
