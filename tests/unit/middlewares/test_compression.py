import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils import _compression

from sitecrawl.middlewares.compression import BrokenBodyError, CompressionMiddleware, TooLargeBodyError

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
