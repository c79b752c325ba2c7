from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.storage.simhash_bands import BANDS, LEAST_CHARS, NEAREST, bands, distance, indexed_bands

HASHES = st.integers(0, (1 << 64) - 1)


@given(HASHES, st.sets(st.integers(0, 63), max_size=NEAREST))
def test_near_hashes_share_a_band(simhash, flipped):
    other = simhash
    for bit in flipped:
        other ^= 1 << bit
    assert distance(simhash, other) == len(flipped) <= NEAREST
    assert any(one == two for one, two in zip(bands(simhash).values(), bands(other).values(), strict=True))


@given(HASHES)
def test_bands_are_the_hash_in_pieces(simhash):
    assert sum(value << (16 * i) for i, value in enumerate(bands(simhash).values())) == simhash


def test_duplicates_and_short_texts_have_none():
    assert indexed_bands(5, LEAST_CHARS, None) == bands(5)
    assert indexed_bands(5, LEAST_CHARS - 1, None) == indexed_bands(5, 9999, "x" * 32) == dict.fromkeys(BANDS)
