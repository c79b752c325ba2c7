import gzip
import tracemalloc
import zlib

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.links.decompression import PIECE, Pieces

LIMIT = 300_000


def unpack(body, limit=LIMIT):
    pieces = Pieces(body, limit)
    return b"".join(pieces), pieces.problem


@given(st.binary(max_size=300), st.integers(0, 1000))
def test_plain_and_packed_bytes_come_back(data, repeats):
    body = b"<" + data * repeats
    whole, limit = body[:LIMIT], len(body) > LIMIT
    assert unpack(body)[0] == whole
    assert unpack(gzip.compress(body))[0] == whole
    assert (unpack(body)[1] is not None) is limit
    assert (unpack(gzip.compress(body))[1] is not None) is limit


def test_pieces_are_small():
    assert max(map(len, Pieces(gzip.compress(b"x" * LIMIT), LIMIT))) <= PIECE
    assert max(map(len, Pieces(b"x" * LIMIT, LIMIT))) <= PIECE


def test_exactly_the_limit_is_no_problem():
    assert unpack(gzip.compress(b"x" * LIMIT)) == (b"x" * LIMIT, None)


def test_members_follow_each_other_and_padding_ends_them():
    assert unpack(gzip.compress(b"one") + gzip.compress(b" two")) == (b"one two", None)
    assert unpack(gzip.compress(b"one") + bytes(512)) == (b"one", None)


def test_what_is_broken_gives_what_came_before():
    data = bytes(range(256)) * 2000
    packed = gzip.compress(data)
    got, problem = unpack(packed[: len(packed) // 2])
    assert data.startswith(got)
    assert problem == "broken gzip: truncated"
    assert unpack(packed[:100] + b"\xff" * 200)[1].startswith("broken gzip: ")
    assert unpack(b"\x1f\x8b")[1] == "broken gzip: truncated"


def test_a_bomb_costs_what_its_limit_says():
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()
    tracemalloc.start()
    pieces = Pieces(bomb, LIMIT)
    read = sum(map(len, pieces))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == LIMIT
    assert pieces.problem == f"over {LIMIT} bytes when unpacked"
    assert peak < 1 << 20
