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
    if not words:
        return 0
    few = len(words) < _SHINGLE
    shingles = {" ".join(words)} if few else set(map(" ".join, zip(words, words[1:], words[2:], strict=False)))
    hashed = [hashlib.blake2b(one.encode("utf-8", "replace"), digest_size=_BITS // 8).digest() for one in shingles]
    columns, half, found = b"".join(hashed), len(hashed) / 2, 0
    for place in range(_BITS // 8):  # the same byte of all digests at once: a bit's votes are the bytes that have it
        column = columns[place :: _BITS // 8]
        for bit, having in enumerate(_HAVING):
            if len(column) - len(column.translate(None, having)) > half:
                found |= 1 << (8 * place + bit)
    return found


_HAVING: Final = [bytes(value for value in range(256) if value >> bit & 1) for bit in range(8)]
"""For each bit of a byte, the bytes that have it."""
