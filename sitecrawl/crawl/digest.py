"""Fingerprints of main text: an exact digest for changes, a simhash for near-duplicates."""

import hashlib
import re
import sys
from array import array
from functools import cache, lru_cache
from typing import Final, NamedTuple

from sitecrawl.dom.scripts import UNSPACED_CLASS
from sitecrawl.twins import twin

COMPILED: Final = "sitecrawl.crawl._digest"
_WORD: Final = re.compile(r"\w+")
_GRAM: Final = 3
"""Tokens per gram: 3 words preserve order, and one changed word affects three grams."""
_BYTES: Final = 8
_MASK: Final = 2**64 - 1
FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd multipliers that distinguish the first and the second token of a gram from the third: the golden ratio's bits,
and a prime of xxHash64."""
CACHED: Final = 8_192
"""Maximum words whose hashes are cached."""


class Fingerprints(NamedTuple):
    """The fingerprints of a text."""

    digest: str
    """128 bits of blake2b of the words, as hex; white space and punctuation do not count."""
    simhash: int
    """64-bit simhash (Charikar 2002) of the 3-grams; 0 for a text without words.

    The grams are of words, and of characters in scripts without spaces. Two texts that differ in a share s of their
    grams differ on average in about 64 * acos(1 - s) / pi bits (Charikar 2002, section 3).
    """


def fingerprints(text: str) -> Fingerprints:
    """Return the fingerprints of a text."""
    lower = text.lower()
    joined, hashed = read_words(lower)
    digest = hashlib.blake2b(joined, digest_size=16).hexdigest()
    return Fingerprints(digest, _simhash(hashed))


@twin(COMPILED)
def read_words(lower: str) -> tuple[bytes, list[int]]:
    """Return (UTF-8 of the words joined by spaces, hashes of the tokens).

    Tokens are the words, and single characters in scripts without spaces.
    """
    words = tokens = _WORD.findall(lower)
    if not lower.isascii():
        alone, token = _unspaced()
        if alone.search(lower):
            tokens = token.findall(lower)
    return " ".join(words).encode("utf-8", "replace"), list(map(_hash, tokens))


@cache
def _unspaced() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two patterns: a character of a script without spaces, and a token. Compiling them is slow."""
    return re.compile(f"[{UNSPACED_CLASS}]"), re.compile(f"[{UNSPACED_CLASS}]|[^\\W{UNSPACED_CLASS}]+")


def _simhash(hashed: list[int]) -> int:
    if not hashed:
        return 0
    if len(hashed) < _GRAM:
        hashed = [0] * (_GRAM - len(hashed)) + hashed
    return majority(hashed)


@twin(COMPILED)
def majority(hashed: list[int]) -> int:
    """Return the bits set in most of the distinct grams of hashed tokens; needs three tokens or more."""
    first, second = FACTORS
    grams = {(a * first + b * second + c) & _MASK for a, b, c in zip(hashed, hashed[1:], hashed[2:], strict=False)}
    votes = array("Q", grams)
    if sys.byteorder == "big":
        votes.byteswap()
    columns, half, found = votes.tobytes(), len(votes) / 2, 0
    for place in range(_BYTES):  # one byte of all grams at once: count the bytes that have each bit set
        column = columns[place::_BYTES]
        for bit, having in enumerate(_HAVING):
            if len(column) - len(column.translate(None, having)) > half:
                found |= 1 << (8 * place + bit)
    return found


@lru_cache(CACHED)
def _hash(token: str) -> int:
    return int.from_bytes(hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=_BYTES).digest(), "little")


_HAVING: Final = [bytes(value for value in range(256) if value >> bit & 1) for bit in range(8)]
"""For each bit of a byte, the bytes that have it set."""
