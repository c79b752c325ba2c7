import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils import _compression
from scrapy.utils.test import get_crawler

from sitecrawl import stats
from sitecrawl.middlewares.compression import CHUNK, BrokenBodyError, CompressionMiddleware, TooLargeBodyError

PACKERS = {
    b"gzip": gzip.compress,
    b"x-gzip": gzip.compress,
    b"deflate": zlib.compress,
    b"br": brotli.compress,
    b"zstd": _compression.zstd.compress,
}


def decode(body, encoding, max_size=0):
    return CompressionMiddleware._decode(body, encoding, max_size)


@pytest.mark.parametrize("encoding", PACKERS)
@given(body=st.binary(max_size=3000), times=st.integers(1, 300))
def test_what_was_packed_is_unpacked(encoding, body, times):
    assert decode(PACKERS[encoding](body * times), encoding) == body * times


@pytest.mark.parametrize("encoding", PACKERS)
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9, 0.99])
def test_a_body_that_is_broken_off_is_no_body(encoding, kept):
    packed = PACKERS[encoding](bytes(range(256)) * 40 + b"the end")
    with pytest.raises(BrokenBodyError, match="truncated"):
        decode(packed[: int(len(packed) * kept)], encoding)


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_bomb_is_given_up_at_the_limit(encoding):
    with pytest.raises(TooLargeBodyError, match="over 1000000 bytes"):
        decode(PACKERS[encoding](bytes(20_000_000)), encoding, 1_000_000)


def test_a_damaged_body_is_no_body():
    packed = bytearray(gzip.compress(b"a page of the harbour " * 50))
    packed[30] ^= 0xFF
    with pytest.raises(BrokenBodyError, match=r"damaged|truncated"):
        decode(bytes(packed), b"gzip")


def test_what_servers_send_beside_the_standard_is_read():
    raw = zlib.compressobj(wbits=-15)
    assert decode(raw.compress(b"page" * 9) + raw.flush(), b"deflate") == b"page" * 9
    assert decode(gzip.compress(b"one") + gzip.compress(b"two") + b"garbage", b"gzip") == b"onetwo"
    assert decode(b"<html>plain</html>", b"gzip") == b"<html>plain</html>"
    assert decode(_compression.zstd.compress(b"one") + _compression.zstd.compress(b"two"), b"zstd") == b"onetwo"


def deflated(body):
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(body) + packer.flush()


def test_a_deflated_body_without_a_frame_may_begin_like_one():
    """Its first byte means an uncompressed block, and zlib ignores the following bits."""
    body = b"\x08\x04\x00\xfb\xffpage" + b"\x01\x00\x00\xff\xff"
    assert decode(body, b"deflate") == b"page"


@pytest.mark.parametrize("body", [b"", b"\x08", b"\x78"])
def test_a_deflated_body_of_a_byte_is_truncated(body):
    with pytest.raises(BrokenBodyError, match="the deflate body is truncated"):
        decode(body, b"deflate")


@pytest.mark.parametrize("size", [CHUNK - 1, CHUNK, CHUNK + 21, CHUNK + 53, 2 * CHUNK, 2 * CHUNK + 25])
def test_what_the_last_bytes_of_a_body_hold_beyond_a_chunk_is_read_too(size):
    assert len(decode(deflated(bytes(size)), b"deflate")) == size
    with pytest.raises(TooLargeBodyError):
        decode(deflated(bytes(size)), b"deflate", size - 1)


def test_zstd_is_not_taken_for_plain_text():
    assert decode(b"", b"zstd") == b""
    with pytest.raises(BrokenBodyError, match="the zstd body is damaged"):
        decode(b"<html>plain</html>", b"zstd")
    packed = _compression.zstd.compress(b"page")
    assert decode(packed + b"garbage", b"zstd") == b"page"


PAGE = b"<html><body>" + b"a page of the harbour " * 50 + b"</body></html>"


class Answering:
    """The middleware in a crawl; `opened` is whether it knows the spider for which retries are counted."""

    def __init__(self, *, opened=True, **settings):
        crawler = get_crawler(Spider, {"RETRY_TIMES": 2, "DOWNLOAD_MAXSIZE": 100_000, **settings})
        crawler.spider = Spider.from_crawler(crawler, name="site")
        self.stats = crawler.stats
        self.middleware = CompressionMiddleware.from_crawler(crawler)
        if opened:
            self.middleware.open_spider(crawler.spider)

    def answer(self, body, **meta):
        request = Request("https://example.org/1", meta=meta)
        headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
        return self.middleware.process_response(request, Response(request.url, headers=headers, body=body))

    @property
    def broken(self):
        return self.stats.get_value(stats.GUARD_BROKEN_BODIES, 0)


def test_a_packed_answer_is_passed_on_unpacked():
    one = Answering()
    given = one.answer(gzip.compress(PAGE))
    assert (given.body, "Content-Encoding" in given.headers, one.broken) == (PAGE, False, 0)


def test_a_body_that_is_broken_off_is_asked_for_again_and_fails_at_last():
    one = Answering()
    broken = gzip.compress(PAGE)[:-9]
    retry = one.answer(broken)
    assert isinstance(retry, Request)
    assert (retry.url, retry.meta["retry_times"], one.broken) == ("https://example.org/1", 1, 1)
    with pytest.raises(BrokenBodyError, match="truncated"):
        one.answer(broken, retry_times=2)
    assert one.broken == 2


def test_a_body_that_is_too_large_is_not_asked_for_again():
    one = Answering()
    with pytest.raises(TooLargeBodyError, match=r"over 100000 bytes when decompressed \(DOWNLOAD_MAXSIZE\)"):
        one.answer(gzip.compress(bytes(200_000)))
    assert one.broken == 1


@pytest.mark.parametrize(("size", "whole"), [(100_000, True), (100_001, False)])
def test_the_limit_itself_is_no_excess(size, whole):
    one = Answering()
    if whole:
        assert len(one.answer(gzip.compress(bytes(size))).body) == size
    else:
        with pytest.raises(TooLargeBodyError):
            one.answer(gzip.compress(bytes(size)))


def test_before_the_spider_is_known_nothing_is_asked_for_again():
    with pytest.raises(BrokenBodyError):
        Answering(opened=False).answer(gzip.compress(PAGE)[:-9])
