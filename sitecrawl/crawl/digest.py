"""Fingerprints of main text: an exact digest to notice change, a simhash to notice near-copies."""

import hashlib
import re
import sys
from array import array
from functools import cache, lru_cache
from typing import Final, NamedTuple

from sitecrawl.dom import speedups
from sitecrawl.dom.scripts import UNSPACED_CLASS

_WORD: Final = re.compile(r"\w+")
_GRAM: Final = 3
"""Tokens a gram: 3 words keep order, one changed word touches three grams (ECOSYSTEM D, near-dup)."""
_BYTES: Final = 8
_MASK: Final = 2**64 - 1
FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd numbers that tell the first and the second token of a gram from the third: the golden ratio's bits, and a prime
of xxHash64."""
_WORDS_KEPT: Final = 2**14


class Fingerprints(NamedTuple):
    """What stands for a text."""

    digest: str
    """128 bits of blake2b, as hex, of the words: white space and punctuation do not count."""
    simhash: int
    """64-bit simhash (Charikar 2002) of the 3-grams; 0 for a text without words.

    The grams are of words, and of characters where a script writes no spaces. Two texts of which a share s of the
    grams differs have on average some 64 * acos(1 - s) / pi bits that differ (Charikar 2002, section 3).
    """


def fingerprints(text: str) -> Fingerprints:
    """Return the fingerprints of a text."""
    lower = text.lower()
    joined, hashed = (read_words if _twin is None or not speedups.allowed() else _twin.read_words)(lower)
    digest = hashlib.blake2b(joined, digest_size=16).hexdigest()
    return Fingerprints(digest, _simhash(hashed))


def read_words(lower: str) -> tuple[bytes, list[int]]:
    """Return (UTF-8 of the words joined by spaces, hashes of the tokens)."""
    return " ".join(_WORD.findall(lower)).encode("utf-8", "replace"), list(map(_hash, tokens(lower)))


def tokens(lower: str) -> list[str]:
    """Return the words of a text, and the characters that stand for words."""
    if not lower.isascii():
        alone, token = _unspaced()
        if alone.search(lower):
            return token.findall(lower)
    return _WORD.findall(lower)


@cache
def _unspaced() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a character of the scripts without spaces, and its tokens; dear to compile."""
    return re.compile(f"[{UNSPACED_CLASS}]"), re.compile(f"[{UNSPACED_CLASS}]|[^\\W{UNSPACED_CLASS}]+")


def _simhash(hashed: list[int]) -> int:
    if not hashed:
        return 0
    if len(hashed) < _GRAM:
        hashed = [0] * (_GRAM - len(hashed)) + hashed
    if _twin is not None and speedups.allowed():
        found: int = _twin.majority(hashed)
        return found
    return majority(hashed)


def majority(hashed: list[int]) -> int:
    """Return the bits that most of the different grams of hashed tokens have; three tokens or more."""
    first, second = FACTORS
    grams = {(a * first + b * second + c) & _MASK for a, b, c in zip(hashed, hashed[1:], hashed[2:], strict=False)}
    votes = array("Q", grams)
    if sys.byteorder == "big":
        votes.byteswap()
    columns, half, found = votes.tobytes(), len(votes) / 2, 0
    for place in range(_BYTES):  # the same byte of all grams at once: a bit's votes are the bytes that have it
        column = columns[place::_BYTES]
        for bit, having in enumerate(_HAVING):
            if len(column) - len(column.translate(None, having)) > half:
                found |= 1 << (8 * place + bit)
    return found


@lru_cache(_WORDS_KEPT)
def _hash(token: str) -> int:
    return int.from_bytes(hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=_BYTES).digest(), "little")


_HAVING: Final = [bytes(value for value in range(256) if value >> bit & 1) for bit in range(8)]
"""For each bit of a byte, the bytes that have it."""


_twin = speedups.compiled("sitecrawl.crawl._digest")
