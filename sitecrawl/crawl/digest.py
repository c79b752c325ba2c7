"""Fingerprints of main text: an exact digest to notice change, a simhash to notice near-copies."""

import hashlib
import re
from typing import Final

_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1a20-\u1aaf"  # Thai, Lao, Tibetan, Burmese, Khmer, Tai Tham
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Scripts that put no spaces between words: each character stands for a word."""
_TOKEN: Final = re.compile(f"[{_UNSPACED}]|[^\\W{_UNSPACED}]+")
_SHINGLE: Final = 3
"""Tokens a shingle: 3 words keep order, one changed word touches three shingles (ECOSYSTEM D, near-dup)."""
_BITS: Final = 64


def text_digest(text: str) -> str:
    """Return 128 bits of blake2b, as hex, of the words of a text: white space and punctuation do not count."""
    words = " ".join(_WORD.findall(text.lower()))
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest()


def simhash(text: str) -> int:
    """Return the 64-bit simhash (Charikar 2002) of the 3-grams of a text; 0 for a text without words.

    The grams are of words, and of characters where a script writes no spaces. Two texts of which a share s of the
    grams differs have on average some 64 * acos(1 - s) / pi bits that differ (Charikar 2002, section 3).
    """
    words = _TOKEN.findall(text.lower())
    shingles = {" ".join(words[i : i + _SHINGLE]) for i in range(max(1, len(words) - _SHINGLE + 1))} if words else set()
    # Each bit's votes live in a 32-bit lane of one big integer, so that a shingle is added with one addition.
    lanes = 0
    for shingle in shingles:
        digest = hashlib.blake2b(shingle.encode("utf-8", "replace"), digest_size=8).digest()
        lanes += _LANES[0][digest[0]] + _LANES[1][digest[1]] + _LANES[2][digest[2]] + _LANES[3][digest[3]]
        lanes += _LANES[4][digest[4]] + _LANES[5][digest[5]] + _LANES[6][digest[6]] + _LANES[7][digest[7]]
    half = len(shingles) / 2
    return sum(1 << bit for bit in range(_BITS) if (lanes >> (32 * bit)) & 0xFFFFFFFF > half)


def _lanes() -> list[list[int]]:
    """Return, per byte of a digest and value of that byte, its bits spread over 32-bit lanes."""
    return [
        [sum(1 << (32 * (8 * place + bit)) for bit in range(8) if value >> bit & 1) for value in range(256)]
        for place in range(_BITS // 8)
    ]


_LANES: Final = _lanes()
